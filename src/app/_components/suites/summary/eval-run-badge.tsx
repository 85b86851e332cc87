import { Badge, type BadgeTone } from "@/app/_ui/badge";
import type { EvalRunStatus, EvalRunSummary } from "@/lib/contract/eval";
import { describeOutcome, toRunStatus } from "./eval-words";

/** Shows how a run of evals ended. */
export function RunBadge({ run: { status } }: { run: Pick<EvalRunSummary, "status"> }) {
  return (
    <Badge tone={getTone(status)} data-status={toRunStatus(status)}>
      {describeOutcome(status)}
    </Badge>
  );
}

function getTone(status: EvalRunStatus): BadgeTone {
  if (status === "running") return "accent";
  return status === "cancelled" || status === "finished" ? "neutral" : "bad";
}
