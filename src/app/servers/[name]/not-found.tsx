import { buttonClass } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";

export default function ServerNotFound() {
  return (
    <EmptyState
      heading="h1"
      title="Server not found"
      action={
        <>
          <Link href="/servers" className={buttonClass({ variant: "primary" })}>
            All servers
          </Link>
          <Link needs="edit" href="/servers/new" className={buttonClass()}>
            Add server
          </Link>
        </>
      }
    >
      It may have been renamed or deleted; its calls stay in Executions.
    </EmptyState>
  );
}
