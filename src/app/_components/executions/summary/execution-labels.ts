import { labelStates } from "@/app/_ui/status-badge";
import { EXECUTION_OUTCOMES } from "@/lib/contract/call-class";
import type { ErrorKind, ExecutionSource } from "@/lib/contract/envelope";
import type { ExecutionOutcome } from "@/lib/contract/execution";
import type { DurationBucket, SizeBucket } from "@/lib/contract/execution-facets";
import type { ExecutionKind } from "@/lib/contract/execution-kind";

// The words are listed here instead of read from the contract's schemas, which would bring zod into the browser; the
// record types hold them complete.

/** The outcomes by which executions can be filtered: `failed` is followed by its parts. */
export const OUTCOME_LABELS: Record<ExecutionOutcome, string> = labelStates(EXECUTION_OUTCOMES);

export const SOURCE_LABELS: Record<ExecutionSource, string> = {
  console: "Console",
  agent: "Agent",
  gateway: "Gateway",
  replay: "Replay",
  background: "Background",
  api: "API",
  check: "Eval",
  app: "App",
  import: "Import",
  test: "Test",
};

export const KIND_LABELS: Record<ExecutionKind, string> = { tool: "Tool", resource: "Resource", prompt: "Prompt" };

export const ERROR_KIND_LABELS: Record<ErrorKind, string> = {
  not_found: "Unknown tool",
  invalid_arguments: "Invalid arguments",
  handler_not_found: "Handler not found",
  tool_error: "The tool failed",
  unavailable: "Service unavailable",
  sign_in_needed: "Sign-in required",
  timeout: "Timed out",
  cancelled: "Cancelled",
  interrupted: "Interrupted",
  not_recorded: "Ran, but not recorded",
  rejected: "Rejected",
  approval_expired: "Approval expired",
  approval_pending: "Needs approval",
  tool_changed: "Tool changed while it waited",
  definition_changed: "Changed tool needs approval",
  rule: "Denied by a rule",
  unexpected: "Unexpected error",
};

export const DURATION_LABELS: Record<DurationBucket, string> = {
  under_10ms: "Under 10 ms",
  from_10ms: "10 – 100 ms",
  from_100ms: "100 ms – 1 s",
  from_1s: "1 – 10 s",
  from_10s: "10 – 60 s",
  from_60s: "60 s and more",
  none: "Did not run",
};

export const SIZE_LABELS: Record<SizeBucket, string> = {
  under_1kib: "Under 1 KiB",
  from_1kib: "1 – 10 KiB",
  from_10kib: "10 – 100 KiB",
  from_100kib: "100 KiB – 1 MiB",
  from_1mib: "1 MiB and more",
  none: "No result",
};

export const OUTCOMES = Object.keys(OUTCOME_LABELS) as ExecutionOutcome[];
export const SOURCES = Object.keys(SOURCE_LABELS) as ExecutionSource[];
export const ERROR_KINDS = Object.keys(ERROR_KIND_LABELS) as ErrorKind[];
export const DURATIONS = Object.keys(DURATION_LABELS) as DurationBucket[];
export const SIZES = Object.keys(SIZE_LABELS) as SizeBucket[];
