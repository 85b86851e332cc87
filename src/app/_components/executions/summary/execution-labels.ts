import { labelStates } from "@/app/_ui/status-badge";
import type { ExecutionSource } from "@/lib/contract/envelope";
import type { ExecutionOutcome } from "@/lib/contract/execution";
import type { ExecutionKind } from "@/lib/contract/execution-kind";

// The words are listed here instead of read from the contract's schemas, which would bring zod into the browser; the
// record types hold them complete.

/** The outcomes by which executions can be filtered: statuses, two classes of failed calls, and one of running calls. */
export const OUTCOME_LABELS: Record<ExecutionOutcome, string> = labelStates([
  ...["running", "succeeded", "failed", "cancelled", "timed_out", "interrupted"],
  ...["waiting", "input", "invalid", "rejected"],
] as const);

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

export const OUTCOMES = Object.keys(OUTCOME_LABELS) as ExecutionOutcome[];
export const SOURCES = Object.keys(SOURCE_LABELS) as ExecutionSource[];
