import type { Metadata } from "next";
import { ApproveView } from "@/app/_components/approvals/link/approve-view";

export const metadata: Metadata = { title: "Approve a call", referrer: "no-referrer" };

/** What a link of a webhook opens. The link's token is in the fragment, which no server and no preview of it gets. */
export default function ApprovePage() {
  return <ApproveView />;
}
