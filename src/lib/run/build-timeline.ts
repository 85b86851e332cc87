import type { ExecutionStatus } from "../contract/envelope";
import type { RunEvent, RunEventBody } from "../contract/run";
import { getRunMs, isLateEnd, isTakenOver, NO_PARENT, type RunOrigin } from "./run-figures";

/** A run on a time axis without its idle time. In milliseconds from the start of the run. */
export interface RunTimeline {
  totalMs: number;
  /** A turn, or the part of a turn after it was resumed. */
  segments: { startMs: number; endMs: number; startedAt: number; resumed: boolean }[];
  bars: TimelineBar[];
}

export interface TimelineBar {
  key: string;
  kind: "model" | "tool";
  step: number;
  /** The model, or the tool. */
  label: string;
  status: ExecutionStatus;
  /** The error kind of a tool call without a result. */
  errorKind: string | null;
  startMs: number;
  endMs: number;
  startedAt: number;
  /** The bar has not ended: `endMs` is now. */
  open: boolean;
  /** When the call began to wait for approval, and how long it waited. */
  waitStartMs: number;
  waitMs: number;
  /** A model call's time from the request to the first text or call. */
  firstTokenMs: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  callId: string | null;
  executionId: string | null;
  approval: boolean;
  recorded: boolean;
  /** The duration of an ended call; null where its tool did not run. The bar is longer: it includes recording and waiting. */
  durationMs: number | null;
}

interface Segment {
  from: number;
  to: number;
  resumed: boolean;
}

/**
 * Bars without an end extend to `now`; in a run that is not live (null), to its last event. Events that a rerun took over
 * are no part of its time and are left out.
 */
export function buildTimeline(
  log: readonly RunEvent[],
  now: number | null,
  origin: RunOrigin = NO_PARENT,
): RunTimeline {
  const events = log.filter((event) => !isTakenOver(event, origin));
  const spans = findSegments(events, now);
  const locate = createPositioner(spans);
  const open = new Map<string, TimelineBar>();
  const bars: TimelineBar[] = [];
  const end = spans.at(-1)?.to ?? 0;
  for (const event of events) {
    if (event.type === "model_started" || event.type === "tool_started") {
      const bar = createBar(event, locate(event.at), locate(end));
      bar.open = now !== null;
      open.set(toKey(event), bar);
      bars.push(bar);
    } else if (event.type === "approval_requested" || event.type === "approval_granted") {
      const bar = open.get(toKey(event));
      if (bar) markApproval(bar, event, locate(event.at));
    } else if (event.type === "model_finished" || event.type === "model_failed" || event.type === "tool_finished") {
      let bar = open.get(toKey(event));
      open.delete(toKey(event));
      if (bar === undefined && event.type === "tool_finished") {
        bar = createInstantBar(event, locate(event.at));
        bars.push(bar);
      }
      if (bar) endBar(bar, event, locate(event.at));
    } else if (event.type === "turn_ended" || event.type === "resumed" || event.type === "user_message") {
      closeAll(open, locate(event.at), event.type === "turn_ended" ? event.status : "interrupted");
    }
  }
  if (now === null) closeAll(open, locate(end), "interrupted");
  return {
    totalMs: spans.reduce((sum, { from, to }) => sum + to - from, 0),
    segments: spans.map(({ from, to, resumed }) => {
      const startMs = locate(from);
      return { startMs, endMs: startMs + to - from, startedAt: from, resumed };
    }),
    // A clock may step back.
    bars: bars.sort((one, other) => one.startMs - other.startMs || Number(one.key) - Number(other.key)),
  };
}

function findSegments(events: readonly RunEvent[], now: number | null): Segment[] {
  const spans: Segment[] = [];
  let current: Segment | null = null;
  let ended = false;
  for (const event of events) {
    const { type, at } = event;
    if (current === null || type === "user_message" || type === "resumed") {
      current = { from: at, to: at, resumed: type === "resumed" };
      spans.push(current);
      ended = false;
    }
    // A clock may step back; the axis must not.
    if (!ended && !isLateEnd(event)) current.to = Math.max(current.to, at);
    if (type === "turn_ended") ended = true;
  }
  const last = spans.at(-1);
  if (last && now !== null && !ended) last.to = Math.max(last.to, now);
  return spans;
}

