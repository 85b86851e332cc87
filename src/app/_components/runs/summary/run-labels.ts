import type { RunSource, RunStatus } from "@/lib/contract/run";

// Listed here instead of read from the contract's schemas, which would bring zod into the browser; the record types hold
// them complete.

export const RUN_STATUS_LABELS: Record<RunStatus, string> = {
  running: "Running",
  waiting: "Needs approval",
  succeeded: "Succeeded",
  failed: "Failed",
  cancelled: "Cancelled",
  interrupted: "Interrupted",
};

export const RUN_SOURCE_LABELS: Record<RunSource, string> = {
  agent: "Playground",
  background: "Background",
  check: "Model check",
  api: "API",
};

export const RUN_STATUSES = Object.keys(RUN_STATUS_LABELS) as RunStatus[];
export const RUN_SOURCES = Object.keys(RUN_SOURCE_LABELS) as RunSource[];
