import { useWaitsForInput } from "@/app/_components/interactions/summary/use-waits-for-input";
import { StatusBadge } from "@/app/_ui/status-badge";
import type { RunStatus } from "@/lib/contract/run";

interface RunBadgeProps {
  run: { id: string; status: RunStatus };
  stopping?: boolean;
}

/** A run's state in its own words: what waits for approval, and what waits for input. */
export function RunBadge({ run: { id, status }, stopping = false }: RunBadgeProps) {
  const waitsForInput = useWaitsForInput({ runId: id }, status === "running");
  return <StatusBadge status={stopping ? "cancelling" : waitsForInput ? "input" : status} />;
}
