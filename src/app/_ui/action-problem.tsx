import type { ReactNode } from "react";
import { Alert } from "./alert";
import { Button } from "./button";

interface ActionProblemProps {
  problem: string | null;
  onDismiss: () => void;
  className?: string;
  /** Content beside the button that failed. */
  children?: ReactNode;
}

/** Why an action did not succeed, until it is dismissed; renders nothing without a problem. */
export function ActionProblem({ problem, onDismiss, className, children }: ActionProblemProps) {
  if (problem === null) return null;
  return (
    <Alert live tone="bad" title={problem} className={className}>
      {children}
      <Button onClick={onDismiss} className="mt-1.5">
        Dismiss
      </Button>
    </Alert>
  );
}
