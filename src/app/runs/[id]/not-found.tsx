import Link from "next/link";
import { buttonClass } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";

export default function RunNotFound() {
  return (
    <EmptyState
      heading="h1"
      title="No run has this id"
      action={
        <Link href="/runs" className={buttonClass({ variant: "primary" })}>
          All runs
        </Link>
      }
    >
      Ids look like run_7hJ2kP0q. The link may be cut off, or belong to another server.
    </EmptyState>
  );
}
