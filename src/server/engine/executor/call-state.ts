import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { CallMask } from "../masking/call-mask";
import type { ExecutionEnd, Masking } from "../ports";
import type { CallArguments } from "./call-arguments";
import type { CallEventLog } from "./call-event-log";
import type { CallLimit } from "./call-limit";
import type { CallTimeout } from "./execution-limits";

/** One object, since a private field each would make the call's constructor slower. */
export interface CallState {
  args: CallArguments;
  definition: ToolDefinition | null;
  timeout: CallTimeout | null;
  begun: boolean;
  listed: boolean;
  queuedAtElapsed: number;
  /** When the current phase started: validation, recording, or the run. */
  phaseStart: number;
  startedAt: number | null;
  validateMs: number | null;
  recordMs: number | null;
  runMs: number | null;
  waitedMs: number;
  heldMs: number;
  limit: CallLimit | null;
  timeoutHint: string | null;
  marks: Required<Pick<ExecutionEnd, "credential" | "taskId">>;
  /** Null until there is one: most calls have none. */
  events: CallEventLog | null;
  controller: AbortController | null;
  aborted: { reason: unknown } | null;
  masking: Masking;
  mask: { by: CallMask; argumentsText: string } | null;
}

export function createCallState(
  args: CallArguments,
  { queuedAtElapsed, begun, masking }: Pick<CallState, "queuedAtElapsed" | "begun" | "masking">,
): CallState {
  return {
    args,
    definition: null,
    timeout: null,
    begun,
    listed: false,
    queuedAtElapsed,
    phaseStart: queuedAtElapsed,
    startedAt: null,
    validateMs: null,
    recordMs: null,
    runMs: null,
    waitedMs: 0,
    heldMs: 0,
    limit: null,
    timeoutHint: null,
    marks: { credential: null, taskId: null },
    events: null,
    controller: null,
    aborted: null,
    masking,
    mask: null,
  };
}
