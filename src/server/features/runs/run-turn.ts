import {
  type ChatMessage,
  type ChatResponse,
  type FinishReason,
  type FunctionResultContent,
  formatArguments,
  listCalls,
  readMessageText,
  type ToolChoice,
} from "../../../lib/contract/chat";
import type { RunEvent } from "../../../lib/contract/run";
import { getMessage } from "../../../lib/get-message";
import { buildMessages, RESPONSE_TOO_LARGE } from "../../../lib/run/build-messages";
import { type ChatClient, ChatClientError } from "../../engine/agent/chat-ports";
import {
  type FunctionInvocationOptions,
  type InvocationUpdate,
  type InvokingChatOptions,
  withFunctionInvocation,
} from "../../engine/agent/function-invoking-client";
import { pendingBatch } from "../../engine/agent/invocation-batch";
import { isServerStopping } from "../../engine/failures";
import type { Clock, Logger } from "../../engine/ports";
import { finishedCall } from "./execution-result";
import type { LiveRun } from "./live-run";

export interface TurnPorts {
  client: ChatClient;
  clock: Clock;
  logger: Logger;
  invocation: FunctionInvocationOptions;
  /** The options except messages, which come from the log. */
  options: Omit<InvokingChatOptions, "invocation" | "signal">;
  /** The address of the model's service. */
  endpoint: string;
  /** Tools that one request may offer, as the provider documents it; null where it documents no number. */
  maxTools: number | null;
  /** Fires when this process ends. */
  stopped: AbortSignal;
  /** Leaves the run to another instance of the server where this one stops; null where it is interrupted. */
  handOver: (() => Promise<void>) | null;
  /** Restores media whose data the log left out. */
  hydrate: (result: FunctionResultContent) => Promise<FunctionResultContent>;
}

interface Timing {
  began: number;
  firstAt: number | null;
}

/**
 * Runs the model from the end of the run's log until its turn is over and appends every event in order. A response is
 * durable before its calls run. Never rejects.
 */
export async function runTurn(run: LiveRun, ports: TurnPorts): Promise<void> {
  const timing: Timing = { began: ports.clock.elapsed(), firstAt: null };
  try {
    await endTurn(run, await askModel(run, ports, timing), ports);
  } catch (error) {
    await failTurn(run, error, timing, ports);
  }
  await run.settled();
}

/** Sends the whole conversation once more when the provider no longer holds it. */
async function askModel(run: LiveRun, ports: TurnPorts, timing: Timing): Promise<ChatResponse | null> {
  const { step } = run;
  const held = await getChatState(run.events, ports.endpoint, ports.hydrate);
  try {
    return await streamResponse(run, held, ports, timing);
  } catch (error) {
    const lost = error instanceof ChatClientError && (error.kind === "not_found" || error.kind === "bad_request");
    if (held.conversationId === undefined || !lost || run.step !== step + 1) throw error;
    const text = "The provider no longer holds this conversation; all of it is sent again";
    run.response.restart(run.step, text);
    void run.append({ type: "notice", step: run.step, notice: "retry", text });
    return await streamResponse(run, await getChatState(run.events, null, ports.hydrate), ports, timing);
  }
}

async function streamResponse(
  run: LiveRun,
  { messages, conversationId }: ChatState,
  ports: TurnPorts,
  timing: Timing,
): Promise<ChatResponse | null> {
  const updates = withFunctionInvocation(ports.client).getStreamingResponse(messages, {
    ...ports.options,
    conversationId,
    signal: run.model.signal,
    invocation: ports.invocation,
  });
  let response: ChatResponse | null = null;
  for await (const update of updates) {
    await write(run, update, timing, ports);
    if (run.fault !== null) throw run.fault;
    if (update.type === "response") response = update.response;
  }
  return response;
}

