import type { ExecutionSource, ExecutionStatus } from "@/lib/contract";

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

export const SOURCE_LABELS: Record<ExecutionSource, string> = {
  console: "Console",
  agent: "Agent",
  gateway: "Gateway",
  replay: "Replay",
  background: "Background",
  api: "API",
};

export const STATUSES = Object.keys(STATUS_LABELS) as ExecutionStatus[];
export const SOURCES = Object.keys(SOURCE_LABELS) as ExecutionSource[];
