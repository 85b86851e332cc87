import type { ExecutionStatus } from "@/lib/contract/envelope";
import type { LiveEvent } from "@/lib/contract/live-event";
import type { RunDetail, RunEvent, RunPartial, RunStatus } from "@/lib/contract/run";

/** The model's partial response; the log has the response once it is complete. */
export interface LiveAnswer extends RunPartial {
  /** The reason for the repeated request; the earlier partial response is void. */
  retried: string | null;
}

/** The state of a run on a page: what was read, and the live events since. */
export interface RunState {
  detail: RunDetail;
  /** The end of the log as far as it is known, without gaps; older events are read on request. */
  events: readonly RunEvent[];
  live: LiveAnswer | null;
  /** States of calls that changed between their beginning and their end: a user said yes. */
  executions: ReadonlyMap<string, ExecutionStatus>;
  /** Something was missed: read the run again. */
  stale: boolean;
}

/** Merges what was read with the known state: a page receives events before and after it reads. */
export function readRun(state: RunState | null, detail: RunDetail): RunState {
  const events = joinEvents(state?.events ?? [], detail.events);
  const overtaken = nextIndex(events) > nextIndex(detail.events);
  return {
    // A reading that the events have overtaken must not bring an old state back.
    detail: state && overtaken ? { ...detail, status: state.detail.status } : detail,
    events,
    live: pickLive(state?.live ?? null, detail.partial, settledStep(events)),
    executions: state?.executions ?? new Map(),
    stale: false,
  };
}

/** Returns the known and the read events in order. Where events between them are missing, only those that were read. */
function joinEvents(known: readonly RunEvent[], read: readonly RunEvent[]): readonly RunEvent[] {
  const [first] = read;
  if (first === undefined || known.length === 0) return known.length === 0 ? read : known;
  if (first.index > nextIndex(known)) return read;
  const before = known.filter(({ index }) => index < first.index);
  const after = known.filter(({ index }) => index >= nextIndex(read));
  return before.length === 0 && after.length === 0 ? read : [...before, ...read, ...after];
}

/** The state with older events before those that it has. */
export function readOlder(state: RunState, older: readonly RunEvent[]): RunState {
  const first = firstIndex(state.events);
  const fresh = older.filter(({ index }) => index < first);
  if (fresh.length === 0 || nextIndex(fresh) !== first) return state;
  return { ...state, events: [...fresh, ...state.events] };
}

/** The number of events before the loaded ones. */
export const firstIndex = (events: readonly RunEvent[]): number => events[0]?.index ?? 0;

const nextIndex = (events: readonly RunEvent[]): number => (events.at(-1)?.index ?? -1) + 1;

/**
 * The state after live events; returns the same object where none of them matters. Applying an event twice changes
 * nothing.
 */
export function hearRun(state: RunState, heard: readonly LiveEvent[]): RunState {
  return heard.reduce(hearOne, state);
}

function hearOne(state: RunState, event: LiveEvent): RunState {
  const { id } = state.detail;
  switch (event.type) {
    case "run":
      return event.run.id === id ? withStatus(state, event.run.status) : state;
    case "execution":
      return hearExecution(state, event.execution.id, event.execution.status);
    case "run_event":
      return event.runId === id ? hearEvent(state, event.event) : state;
    case "run_text":
    case "run_reasoning":
    case "run_call":
      return event.runId === id ? hearPiece(state, event) : state;
    case "run_retry": {
      if (event.runId !== id || event.step <= settledStep(state.events)) return state;
      return { ...state, live: { ...emptyAnswer(event.step), retried: event.reason } };
    }
    default:
      return state;
  }
}

function hearEvent(state: RunState, event: RunEvent): RunState {
  const next = nextIndex(state.events);
  if (event.index < next) return state;
  if (event.index > next) return state.stale ? state : { ...state, stale: true };
  const events = [...state.events, event];
  const settled = settledStep(events);
  const after: RunState = { ...state, events, live: state.live && state.live.step > settled ? state.live : null };
  if (event.type === "turn_ended") return { ...withStatus(after, event.status), live: null };
  if (event.type === "user_message" || event.type === "resumed") return withStatus(after, "running");
  return after;
}

