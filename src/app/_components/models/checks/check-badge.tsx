import { describeVerdict, toCheckStatus } from "@/app/_components/models/summary/model-words";
import { Badge, type BadgeTone } from "@/app/_ui/badge";
import type { ModelCheckSummary } from "@/lib/contract/model";

/** Shows a check's verdict (validated from 80 % of its attempts on) or its progress. */
export function CheckBadge({ check }: { check: Pick<ModelCheckSummary, "status" | "validated"> }) {
  return (
    <Badge tone={getTone(check)} data-status={toCheckStatus(check.status)}>
      {describeVerdict(check)}
    </Badge>
  );
}

function getTone({ status, validated }: Pick<ModelCheckSummary, "status" | "validated">): BadgeTone {
  if (status === "running") return "accent";
  if (status === "cancelled") return "neutral";
  if (status !== "finished") return "bad";
  return validated ? "ok" : "warn";
}
