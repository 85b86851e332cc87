import type { Metadata } from "next";
import { EmptyState } from "@/app/_ui/empty-state";

export const metadata: Metadata = { title: "Runs" };

/** The list of the layout with nothing open; on a phone it is the whole page. */
export default function RunsPage() {
  return (
    <EmptyState heading="h2" title="Nothing open" next={{ href: "/playground", text: "New conversation" }}>
      Choose a conversation from the list, or start one.
    </EmptyState>
  );
}
