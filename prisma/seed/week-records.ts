import type { ErrorKind, Fault, ToolDefinition } from "../../src/lib/contract";
import { describeFaults } from "../../src/server/engine/argument-faults";
import { DEFAULT_LIMITS, spokenDuration } from "../../src/server/engine/execution-limits";
import type { ExecutionEnd, ExecutionStart } from "../../src/server/engine/ports";
import type { Random } from "./random";
import type { PlannedCall } from "./week-plan";

/** What the catalogue knows: the definitions that ran, and the validator's words about arguments that do not fit. */
export interface KnownTools {
  definitions: ReadonlyMap<string, ToolDefinition>;
  /** By tool and argument text, as `faultsKey` has it. */
  faults: ReadonlyMap<string, Fault[]>;
}

export const faultsKey = (tool: string, argumentsText: string): string => `${tool} ${argumentsText}`;

interface Outcome {
  status: ExecutionEnd["status"];
  /** Null for a call that never ran. */
  runMs: number | null;
  resultText?: string;
  error?: string;
  errorKind?: ErrorKind;
  faults?: Fault[];
  limit?: ExecutionEnd["limit"];
}

const micros = (ms: number): number => Math.round(ms * 1000) / 1000;

/** The two halves of a call's row, as the executor would have had them recorded. */
export function toRecord(random: Random, call: PlannedCall, known: KnownTools): [ExecutionStart, ExecutionEnd] {
  const definition = known.definitions.get(call.toolName) ?? null;
  const outcome = outcomeOf(random, call, definition, known);
  const { resultText = null, error = null, runMs } = outcome;
  const validateMs = micros(random.duration(0.06, 0.6));
  const recordMs = runMs === null ? null : micros(random.duration(0.5, 0.5));
  const bytes = resultText === null ? null : Buffer.byteLength(resultText);
  const chars = (resultText ?? error ?? "").length;
  const start: ExecutionStart = {
    id: call.id,
    toolName: call.toolName,
    definition,
    implementationType: definition?.implementation.type ?? null,
    source: call.source,
    actor: call.actor,
    client: call.client,
    protocol: null,
    serverName: null,
    argumentsText: call.argumentsText,
    queuedAt: call.at,
    validateMs,
    timeoutMs: runMs === null ? null : timeoutOf(definition),
    validationSkipped: false,
    parentId: call.parentId,
    runId: call.runId,
    callId: call.callId,
  };
  const end: ExecutionEnd = {
    id: call.id,
    status: outcome.status,
    resultText,
    resultTruncated: false,
    resultBytes: bytes,
    storedBytes: bytes,
    modelChars: Math.min(chars, DEFAULT_LIMITS.maxModelChars),
    resultChars: chars,
    error,
    errorKind: outcome.errorKind ?? null,
    faults: outcome.faults ?? null,
    limit: outcome.limit ?? null,
    startedAt: runMs === null ? null : Math.round(call.at + validateMs + (recordMs ?? 0)),
    finishedAt: Math.round(call.at + validateMs + (recordMs ?? 0) + (runMs ?? 0)),
    executionTimeMs: micros(validateMs + (runMs ?? 0)),
    recordMs,
    runMs,
    logs: null,
  };
  return [start, end];
}

const timeoutOf = (definition: ToolDefinition | null): number => definition?.timeout_ms ?? DEFAULT_LIMITS.timeoutMs;

function outcomeOf(random: Random, call: PlannedCall, definition: ToolDefinition | null, known: KnownTools): Outcome {
  const { tool, toolName, argumentsText, at } = call;
  const failed = { status: "failed", runMs: null } as const;
  const runMs = micros(Math.min(random.duration(tool.medianMs, tool.spread), timeoutOf(definition) - 1));
  switch (call.end) {
    case "succeeded":
      return {
        status: "succeeded",
        runMs,
        resultText: JSON.stringify(tool.result(random, JSON.parse(argumentsText), at)),
      };
    case "not_found":
      return { ...failed, error: `Tool '${toolName}' not found`, errorKind: "not_found" };
    case "invalid": {
      const faults = known.faults.get(faultsKey(tool.name, argumentsText)) ?? [];
      return { ...failed, error: describeFaults(faults), errorKind: "invalid_arguments", faults };
    }
    case "tool_error":
      return { ...failed, runMs, error: tool.errors[random.int(0, tool.errors.length - 1)], errorKind: "tool_error" };
    case "unavailable": {
      const error = `Service '${tool.service ?? "localhost"}' is unavailable: connection refused (ECONNREFUSED)`;
      return { ...failed, runMs: micros(random.duration(3, 0.4)), error, errorKind: "unavailable" };
    }
    case "timeout": {
      const value = timeoutOf(definition);
      const setBy = definition?.timeout_ms === undefined ? "global" : "tool";
      const error = `Tool '${toolName}' timed out after ${spokenDuration(value)}`;
      const limit = { name: "timeout", value, unit: "ms", setBy } as const;
      return { status: "timed_out", runMs: value + random.next() * 3, error, errorKind: "timeout", limit };
    }
    case "cancelled":
      return { status: "cancelled", runMs: runMs / 2, error: "Cancelled by the caller", errorKind: "cancelled" };
  }
}
