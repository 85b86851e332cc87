import type { AppContext } from "../contract/app";
import {
  type ChatErrorKind,
  type ChatMessage,
  type ChatUsage,
  type FinishReason,
  type FunctionResultContent,
  formatArguments,
  readMessageText,
} from "../contract/chat";
import type { ExecutionStatus } from "../contract/envelope";
import type { RunEvent, RunEventBody, RunEventPart, RunNotice, RunStatus } from "../contract/run";
import { FigureSum, isTakenOver, NO_PARENT, type RunFigures, type RunOrigin } from "./run-figures";
import { addUsage } from "./usage";

/** A turn of a run with its model responses and calls, for display. */
export interface RunTurn {
  /** Index of its first event. */
  key: number;
  /** Number of its events; together with `key` it shows whether the turn changed. */
  eventCount: number;
  startedAt: number;
  /** Null if the log does not start with a message. */
  message: ChatMessage | null;
  messageCut: CutPart | null;
  /** The texts that Apps added to the message. */
  appContext: readonly AppContext[];
  items: TurnItem[];
  /** Null while the turn is active. */
  end: TurnEnd | null;
  /** Totals of its model calls, without those that a rerun took over. */
  usage: ChatUsage;
  figures: RunFigures;
  /** Some of its steps, or all of it, belong to the run that a rerun repeats. */
  takenOver: "no" | "some" | "all";
}

export interface TurnEnd {
  status: Extract<RunEventBody, { type: "turn_ended" }>["status"] & RunStatus;
  error: string | null;
  at: number;
}

export type TurnItem =
  | { kind: "step"; key: string; step: RunStep }
  | NoticeItem
  /** Resumed after its end, or after the process died (`end` is null). */
  | { kind: "resumed"; key: string; at: number; end: TurnEnd | null };

/** One request to the model and the calls it asked for. */
export interface RunStep {
  step: number;
  iteration: number;
  model: string;
  toolChoice: string;
  toolCount: number;
  startedAt: number;
  /** Null while the response is streaming. */
  answer: StepAnswer | null;
  failure: { errorKind: ChatErrorKind; error: string; durationMs: number } | null;
  calls: RunCall[];
}

export interface StepAnswer {
  text: string;
  textCut: CutPart | null;
  reasoning: string;
  reasoningCut: CutPart | null;
  finishReason: FinishReason;
  finishDetail: string | null;
  usage: ChatUsage | null;
  firstTokenMs: number | null;
  durationMs: number;
  partial: boolean;
}

/** A text that was cut to its start. */
export interface CutPart {
  /** The index of the event with the whole text. */
  index: number;
  part: RunEventPart;
  /** The length of the whole text. */
  chars: number;
}

export interface RunCall {
  callId: string;
  name: string;
  /** JSON text: of an executed call the arguments that ran, otherwise what the model wrote. */
  argumentsText: string;
  /** The cut of the arguments that ran, which may be edited. */
  argumentsCut: CutPart | null;
  resultCut: CutPart | null;
  /** `asked`: requested by the model, not started. */
  status: ExecutionStatus | "requested";
  executionId: string | null;
  startedAt: number | null;
  finishedAt: number | null;
  durationMs: number | null;
  /** Approval was requested. */
  approval: boolean;
  recorded: boolean;
  result: FunctionResultContent | null;
}

/** Turns of a run's log in order. Unknown events are ignored. */
export function buildTurns(events: readonly RunEvent[], origin: RunOrigin = NO_PARENT): RunTurn[] {
  const turns: RunTurn[] = [];
  let sum = new FigureSum();
  for (const event of events) {
    const own = !isTakenOver(event, origin);
    let turn = turns.at(-1);
    if (turn === undefined || event.type === "user_message") {
      sum = new FigureSum();
      turn = emptyTurn(event, sum.figures, own ? "no" : "all");
      turns.push(turn);
    }
    turn.eventCount += 1;
    if (own) sum.add(event);
    if (own && turn.takenOver === "all") turn.takenOver = turn.items.length > 0 ? "some" : "no";
    addEvent(turn, event, own);
  }
  return turns;
}

function emptyTurn({ index, at }: RunEvent, figures: RunFigures, takenOver: RunTurn["takenOver"]): RunTurn {
  return {
    key: index,
    eventCount: 0,
    startedAt: at,
    message: null,
    messageCut: null,
    appContext: [],
    items: [],
    end: null,
    usage: { inputTokens: 0, outputTokens: 0 },
    figures,
    takenOver,
  };
}

function addEvent(turn: RunTurn, event: RunEvent, own: boolean): void {
  switch (event.type) {
    case "user_message":
      turn.message = event.message;
      turn.messageCut = toCut(event, "text");
      turn.appContext = event.appContext ?? [];
      return;
    case "model_started":
      turn.items.push({ kind: "step", key: `s${event.index}`, step: startedStep(event) });
      return;
    case "model_finished":
      finishStep(turn, event);
      if (own && event.usage) turn.usage = addUsage(turn.usage, event.usage);
      return;
    case "model_failed": {
      const { errorKind, error, durationMs } = event;
      openStep(turn, event).failure = { errorKind, error, durationMs };
      return;
    }
    case "tool_started":
    case "tool_finished":
      addToCall(turn, event);
      return;
    case "approval_requested":
    case "approval_granted":
      Object.assign(getCall(openStep(turn, event), event), APPROVAL[event.type]);
      return;
    case "notice":
      addNotice(turn.items, event);
      return;
    case "turn_ended":
      turn.end = { status: event.status, error: event.error, at: event.at };
      return;
    case "resumed":
      turn.items.push({ kind: "resumed", key: `r${event.index}`, at: event.at, end: turn.end });
      turn.end = null;
      return;
  }
}

