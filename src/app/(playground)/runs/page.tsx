import type { Metadata } from "next";
import { buttonClass } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";

export const metadata: Metadata = { title: "Runs" };

/** The list of the layout with nothing open; on a phone it is the whole page. */
export default function RunsPage() {
  return (
    <EmptyState
      heading="h2"
      title="Nothing open"
      action={
        <Link href="/playground" className={buttonClass({ variant: "primary", size: "md" })}>
          New conversation
        </Link>
      }
    >
      Choose a conversation from the list, or start one.
    </EmptyState>
  );
}
