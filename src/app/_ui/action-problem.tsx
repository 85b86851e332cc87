import { Alert } from "./alert";
import { Button } from "./button";

interface ActionProblemProps {
  problem: string | null;
  onDismiss: () => void;
  className?: string;
}

/** Why an action did not succeed, until it is dismissed; renders nothing without a problem. */
export function ActionProblem({ problem, onDismiss, className }: ActionProblemProps) {
  if (problem === null) return null;
  return (
    <Alert live tone="bad" title={problem} {...(className && { className })}>
      <Button onClick={onDismiss} className="mt-1.5">
        Dismiss
      </Button>
    </Alert>
  );
}
