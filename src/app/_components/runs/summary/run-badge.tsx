import { StatusBadge } from "@/app/_ui/status-badge";
import type { RunStatus } from "@/lib/contract/run";

/** A run's state in its own words: what waits, waits for a person. */
export function RunBadge({ status, stopping = false }: { status: RunStatus; stopping?: boolean }) {
  const label = stopping ? "stopping" : status === "waiting" ? "needs approval" : undefined;
  return <StatusBadge status={status} {...(label === undefined ? {} : { label })} />;
}
