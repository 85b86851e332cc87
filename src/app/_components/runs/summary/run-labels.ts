import { labelStates } from "@/app/_ui/status-badge";
import type { RunSource, RunStatus } from "@/lib/contract/run";

// Listed here instead of read from the contract's schemas, which would bring zod into the browser; the record types hold
// them complete.

export const RUN_STATUS_LABELS: Record<RunStatus, string> = labelStates([
  "running",
  "waiting",
  "succeeded",
  "failed",
  "cancelled",
  "interrupted",
] as const);

export const RUN_SOURCE_LABELS: Record<RunSource, string> = {
  agent: "Playground",
  background: "Background",
  check: "Eval",
  api: "API",
};

export const RUN_STATUSES = Object.keys(RUN_STATUS_LABELS) as RunStatus[];
export const RUN_SOURCES = Object.keys(RUN_SOURCE_LABELS) as RunSource[];
