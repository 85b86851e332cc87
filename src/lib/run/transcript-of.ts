import type { ChatErrorKind, ChatMessage, ChatUsage, FinishReason, FunctionResultContent } from "../contract/chat";
import type { ExecutionStatus } from "../contract/envelope";
import type { RunEvent, RunEventBody, RunNotice, RunStatus } from "../contract/run";

/** A run as a person reads it: turns, each with what the model said and called. */
export interface RunTurn {
  /** Index of the event that began it. */
  key: number;
  /** How many events it is made of: with `key` it tells whether anything changed. */
  eventCount: number;
  startedAt: number;
  /** Null in a log that does not begin with a message. */
  message: ChatMessage | null;
  items: TurnItem[];
  /** Null while it goes on. */
  end: TurnEnd | null;
  /** Sums of its model calls. */
  usage: ChatUsage;
  modelCalls: number;
  toolCalls: number;
}

export interface TurnEnd {
  status: EndStatus;
  error: string | null;
  at: number;
}

type EndStatus = Extract<RunEventBody, { type: "turn_ended" }>["status"] & RunStatus;

export type TurnItem =
  | { kind: "step"; key: string; step: RunStep }
  | { kind: "notice"; key: string; notice: RunNotice; text: string }
  /** It had ended, or its process had died (`end` null), and was resumed. */
  | { kind: "resumed"; key: string; at: number; end: TurnEnd | null };

/** One request to the model and the calls it asked for. */
export interface RunStep {
  step: number;
  iteration: number;
  model: string;
  toolChoice: string;
  toolCount: number;
  startedAt: number;
  /** Null while the model is answering. */
  answer: StepAnswer | null;
  failure: { errorKind: ChatErrorKind; error: string; durationMs: number } | null;
  calls: RunCall[];
}

export interface StepAnswer {
  text: string;
  reasoning: string;
  finishReason: FinishReason;
  finishDetail: string | null;
  usage: ChatUsage | null;
  firstTokenMs: number | null;
  durationMs: number;
  partial: boolean;
}

export interface RunCall {
  callId: string;
  name: string;
  /** JSON text as the model wrote it; of an executed call as it was executed. */
  argumentsText: string;
  /** `asked`: the model asked for it, nothing has begun. */
  status: ExecutionStatus | "asked";
  executionId: string | null;
  startedAt: number | null;
  finishedAt: number | null;
  durationMs: number | null;
  /** A person is, or was, asked first. */
  approval: boolean;
  recorded: boolean;
  result: FunctionResultContent | null;
}

/** Turns of a run's log in order. What the log does not hold yet is null; unknown events are left out. */
export function transcriptOf(events: readonly RunEvent[]): RunTurn[] {
  const turns: RunTurn[] = [];
  for (const event of events) {
    let turn = turns.at(-1);
    if (turn === undefined || event.type === "user_message") {
      turn = emptyTurn(event);
      turns.push(turn);
    }
    turn.eventCount += 1;
    addEvent(turn, event);
  }
  return turns;
}

function emptyTurn({ index, at }: RunEvent): RunTurn {
  return {
    key: index,
    eventCount: 0,
    startedAt: at,
    message: null,
    items: [],
    end: null,
    usage: { inputTokens: 0, outputTokens: 0 },
    modelCalls: 0,
    toolCalls: 0,
  };
}

function addEvent(turn: RunTurn, event: RunEvent): void {
  switch (event.type) {
    case "user_message":
      turn.message = event.message;
      return;
    case "model_started":
      turn.modelCalls += 1;
      turn.items.push({ kind: "step", key: `s${event.index}`, step: startedStep(event) });
      return;
    case "model_finished":
      finishStep(turn, event);
      return;
    case "model_failed": {
      const { errorKind, error, durationMs } = event;
      stepOf(turn, event).failure = { errorKind, error, durationMs };
      return;
    }
    case "tool_started":
    case "tool_finished":
      addToCall(turn, event);
      return;
    case "notice":
      turn.items.push({ kind: "notice", key: `n${event.index}`, notice: event.notice, text: event.text });
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

type Of<T extends RunEventBody["type"]> = Extract<RunEvent, { type: T }>;

function startedStep({ step, iteration, model, toolChoice, toolCount, at }: Of<"model_started">): RunStep {
  return { step, iteration, model, toolChoice, toolCount, startedAt: at, answer: null, failure: null, calls: [] };
}

/** The step an event belongs to; made where the log begins in the middle of one. */
function stepOf(turn: RunTurn, event: { step: number; index: number; at: number }): RunStep {
  for (const item of turn.items.toReversed()) {
    if (item.kind === "step" && item.step.step === event.step) return item.step;
  }
  const { step, at } = event;
  const missing: RunStep = {
    step,
    iteration: 1,
    model: "",
    toolChoice: "auto",
    toolCount: 0,
    startedAt: at,
    answer: null,
    failure: null,
    calls: [],
  };
  turn.items.push({ kind: "step", key: `s${event.index}`, step: missing });
  return missing;
}

function finishStep(turn: RunTurn, event: Of<"model_finished">): void {
  const step = stepOf(turn, event);
  const { message, finishReason, usage } = event;
  const textOf = (type: "text" | "reasoning") =>
    message.contents
      .flatMap((content) => (content.type === type ? [content.text] : []))
      .join(type === "text" ? "" : "\n");
  step.answer = {
    text: textOf("text"),
    reasoning: textOf("reasoning"),
    finishReason,
    finishDetail: event.finishDetail ?? null,
    usage: usage ?? null,
    firstTokenMs: event.firstTokenMs,
    durationMs: event.durationMs,
    partial: event.partial ?? false,
  };
  if (event.model !== undefined) step.model = event.model;
  if (usage) turn.usage = addUsage(turn.usage, usage);
  for (const content of message.contents) {
    if (content.type !== "function_call") continue;
    const { callId, name } = content;
    const argumentsText = typeof content.arguments === "string" ? content.arguments : JSON.stringify(content.arguments);
    callOf(turn, step, { callId, name }).argumentsText = argumentsText;
  }
}

function callOf(turn: RunTurn, step: RunStep, { callId, name }: { callId: string; name: string }): RunCall {
  const known = step.calls.find((call) => call.callId === callId);
  if (known) return known;
  const call: RunCall = {
    callId,
    name,
    argumentsText: "",
    status: "asked",
    executionId: null,
    startedAt: null,
    finishedAt: null,
    durationMs: null,
    approval: false,
    recorded: false,
    result: null,
  };
  step.calls.push(call);
  turn.toolCalls += 1;
  return call;
}

function addToCall(turn: RunTurn, event: Of<"tool_started"> | Of<"tool_finished">): void {
  const call = callOf(turn, stepOf(turn, event), event);
  if (event.type === "tool_started") {
    call.argumentsText = event.argumentsText;
    call.executionId = event.executionId;
    call.startedAt = event.at;
    call.approval = event.approval;
    call.status = event.approval ? "waiting" : "running";
    // A call that is run again after its run was resumed has no end yet.
    call.finishedAt = null;
    call.result = null;
    return;
  }
  call.status = event.status;
  call.executionId = event.executionId ?? call.executionId;
  call.finishedAt = event.at;
  call.durationMs = event.durationMs;
  call.result = event.result;
  call.recorded = event.recorded ?? false;
}

/** Both together; what neither counted stays absent. */
export function addUsage(a: ChatUsage, b: ChatUsage): ChatUsage {
  const cached = sum(a.cachedInputTokens, b.cachedInputTokens);
  const reasoning = sum(a.reasoningTokens, b.reasoningTokens);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
