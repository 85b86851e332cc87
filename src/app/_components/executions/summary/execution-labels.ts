import type { ErrorKind, ExecutionOutcome, ExecutionSource, ExecutionStatus } from "@/lib/contract";

// The words are listed here instead of read from the contract's schemas, which would bring zod into the browser; the
// record types hold them complete.

export const STATUS_LABELS: Record<ExecutionStatus, string> = {
  running: "Running",
  succeeded: "Succeeded",
  failed: "Failed",
  cancelled: "Cancelled",
  timed_out: "Timed out",
  interrupted: "Interrupted",
  waiting: "Waiting for approval",
};

/** What Executions can be filtered by: statuses, and two of the reasons for failed calls. */
export const OUTCOME_LABELS: Record<ExecutionOutcome, string> = {
  ...STATUS_LABELS,
  invalid: "Invalid arguments",
  rejected: "Rejected",
};

/** A badge's word for a failed call, where the reason says more than the status. */
export const FAILURE_LABELS: Partial<Record<ErrorKind, string>> = {
  invalid_arguments: "invalid",
  rejected: "rejected",
};

export const SOURCE_LABELS: Record<ExecutionSource, string> = {
  console: "Console",
  agent: "Agent",
  gateway: "Gateway",
  replay: "Replay",
  background: "Background",
  api: "API",
};

export const OUTCOMES = Object.keys(OUTCOME_LABELS) as ExecutionOutcome[];
export const SOURCES = Object.keys(SOURCE_LABELS) as ExecutionSource[];
