import { useWaitsForInput } from "@/app/_components/interactions/summary/use-waits-for-input";
import { StatusBadge } from "@/app/_ui/status-badge";
import type { ExecutionSummary } from "@/lib/contract/execution";

interface ExecutionBadgeProps {
  execution: Pick<ExecutionSummary, "id" | "status" | "errorKind">;
}

/** The status of a call. One whose server requests input is no longer just running. */
export function ExecutionBadge({ execution: { id, status, errorKind } }: ExecutionBadgeProps) {
  const waitsForInput = useWaitsForInput({ executionId: id }, status === "running");
  return <StatusBadge status={waitsForInput ? "input" : status} errorKind={errorKind} />;
}
