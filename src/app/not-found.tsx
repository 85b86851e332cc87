import type { Metadata } from "next";
import Link from "next/link";
import { buttonClass } from "./_ui/button";
import { EmptyState } from "./_ui/empty-state";

export const metadata: Metadata = { title: { absolute: "Not found · Toolroom" } };

export default function NotFound() {
  return (
    <EmptyState
      heading="h1"
      title="There is nothing at this address"
      action={
        <>
          <Link href="/tools" className={buttonClass({ variant: "primary" })}>
            See the tools
          </Link>
          <Link href="/executions" className={buttonClass()}>
            Search the executions
          </Link>
        </>
      }
    >
      What was here may have been deleted or renamed. The logbook keeps every execution, also of tools that are gone.
    </EmptyState>
  );
}
