import type { ReactNode } from "react";
import { EmptyState } from "@/app/_ui/empty-state";
import { StatusBadge } from "@/app/_ui/status-badge";

export interface IdlePanelProps {
  /** Its accessible name, where a page has more than one. */
  label?: string;
  /** How to run it from here. */
  children?: ReactNode;
}

/** Stands where a result will be. */
export function IdlePanel({ label = "Result", children }: IdlePanelProps) {
  return (
    <section aria-label={label} className="flex min-h-0 min-w-0 flex-col">
      <header className="flex min-h-11 items-center border-line border-b px-3.5">
        <StatusBadge status="idle" label="No result yet" />
      </header>
      <EmptyState title="No result yet">
        {children ?? "Fill in the arguments and run the tool. The result appears here and stays in Executions."}
      </EmptyState>
    </section>
  );
}
