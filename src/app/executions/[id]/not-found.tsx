import Link from "next/link";
import { buttonClass } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";

export default function ExecutionNotFound() {
  return (
    <EmptyState
      heading="h1"
      title="No execution has this id"
      action={
        <Link href="/executions" className={buttonClass({ variant: "primary" })}>
          Search the executions
        </Link>
      }
    >
      Ids look like exec_7hJ2kP0q. The link may be cut off, or belong to another server's logbook.
    </EmptyState>
  );
}