/** Maps an instant to the axis; idle time maps to the end of the segment before it. */
function createPositioner(spans: readonly Segment[]): (at: number) => number {
  return (at) => {
    let passed = 0;
    for (const [position, { from, to }] of spans.entries()) {
      const next = spans[position + 1];
      if (next === undefined || at < next.from) return passed + Math.max(0, Math.min(at, to) - from);
      passed += to - from;
    }
    return passed;
  };
}

type Of<T extends RunEventBody["type"]> = Extract<RunEvent, { type: T }>;
type Started = Of<"model_started"> | Of<"tool_started">;
type Ended = Of<"model_finished"> | Of<"model_failed"> | Of<"tool_finished">;
type Approval = Of<"approval_requested"> | Of<"approval_granted">;

function toKey(event: Started | Ended | Approval): string {
  return "callId" in event ? `${event.step}:${event.callId}` : String(event.step);
}

function createBar(event: Started, startMs: number, endMs: number): TimelineBar {
  const tool = event.type === "tool_started" ? event : null;
  return {
    key: String(event.index),
    kind: tool ? "tool" : "model",
    step: event.step,
    label: event.type === "tool_started" ? event.name : event.model,
    status: tool?.approval ? "waiting" : "running",
    errorKind: null,
    startMs,
    endMs,
    startedAt: event.at,
    open: true,
    waitStartMs: startMs,
    waitMs: tool?.approval ? endMs - startMs : 0,
    firstTokenMs: null,
    inputTokens: null,
    outputTokens: null,
    callId: tool?.callId ?? null,
    executionId: tool?.executionId ?? null,
    approval: tool?.approval ?? false,
    recorded: false,
    durationMs: null,
  };
}

/** A call that never ran, or whose result was taken from another run's log. */
function createInstantBar(event: Of<"tool_finished">, atMs: number): TimelineBar {
  const { index, at, step, name, callId, executionId } = event;
  const started = { type: "tool_started", index, at, step, name, callId, argumentsText: "" } as const;
  return { ...createBar({ ...started, executionId: "" }, atMs, atMs), executionId };
}

/** The bar of a call that waits extends its wait to its end, as far as that is known. */
function markApproval(bar: TimelineBar, { type }: Approval, atMs: number): void {
  bar.approval = true;
  const isRequest = type === "approval_requested";
  bar.status = isRequest ? "waiting" : "running";
  if (isRequest) bar.waitStartMs = Math.max(bar.startMs, atMs);
  bar.waitMs = Math.max(0, (isRequest ? bar.endMs : atMs) - bar.waitStartMs);
}

function endBar(bar: TimelineBar, event: Ended, at: number): void {
  bar.endMs = Math.max(bar.startMs, at);
  bar.open = false;
  bar.durationMs = event.durationMs;
  if (event.type === "tool_finished") {
    endWait(bar, event);
    bar.status = event.status;
    bar.errorKind = event.result.exception?.kind ?? null;
    bar.executionId = event.executionId;
    bar.recorded = event.recorded ?? false;
  } else if (event.type === "model_finished") {
    bar.status = event.partial ? "cancelled" : "succeeded";
    bar.firstTokenMs = event.firstTokenMs;
    bar.inputTokens = event.usage?.inputTokens ?? null;
    bar.outputTokens = event.usage?.outputTokens ?? null;
  } else {
    bar.status = event.errorKind === "aborted" ? "cancelled" : "failed";
  }
}

/** Logs of earlier versions do not say when a call was approved: the time in which its tool did not run passed before. */
function endWait(bar: TimelineBar, event: Of<"tool_finished">): void {
  if (bar.status !== "waiting") return;
  const ranMs = getRunMs(event);
  bar.waitMs = Math.max(0, bar.endMs - bar.waitStartMs - ranMs);
}

/** Bars without an end end with their turn. */
function closeAll(open: Map<string, TimelineBar>, endMs: number, status: ExecutionStatus): void {
  for (const bar of open.values()) {
    bar.endMs = endMs;
    bar.open = false;
    if (bar.status === "waiting") bar.waitMs = Math.max(0, endMs - bar.waitStartMs);
    bar.status = status;
  }
  open.clear();
}
