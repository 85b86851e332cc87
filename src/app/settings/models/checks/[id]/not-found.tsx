import Link from "next/link";
import { buttonClass } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";

export default function CheckNotFound() {
  return (
    <EmptyState
      heading="h1"
      title="No model check has this id"
      action={
        <Link href="/settings/models" className={buttonClass({ variant: "primary" })}>
          All model checks
        </Link>
      }
    >
      The link may be cut off, or belong to another server.
    </EmptyState>
  );
}
