import Link from "next/link";
import { Button, buttonClass } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";

export function ListEmpty({ filtered, onClearFilters }: { filtered: boolean; onClearFilters: () => void }) {
  if (filtered) {
    return (
      <EmptyState title="No execution matches" action={<Button onClick={onClearFilters}>Clear filters</Button>}>
        Calls that match appear here as they come.
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
      Every call is kept here, whoever makes it: run a tool from its form and it appears at once.
    </EmptyState>
  );
}