/** Returns a promise for events that have to be durable before the loop continues. */
function write(run: LiveRun, update: InvocationUpdate, timing: Timing, ports: TurnPorts): Promise<void> | undefined {
  const now = ports.clock.elapsed();
  switch (update.type) {
    case "text":
    case "reasoning":
      timing.firstAt ??= now;
      run.response.addText(update.type, update.text);
      return;
    case "call_delta":
      timing.firstAt ??= now;
      run.response.addCall(update.callId, update.name, update.argumentsDelta);
      return;
    case "retry":
      run.response.restart(run.step, update.reason);
      void run.append({ type: "notice", step: run.step, notice: "retry", text: update.reason });
      return;
    case "model_started": {
      Object.assign(timing, { began: now, firstAt: null });
      const { iteration, toolChoice, toolCount } = update;
      const { provider, model } = run.settings;
      const { endpoint, maxTools } = ports;
      const asked = { iteration, toolChoice: nameOfChoice(toolChoice), toolCount, provider, model, endpoint };
      void run.append({ type: "model_started", step: run.step + 1, ...asked });
      if (iteration === 1 && maxTools !== null && toolCount > maxTools) noteTools(run, toolCount, maxTools);
      return;
    }
    case "model_finished": {
      const { finishReason, finishDetail, usage, conversationId, model } = update.response;
      run.answer = run.append({
        type: "model_finished",
        step: run.step,
        message: update.message,
        finishReason,
        finishDetail,
        usage,
        conversationId,
        model,
        ...toDurations(timing, now),
      });
      // Its calls are recorded in the same commit, and wait for it.
      return finishReason === "tool_calls" ? undefined : run.answer;
    }
    case "call_started": {
      const { call, executionId } = update;
      const { callId, name } = call;
      const started = { type: "tool_started", step: run.step, callId, name } as const;
      void run.append({ ...started, argumentsText: formatArguments(call), executionId: executionId ?? "" });
      return;
    }
    case "call_finished": {
      const { result, recorded } = update;
      // The server ended the call: its execution has the result when the run is resumed.
      if (isServerStopping(run.model.signal.reason) && result.exception?.kind === "interrupted") return;
      void run.append(finishedCall(run.step, result, recorded));
      return;
    }
    case "notice":
      void run.append({ type: "notice", step: run.step, notice: update.notice, text: update.text });
      return;
    case "approval_requested":
    case "tool_message":
    case "response":
      return;
  }
}

function noteTools(run: LiveRun, toolCount: number, maxTools: number): void {
  const text = `This request offers ${toolCount} tools. The provider documents a limit of ${maxTools} per request and may reject it. Choose fewer tools.`;
  void run.append({ type: "notice", step: run.step, notice: "too_many_tools", text });
}

function toDurations({ began, firstAt }: Timing, now: number): { firstTokenMs: number | null; durationMs: number } {
  return { firstTokenMs: firstAt === null ? null : Math.round(firstAt - began), durationMs: Math.round(now - began) };
}

function nameOfChoice(choice: ToolChoice): string {
  return typeof choice === "string" ? choice : choice.name;
}

const EARLY_ENDS: Partial<Record<FinishReason, string>> = {
  length: "The response was cut off at the token limit",
  refusal: "The model refused to answer",
  context_length: "The conversation exceeds the model's context window",
  other: "The model stopped for a provider-specific reason",
};

/** A cut response without text is a failure; a cut response with text gets a notice. */
async function endTurn(run: LiveRun, response: ChatResponse | null, { stopped }: TurnPorts): Promise<void> {
  const last = response?.messages.at(-1);
  const silent = last?.role !== "assistant" || readMessageText(last).trim() === "";
  const early = response === null ? undefined : EARLY_ENDS[response.finishReason];
  const detail = response?.finishDetail === undefined ? "" : ` (${response.finishDetail})`;
  if (early !== undefined && response?.finishReason !== "refusal" && silent) {
    await run.end("failed", `${early}${detail}`, stopped);
    return;
  }
  if (early !== undefined) {
    void run.append({ type: "notice", step: run.step, notice: "ended_early", text: `${early}${detail}` });
  } else if (silent) {
    const text = "The model returned an empty response";
    void run.append({ type: "notice", step: run.step, notice: "ended_early", text });
  }
  await run.end("succeeded", null, stopped);
}