function withStatus(state: RunState, status: RunStatus): RunState {
  return state.detail.status === status ? state : { ...state, detail: { ...state.detail, status } };
}

function hearExecution(state: RunState, executionId: string, status: ExecutionStatus): RunState {
  if (state.executions.get(executionId) === status) return state;
  const mine = state.events.some((event) => event.type === "tool_started" && event.executionId === executionId);
  return mine ? { ...state, executions: new Map(state.executions).set(executionId, status) } : state;
}

type Piece = Extract<LiveEvent, { type: "run_text" | "run_reasoning" | "run_call" }>;

function hearPiece(state: RunState, piece: Piece): RunState {
  if (piece.step <= settledStep(state.events)) return state;
  if (state.live && piece.step < state.live.step) return state;
  const live = state.live?.step === piece.step ? state.live : emptyAnswer(piece.step);
  const next = addPiece(live, piece);
  // The beginning of the response did not arrive live: the server's next answer has it.
  if (next === null) return { ...state, live, stale: true };
  return next === state.live ? state : { ...state, live: next };
}

function addPiece(live: LiveAnswer, piece: Piece): LiveAnswer | null {
  if (piece.type === "run_call") {
    const known = live.calls.find((call) => call.callId === piece.callId);
    const from = known?.argumentsFrom ?? 0;
    const argumentsText = placed(known?.argumentsText ?? "", piece.argumentsDelta, piece.offset, from);
    if (argumentsText === null) return null;
    const { callId, name } = piece;
    if (!known) return { ...live, calls: [...live.calls, { callId, name, argumentsText }] };
    if (known.argumentsText === argumentsText) return live;
    return { ...live, calls: live.calls.map((call) => (call === known ? { ...call, argumentsText } : call)) };
  }
  const key = piece.type === "run_text" ? "text" : "reasoning";
  const from = (piece.type === "run_text" ? live.textFrom : live.reasoningFrom) ?? 0;
  const text = placed(live[key], piece.text, piece.offset, from);
  if (text === null) return null;
  return text === live[key] ? live : { ...live, [key]: text };
}

/** `text`, which begins at `from`, with the piece at its place; null where something before it is missing. */
function placed(text: string, piece: string, offset: number | undefined, from: number): string | null {
  if (offset === undefined) return text + piece;
  const at = offset - from;
  if (at > text.length) return null;
  // The piece begins before the kept part of the text.
  if (at < 0) return placed(text, piece.slice(-at), from, from);
  if (text.startsWith(piece, at)) return text;
  return text.slice(0, at) + piece;
}

function emptyAnswer(step: number): LiveAnswer {
  return { step, text: "", reasoning: "", calls: [], retried: null };
}

function pickLive(heard: LiveAnswer | null, read: RunPartial | null, settled: number): LiveAnswer | null {
  const known = heard && heard.step > settled ? heard : null;
  const fresh = read && read.step > settled ? { ...read, retried: null } : null;
  if (!known || !fresh) return known ?? fresh;
  if (known.step !== fresh.step) return known.step > fresh.step ? known : fresh;
  if (
    measureEnd(fresh) !== measureEnd(known) &&
    [fresh, known].some(({ textFrom = 0, reasoningFrom = 0 }) => textFrom + reasoningFrom > 0)
  ) {
    return measureEnd(fresh) > measureEnd(known) ? fresh : known;
  }
  const further =
    fresh.text.startsWith(known.text) &&
    fresh.reasoning.startsWith(known.reasoning) &&
    known.calls.every(({ callId, argumentsText }) =>
      fresh.calls.some((call) => call.callId === callId && call.argumentsText.startsWith(argumentsText)),
    );
  return further ? fresh : known;
}

/** Characters of text and reasoning that were written, those that are not kept included. */
function measureEnd({ text, textFrom = 0, reasoning, reasoningFrom = 0 }: RunPartial): number {
  return textFrom + text.length + reasoningFrom + reasoning.length;
}

/** The last step whose answer is in the log: partial responses of it and of earlier steps are discarded. */
function settledStep(events: readonly RunEvent[]): number {
  const last = events.findLast((event) => event.type === "model_finished" || event.type === "model_failed");
  return last && "step" in last ? last.step : 0;
}

export const isLive = (status: RunStatus): boolean => status === "running" || status === "waiting";