const APPROVAL = {
  approval_requested: { approval: true, status: "waiting" },
  approval_granted: { approval: true, status: "running" },
} as const;

type Of<T extends RunEventBody["type"]> = Extract<RunEvent, { type: T }>;

type Started = Pick<Of<"model_started">, "step" | "iteration" | "model" | "toolChoice" | "toolCount" | "at">;

function startedStep({ step, iteration, model, toolChoice, toolCount, at }: Started): RunStep {
  return { step, iteration, model, toolChoice, toolCount, startedAt: at, answer: null, failure: null, calls: [] };
}

/** The step of an event; created if the log starts in the middle of one. */
function openStep(turn: RunTurn, event: { step: number; index: number; at: number }): RunStep {
  const found = turn.items.findLast((item) => item.kind === "step" && item.step.step === event.step);
  if (found?.kind === "step") return found.step;
  const { step, at } = event;
  const missing = startedStep({ step, at, iteration: 1, model: "", toolChoice: "auto", toolCount: 0 });
  turn.items.push({ kind: "step", key: `s${event.index}`, step: missing });
  return missing;
}

function finishStep(turn: RunTurn, event: Of<"model_finished">): void {
  const step = openStep(turn, event);
  const { message, finishReason, usage } = event;
  step.answer = {
    text: readMessageText(message),
    reasoning: readReasoningText(message),
    textCut: toCut(event, "text"),
    reasoningCut: toCut(event, "reasoning"),
    finishReason,
    finishDetail: event.finishDetail ?? null,
    usage: usage ?? null,
    firstTokenMs: event.firstTokenMs,
    durationMs: event.durationMs,
    partial: event.partial ?? false,
  };
  if (event.model !== undefined) step.model = event.model;
  for (const content of message.contents) {
    if (content.type !== "function_call") continue;
    const { callId, name } = content;
    const argumentsText = formatArguments(content);
    const call = getCall(step, { callId, name });
    Object.assign(call, { argumentsText, argumentsCut: toCut(event, `arguments:${callId}`) });
  }
}

/** A step may have thousands of calls. */
const callsById = new WeakMap<RunStep, Map<string, RunCall>>();

function getCall(step: RunStep, { callId, name }: { callId: string; name: string }): RunCall {
  const known = callsById.get(step) ?? new Map<string, RunCall>();
  callsById.set(step, known);
  const found = known.get(callId);
  if (found) return found;
  const call: RunCall = {
    status: "requested",
    callId,
    name,
    argumentsText: "",
    argumentsCut: null,
    resultCut: null,
    executionId: null,
    startedAt: null,
    finishedAt: null,
    durationMs: null,
    approval: false,
    recorded: false,
    result: null,
  };
  step.calls.push(call);
  known.set(callId, call);
  return call;
}

function addToCall(turn: RunTurn, event: Of<"tool_started"> | Of<"tool_finished">): void {
  const call = getCall(openStep(turn, event), event);
  if (event.type === "tool_started") {
    call.argumentsText = event.argumentsText;
    call.argumentsCut = toCut(event, "arguments");
    call.executionId = event.executionId;
    call.startedAt = event.at;
    call.approval = event.approval ?? false;
    call.status = call.approval ? "waiting" : "running";
    // A call that runs again after its run was resumed has no end yet.
    call.finishedAt = null;
    call.result = null;
    call.resultCut = null;
    return;
  }
  call.status = event.status;
  call.executionId = event.executionId ?? call.executionId;
  call.finishedAt = event.at;
  call.durationMs = event.durationMs;
  call.result = event.result;
  call.resultCut = toCut(event, "result");
  if (event.result.editedArguments !== undefined) call.argumentsCut = toCut(event, "editedArguments");
  call.recorded = event.recorded ?? false;
}

export function readReasoningText({ contents }: ChatMessage): string {
  return contents.flatMap((content) => (content.type === "reasoning" ? [content.text] : [])).join("\n");
}

function toCut({ index, cut }: RunEvent, part: RunEventPart): CutPart | null {
  const chars = cut?.[part];
  return chars === undefined ? null : { index, part, chars };
}

interface NoticeItem {
  kind: "notice";
  key: string;
  notice: RunNotice;
  text: string;
  /** Consecutive repetitions. */
  count: number;
}

interface OtherItem {
  kind: "step" | "resumed";
}

/** A notice that repeats the last item only raises its count. */
function addNotice(items: (NoticeItem | OtherItem)[], event: RunEvent & { type: "notice" }): void {
  const { index, notice, text } = event;
  const last = items.at(-1);
  if (last?.kind === "notice" && last.notice === notice && last.text === text) last.count += 1;
  else items.push({ kind: "notice", key: `n${index}`, notice, text, count: 1 });
}
