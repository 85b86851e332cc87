import type { RunDetail, RunEvent, RunEventPart, RunSummary } from "@/lib/contract/run";
import { createRunReader } from "@/server/features/runs/run-details";

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
    activeSince: null,
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
    eventCount: events.length,
    partial: null,
    resumable: false,
    children: [],
    takenOver: null,
    ...part,
  };
}

/** The procedures that read a run's log piece by piece, as the server answers them. */
export function runReading(log: () => readonly RunEvent[]) {
  const none = { events: async () => [], readBackwards: async () => undefined, event: async () => null };
  const reader = createRunReader({ store: none, live: log });
  return {
    "runs.events": ({ id, before }: { id: string; before: number }) => reader.page(id, before),
    "runs.payload": (input: { id: string; index: number; part: RunEventPart; offset: number }) =>
      reader.payload(input.id, input.index, input.part, input.offset),
    "runs.messages": ({ id, step, offset }: { id: string; step: number; offset: number }) =>
      reader.messages(id, step, offset),
  };
}
