import type { Actor } from "../../src/lib/contract/actor";
import type { ErrorKind, ExecutionEnvelope, ExecutionSource } from "../../src/lib/contract/envelope";
import type { JsonValue } from "../../src/lib/contract/json";
import type { ToolDefinition } from "../../src/lib/contract/tool-definition";
import { newExecutionId } from "../../src/lib/execution-id";
import { DEFAULT_LIMITS, spokenDuration } from "../../src/server/engine/executor/call-limit";
import { aborted, type CallFailure, failure, interrupted } from "../../src/server/engine/executor/call-outcome";
import { failureText } from "../../src/server/engine/executor/output-limits";
import type { ArgumentValidator, ExecutionEnd, ExecutionStart } from "../../src/server/engine/ports";
import { describeFaults, requiredParameters } from "../../src/server/engine/validation/argument-faults";
import { validateArguments } from "../../src/server/engine/validation/validate-arguments";
import type { Random } from "./random";

export interface CallOrigin {
  source: ExecutionSource;
  actor: Actor;
  client: string | null;
  runId: string | null;
  callId: string | null;
  parentId: string | null;
}

/** A call of the past, with all that its row is made of. Durations are milliseconds. */
export interface PastExecution {
  id: string;
  at: number;
  tool: string;
  definition: ToolDefinition | null;
  argumentsText: string;
  origin: CallOrigin;
  validateMs: number;
  recordMs: number;
  /** How long it waited for a user. */
  waitedMs?: number;
  /** Null for a call that never ran. */
  runMs: number | null;
  /** Null for a call that succeeded. */
  verdict: CallFailure | null;
  result?: JsonValue | undefined;
}

/** Ids of calls sort by their time, as those of real ones do. */
export function newPastId(at: number, random: Random): string {
  return newExecutionId(at).slice(0, -10) + random.letters(10);
}

export function getTimeout(definition: ToolDefinition | null): number {
  return definition?.timeout_ms ?? DEFAULT_LIMITS.timeoutMs;
}

/** The row of a call as the executor records it: its start, its end, and the envelope its caller got. */
export function toRows(past: PastExecution): { start: ExecutionStart; end: ExecutionEnd; envelope: ExecutionEnvelope } {
  const { id, at, tool, definition, argumentsText, origin, validateMs, recordMs, runMs, verdict, result = null } = past;
  const resultText = verdict === null ? JSON.stringify(result) : null;
  const bytes = resultText === null ? null : Buffer.byteLength(resultText);
  const modelText =
    verdict !== null ? failureText(verdict) : typeof result === "string" ? result : JSON.stringify(result);
  const runsAt = at + validateMs + recordMs + (past.waitedMs ?? 0);
  const executionTimeMs = toMicros(validateMs + (runMs ?? 0));
  const start: ExecutionStart = {
    ...origin,
    id,
    toolName: tool,
    definition,
    implementationType: definition?.implementation.type ?? null,
    protocol: null,
    serverName: null,
    argumentsText,
    queuedAt: at,
    validateMs,
    timeoutMs: runMs === null ? null : getTimeout(definition),
    validationSkipped: false,
  };
  const end: ExecutionEnd = {
    id,
    status: verdict?.status ?? "succeeded",
    resultText,
    resultTruncated: false,
    resultBytes: bytes,
    storedBytes: bytes,
    modelChars: Math.min(modelText.length, DEFAULT_LIMITS.maxModelChars),
    resultChars: modelText.length,
    error: verdict?.error ?? null,
    errorKind: verdict?.error_kind ?? null,
    faults: verdict?.faults ?? null,
    limit: verdict?.limit ?? null,
    credential: null,
    startedAt: runMs === null ? null : Math.round(runsAt),
    finishedAt: Math.round(runsAt + (runMs ?? 0)),
    executionTimeMs,
    recordMs: runMs === null ? null : recordMs,
    runMs,
    logs: null,
  };
  const ran = runMs === null ? {} : { duration_ms: runMs };
  const common = { tool_name: tool, execution_time_ms: executionTimeMs, execution_id: id, ...ran };
  return {
    start,
    end,
    envelope: verdict === null ? { success: true, status: "succeeded", result, ...common } : { ...verdict, ...common },
  };
}

export const toMicros = (ms: number): number => Math.round(ms * 1000) / 1000;

/** How a call ends with an error of this kind. */
export function toVerdict(
  { kind, message }: { kind: ErrorKind; message: string },
  tool: string,
  definition: ToolDefinition | null,
): CallFailure {
  switch (kind) {
    case "cancelled":
      return aborted(undefined);
    case "interrupted":
      return interrupted(message);
    case "not_found":
      return failure(kind, `Tool '${tool}' not found`);
    case "timeout": {
      const value = getTimeout(definition);
      const setBy = definition?.timeout_ms === undefined ? "global" : "tool";
      const error = `Tool '${tool}' timed out after ${spokenDuration(value)}`;
      return { ...failure(kind, error), status: "timed_out", limit: { name: "timeout", value, unit: "ms", setBy } };
    }
    default:
      return failure(kind, message);
  }
}

/** Null where the arguments fit, and for an unknown tool. */
export async function toRefusal(
  validator: ArgumentValidator,
  definition: ToolDefinition | null,
  args: JsonValue,
): Promise<CallFailure | null> {
  if (definition === null) return null;
  const refusal = await validateArguments(validator, definition.parameters, args, DEFAULT_LIMITS);
  if (refusal === null) return null;
  return {
    ...failure("invalid_arguments", describeFaults(refusal.faults, refusal.unlisted)),
    faults: refusal.faults,
    required_parameters: requiredParameters(definition.parameters),
  };
}
