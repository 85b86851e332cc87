import type { RunDetail, RunEvent, RunSummary } from "@/lib/contract/run";

/** A run that succeeded, and whatever the test is about. */
export function runSummary(part: Partial<RunSummary> = {}): RunSummary {
  return {
    id: "run_aaaaaaaa1",
    seq: 1,
    title: "what is 12*7",
    status: "succeeded",
    source: "agent",
    provider: "demo",
    model: "rules",
    actor: { id: "local-owner", name: "Local owner" },
    startedAt: 1_790_000_000_000,
    finishedAt: 1_790_000_001_000,
    activeMs: 1_000,
    modelCalls: 1,
    toolCalls: 0,
    failedToolCalls: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    cost: null,
    error: null,
    waiting: 0,
    parentId: null,
    parentStep: null,
    transcriptId: null,
    ...part,
  };
}

export function runDetail(events: RunEvent[], part: Partial<RunDetail> = {}): RunDetail {
  return {
    ...runSummary(),
    settings: { provider: "demo", model: "rules", instructions: "", tools: { mode: "all" } },
    events,
    partial: null,
    resumable: false,
    children: [],
    ...part,
  };
}
