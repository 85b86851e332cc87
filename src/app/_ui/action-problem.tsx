import { Alert } from "./alert";
import { Button } from "./button";

/** Why an action did not succeed, until it is dismissed; renders nothing without a problem. */
export function ActionProblem({ problem, onDismiss }: { problem: string | null; onDismiss: () => void }) {
  if (problem === null) return null;
  return (
    <Alert live tone="bad" title={problem}>
      <Button onClick={onDismiss} className="mt-1.5">
        Dismiss
      </Button>
    </Alert>
  );
}
