import type { Metadata } from "next";
import { ApproveView } from "@/app/_components/approvals/link/approve-view";

export const metadata: Metadata = { title: "Approve a call", referrer: "no-referrer" };

/** The page of an approval link. Its token is in the fragment, which servers and link previews do not receive. */
export default function ApprovePage() {
  return <ApproveView />;
}
