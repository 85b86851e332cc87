import { buttonClass } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";

export default function ToolsetNotFound() {
  return (
    <EmptyState
      heading="h1"
      title="Toolset not found"
      action={
        <Link href="/toolsets" className={buttonClass({ variant: "primary" })}>
          All toolsets
        </Link>
      }
    >
      It may have been renamed or deleted; its calls stay in Executions.
    </EmptyState>
  );
}
