import path from "node:path";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { Clock, ExecutionEnd, ExecutionStart } from "../../engine/ports";

/** Calls as the executor records them, for tests of the logbook. */
export const WEATHER: ToolDefinition = {
  name: "get_weather",
  description: "Current weather of a place",
  type: "function",
  handler: "weather",
  parameters: { type: "object", properties: { location: { type: "string" } }, required: ["location"] },
  implementation: { type: "mock", mock_response: { temperature: 17 } },
};

/** The thread of the search index, for tests of searches on SQLite. */
export const INDEX_WORKER = path.join(import.meta.dirname, "db/text-index-worker.mjs");

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

let lastId = 0;

export function aStart(changes: Partial<ExecutionStart> = {}): ExecutionStart {
  lastId += 1;
  return {
    id: `exec_${process.pid}x${lastId}`,
    toolName: "get_weather",
    definition: WEATHER,
    implementationType: "mock",
    source: "console",
    actor: { id: "local-owner", name: "Local owner" },
    client: null,
    protocol: null,
    serverName: null,
    argumentsText: '{"location":"Wellington"}',
    queuedAt: Date.now(),
    validateMs: 0.04,
    timeoutMs: 30_000,
    validationSkipped: false,
    parentId: null,
    runId: null,
    callId: null,
    ...changes,
  };
}

export function anEnd(start: ExecutionStart, changes: Partial<ExecutionEnd> = {}): ExecutionEnd {
  const resultText = '{"temperature":17}';
  return {
    id: start.id,
    status: "succeeded",
    resultText,
    resultTruncated: false,
    resultBytes: resultText.length,
    storedBytes: resultText.length,
    modelChars: resultText.length,
    resultChars: resultText.length,
    error: null,
    errorKind: null,
    faults: null,
    limit: null,
    credential: null,
    startedAt: start.queuedAt + 1,
    finishedAt: start.queuedAt + 3,
    executionTimeMs: 1.25,
    recordMs: 0.3,
    runMs: 1.2,
    logs: null,
    ...changes,
  };
}
