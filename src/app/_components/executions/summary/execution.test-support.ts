import type { ExecutionDetail, ExecutionSummary } from "@/lib/contract";

/** A call that succeeded, and whatever the test is about. */
export function executionDetail(part: Partial<ExecutionDetail> = {}): ExecutionDetail {
  return {
    seq: 1,
    id: "exec_aaaaaaaa1",
    toolName: "get_weather",
    implementationType: "mock",
    status: "succeeded",
    source: "console",
    actor: { id: "local-owner", name: "Local owner" },
    client: null,
    argumentsPreview: '{"location":"Oslo"}',
    errorPreview: null,
    errorKind: null,
    executionTimeMs: 0.41,
    queuedAt: 1_790_000_000_000,
    finishedAt: 1_790_000_000_001,
    resultBytes: 18,
    parentId: null,
    runId: null,
    pinned: false,
    argumentsText: '{"location":"Oslo"}',
    resultText: '{"temperature":22}',
    resultTruncated: false,
    storedBytes: 18,
    error: null,
    faults: [],
    limit: null,
    startedAt: 1_790_000_000_000,
    timing: { validateMs: 0.06, recordMs: 0.23, runMs: 0.12 },
    timeoutMs: 30_000,
    validationSkipped: false,
    definition: {
      name: "get_weather",
      description: "Get current weather for a location.",
      type: "function",
      handler: "weather",
      parameters: {
        type: "object",
        properties: { location: { type: "string", description: "City name" } },
        required: ["location"],
      },
      implementation: { type: "mock", mock_response: { temperature: 22 } },
    },
    definitionHash: "9f2c41aa00112233",
    definitionChanged: false,
    logs: [],
    modelView: { text: '{"temperature":22}', sentChars: 18, totalChars: 18, truncated: false, maxChars: 20_000 },
    callId: null,
    serverName: null,
    approval: null,
    parent: null,
    children: [],
    ...part,
  };
}

/** A row of the list. */
export function executionSummary(part: Partial<ExecutionSummary> = {}): ExecutionSummary {
  const { seq, id, toolName, implementationType, status, source, actor, client, argumentsPreview } = executionDetail();
  return {
    seq,
    id,
    toolName,
    implementationType,
    status,
    source,
    actor,
    client,
    argumentsPreview,
    errorPreview: null,
    errorKind: null,
    executionTimeMs: 0.41,
    queuedAt: 1_790_000_000_000,
    finishedAt: 1_790_000_000_001,
    resultBytes: 18,
    parentId: null,
    runId: null,
    pinned: false,
    ...part,
  };
}
