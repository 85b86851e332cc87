import type { Metadata } from "next";
import { Link } from "@/app/_ui/link";
import { buttonClass } from "./_ui/button";
import { EmptyState } from "./_ui/empty-state";

export const metadata: Metadata = { title: { absolute: "Not found · Toolroom" } };

export default function NotFound() {
  return (
    <EmptyState
      heading="h1"
      title="Page not found"
      action={
        <>
          <Link href="/tools" className={buttonClass({ variant: "primary" })}>
            All tools
          </Link>
          <Link href="/executions" className={buttonClass()}>
            Search executions
          </Link>
        </>
      }
    >
      What was here may have been deleted or renamed. Executions keep every call, also of deleted tools.
    </EmptyState>
  );
}