async function failTurn(run: LiveRun, error: unknown, timing: Timing, ports: TurnPorts): Promise<void> {
  const { reason } = run.model.signal;
  const { clock, logger, stopped, handOver } = ports;
  if (run.isTakenOver) return;
  if (run.fault === null && handOver !== null && isServerStopping(reason)) return await handOver();
  const tooLarge = error instanceof ChatClientError && error.kind === "response_too_large";
  if (run.model.signal.aborted) keepPartial(run, timing, clock.elapsed(), "stopped");
  else if (tooLarge) keepPartial(run, timing, clock.elapsed(), RESPONSE_TOO_LARGE);
  if (run.fault !== null) {
    await run.end("failed", run.fault.message, stopped);
  } else if (isServerStopping(reason)) {
    // A run that waits for approval keeps waiting.
    if (!run.waits) await run.end("interrupted", "The server stopped during this run", stopped);
  } else if (run.model.signal.aborted) {
    await run.end("cancelled", null, stopped);
  } else {
    const known = error instanceof ChatClientError;
    const stack = error instanceof Error ? error.stack : String(error);
    if (known)
      logger.warn({ runId: run.id, error_kind: error.kind, error: getMessage(error) }, "The model request failed");
    else logger.error({ runId: run.id, stack }, "A run failed");
    const said = known ? getMessage(error) : "The run stopped after an internal error. See the server's log";
    if (run.response.value !== null) {
      const errorKind = known ? error.kind : "unexpected";
      const { durationMs } = toDurations(timing, clock.elapsed());
      void run.append({ type: "model_failed", step: run.response.value.step, errorKind, error: said, durationMs });
    }
    await run.end("failed", said, stopped);
  }
}

/** Appends the part of a response that was received before it was stopped or cut off. */
function keepPartial(run: LiveRun, timing: Timing, now: number, finishDetail: string): void {
  const partial = run.response.value;
  if (partial === null || (partial.text === "" && partial.reasoning === "")) return;
  run.response.flush();
  const { step, text, reasoning } = partial;
  const contents = [
    ...(reasoning === "" ? [] : [{ type: "reasoning" as const, text: reasoning }]),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
  ];
  const message = { role: "assistant" as const, contents };
  void run.append({
    type: "model_finished",
    step,
    message,
    finishReason: "other",
    finishDetail,
    partial: true,
    ...toDurations(timing, now),
  });
}

interface ChatState {
  messages: ChatMessage[];
  /** Set where the provider keeps the messages before `messages`. */
  conversationId: string | undefined;
}

/**
 * The messages of the next request: all, or those since the response after which the provider keeps the rest.
 * @param endpoint the target of the request; null: no provider keeps the conversation
 */
async function getChatState(
  events: readonly RunEvent[],
  endpoint: string | null,
  hydrate: (result: FunctionResultContent) => Promise<FunctionResultContent>,
): Promise<ChatState> {
  const { at, conversationId } = heldConversation(events, endpoint);
  const all = withoutUnansweredEnd(buildMessages(conversationId === undefined ? events : events.slice(at)), events);
  // The provider has its answer already; it stays only where its calls have yet to be executed.
  const known = conversationId !== undefined && all[0]?.role === "assistant" && pendingBatch(all) === null;
  const messages = known ? all.slice(1) : all;
  return { messages: await Promise.all(messages.map((message) => withMedia(message, hydrate))), conversationId };
}

/** The conversation that the provider of the last response keeps. No other provider can have it. */
function heldConversation(
  events: readonly RunEvent[],
  endpoint: string | null,
): { at: number; conversationId: string | undefined } {
  const at = events.findLastIndex((event) => event.type === "model_finished" && event.partial !== true);
  const last = events[at];
  const asked = events.slice(0, at).findLast((event) => event.type === "model_started");
  const same = endpoint !== null && asked?.type === "model_started" && asked.endpoint === endpoint;
  return { at, conversationId: same && last?.type === "model_finished" ? last.conversationId : undefined };
}

/**
 * Removes a final response without calls, since models reject a request that ends with their own message. A response that
 * the provider paused stays: it expects it back.
 */
function withoutUnansweredEnd(messages: ChatMessage[], events: readonly RunEvent[]): ChatMessage[] {
  const last = messages.at(-1);
  if (last?.role !== "assistant" || listCalls(last).length > 0) return messages;
  const answer = events.findLast((event) => event.type === "model_finished");
  const paused = answer?.type === "model_finished" && answer.finishReason === "pause";
  return paused ? messages : messages.slice(0, -1);
}

async function withMedia(
  message: ChatMessage,
  hydrate: (result: FunctionResultContent) => Promise<FunctionResultContent>,
): Promise<ChatMessage> {
  if (message.role !== "tool") return message;
  const contents = await Promise.all(
    message.contents.map((content) =>
      content.type === "function_result" && content.items !== undefined ? hydrate(content) : content,
    ),
  );
  return { ...message, contents };
}
