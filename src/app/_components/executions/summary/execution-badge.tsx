"use client";

import { useWaitsForInput } from "@/app/_components/interactions/use-waits-for-input";
import { StatusBadge } from "@/app/_ui/status-badge";
import type { ExecutionStatus } from "@/lib/contract";

export interface ExecutionBadgeProps {
  execution: { id: string; status: ExecutionStatus };
  /** Instead of the status' own word; a call that waits for input says so in any case. */
  label?: string | undefined;
}

/** The status of a call. One whose server requests input is no longer just running. */
export function ExecutionBadge({ execution: { id, status }, label }: ExecutionBadgeProps) {
  const waitsForInput = useWaitsForInput({ executionId: id }, status === "running");
  if (waitsForInput) return <StatusBadge status="waiting" label="waiting for input" />;
  return <StatusBadge status={status} label={label} />;
}
