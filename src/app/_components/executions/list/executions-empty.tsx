import { Button, buttonClass } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";

export function ListEmpty({ filtered, onClearFilters }: { filtered: boolean; onClearFilters: () => void }) {
  if (filtered) {
    return (
      <EmptyState title="No matching executions" action={<Button onClick={onClearFilters}>Clear filters</Button>}>
        New matches appear automatically.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No executions yet"
      action={
        <Link href="/tools" className={buttonClass({ variant: "primary", size: "md" })}>
          Choose a tool to run
        </Link>
      }
    >
      Every call is recorded here. Run a tool from its page to see the first one.
    </EmptyState>
  );
}
