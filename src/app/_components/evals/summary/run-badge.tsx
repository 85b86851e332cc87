import { Badge, type BadgeTone } from "@/app/_ui/badge";
import type { EvalRunSummary } from "@/lib/contract/eval";
import { TOOL_USE_SUITE } from "@/lib/contract/eval-limits";
import { describeOutcome, toRunStatus } from "./eval-words";

type Shown = Pick<EvalRunSummary, "suite" | "status" | "validated">;

/** Shows how a run of evals ended; of the built-in suite its verdict, validated from 80 % of its attempts on. */
export function RunBadge({ run }: { run: Shown }) {
  return (
    <Badge tone={getTone(run)} data-status={toRunStatus(run.status)}>
      {describeOutcome(run)}
    </Badge>
  );
}

function getTone({ suite, status, validated }: Shown): BadgeTone {
  if (status === "running") return "accent";
  if (status === "cancelled") return "neutral";
  if (status !== "finished") return "bad";
  if (suite !== TOOL_USE_SUITE) return "neutral";
  return validated ? "ok" : "warn";
}
