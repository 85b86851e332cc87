import type {
  ChatContent,
  ChatMessage,
  ChatOptions,
  ChatResponse,
  ChatResponseUpdate,
  ChatUsage,
  FinishReason,
  FunctionCallContent,
} from "../../lib/contract/chat";
import type { JsonObject, JsonValue } from "../../lib/contract/json";
import { ChatClientError, type ModelConnection } from "../engine/agent/chat-ports";
import { inWords } from "./demo-client";
import { readArguments, readArgumentsText } from "./vendor-arguments";
import { abortedError, pause, throwIfAborted } from "./with-retries";

export interface ScriptedCall {
  name: string;
  /** JSON text or an object, as providers differ; `{}` when absent. */
  arguments?: string | JsonObject;
  /** `call_1`, `call_2`, … over the client's life when absent. */
  callId?: string;
  providerData?: JsonValue;
}

/** One answer. What it has is said in this order: retry, reasoning, text, calls; then error, hang or the response. */
export interface ScriptedTurn {
  text?: string;
  /** The pieces that the text comes in, in place of its words; they are the text where `text` is absent. */
  chunks?: readonly string[];
  reasoning?: string;
  calls?: readonly ScriptedCall[];
  /** Put in the message as they are, before text and calls: what a provider wants back. */
  contents?: readonly ChatContent[];
  /** `tool_calls` with calls, else `stop`. */
  finishReason?: FinishReason;
  finishDetail?: string;
  unlistedFinishReason?: string;
  usage?: ChatUsage;
  conversationId?: string;
  model?: string;
  /** Says `text`, then that the request is sent again. */
  retry?: { text?: string; reason: string; delayMs?: number };
  /** Thrown in place of the response, after what was said. */
  error?: ChatClientError;
  /** Waited before every update. */
  delayMs?: number;
  /** Never ends after what it said; only an abort ends it. */
  hang?: boolean;
}

export type ScriptedStep =
  | ScriptedTurn
  | ((messages: readonly ChatMessage[], options: ChatOptions) => ScriptedTurn | Promise<ScriptedTurn>);

export interface ScriptedRequest {
  /** As they were when the request came. */
  messages: ChatMessage[];
  options: ChatOptions;
  streaming: boolean;
}

/** A model that says what it was told to, for tests and benchmarks: one step of its script a request. */
export class ScriptedClient implements ModelConnection {
  /** The requests it received, in order. */
  readonly requests: ScriptedRequest[] = [];
  readonly #script: ScriptedStep[];
  readonly #models: readonly string[];
  readonly #media: readonly string[];
  #calls = 0;

  /** @param script an array that the test may go on to fill */
  constructor(
    script: ScriptedStep[],
    { models = ["scripted"], media = [] }: { models?: readonly string[]; media?: readonly string[] } = {},
  ) {
    this.#script = script;
    this.#models = models;
    this.#media = media;
  }

  acceptsMedia(mimeType: string): boolean {
    return this.#media.includes(mimeType);
  }

  /** Steps that no request has used. */
  get remaining(): number {
    return Math.max(0, this.#script.length - this.requests.length);
  }

  async listModels(signal?: AbortSignal): Promise<string[]> {
    throwIfAborted(signal);
    return [...this.#models];
  }

  async getResponse(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<ChatResponse> {
    for await (const update of this.#play(messages, options, false)) {
      if (update.type === "response") return update.response;
    }
    throw new ChatClientError("protocol", "The scripted turn gave no response");
  }

  getStreamingResponse(messages: readonly ChatMessage[], options: ChatOptions = {}): AsyncIterable<ChatResponseUpdate> {
    return this.#play(messages, options, true);
  }

  async *#play(
    messages: readonly ChatMessage[],
    options: ChatOptions,
    streaming: boolean,
  ): AsyncGenerator<ChatResponseUpdate> {
    const { signal } = options;
    throwIfAborted(signal);
    const index = this.requests.length;
    this.requests.push({ messages: structuredClone([...messages]), options: { ...options }, streaming });
    const step = this.#script[index];
    if (step === undefined) {
      const message = `The script has ${this.#script.length} turns, and request ${index + 1} came`;
      throw new ChatClientError("unexpected", message);
    }
    const turn = typeof step === "function" ? await untilAborted(async () => step(messages, options), signal) : step;
    const calls = (turn.calls ?? []).map((call) => this.#toContent(call));
    for (const update of buildUpdates(turn, calls)) {
      if (turn.delayMs !== undefined) await pause(turn.delayMs, signal);
      throwIfAborted(signal);
      yield update;
    }
    throwIfAborted(signal);
    if (turn.hang) await untilAborted(() => new Promise<never>(() => undefined), signal);
    if (turn.error) throw turn.error;
    yield { type: "response", response: toResponse(turn, calls) };
  }

  #toContent({ name, arguments: given = {}, callId, providerData }: ScriptedCall): FunctionCallContent {
    this.#calls += 1;
    const call = { type: "function_call", callId: callId ?? `call_${this.#calls}`, name } as const;
    const whole = { ...call, arguments: readArguments(given) };
    return providerData === undefined ? whole : { ...whole, providerData };
  }
}

function* buildUpdates(turn: ScriptedTurn, calls: readonly FunctionCallContent[]): Generator<ChatResponseUpdate> {
  if (turn.retry) {
    const { text, reason, delayMs = 0 } = turn.retry;
    if (text) yield { type: "text", text };
    yield { type: "retry", reason, delayMs };
  }
  for (const text of inWords(turn.reasoning ?? "")) yield { type: "reasoning", text };
  for (const text of turn.chunks ?? inWords(turn.text ?? "")) yield { type: "text", text };
  for (const { callId, name, arguments: given } of calls) {
    const text = readArgumentsText(given);
    const half = Math.ceil(text.length / 2);
    for (const argumentsDelta of [text.slice(0, half), text.slice(half)]) {
      yield { type: "call_delta", callId, name, argumentsDelta };
    }
  }
}

function toResponse(turn: ScriptedTurn, calls: FunctionCallContent[]): ChatResponse {
  const { finishDetail, unlistedFinishReason, usage, conversationId, model } = turn;
  const text = turn.text ?? turn.chunks?.join("") ?? "";
  const contents: ChatContent[] = [
    ...(turn.reasoning ? [{ type: "reasoning" as const, text: turn.reasoning }] : []),
    ...(turn.contents ?? []),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls,
  ];
  return {
    messages: [{ role: "assistant", contents: structuredClone(contents) }],
    finishReason: turn.finishReason ?? (calls.length > 0 ? "tool_calls" : "stop"),
    ...(finishDetail === undefined ? {} : { finishDetail }),
    ...(unlistedFinishReason === undefined ? {} : { unlistedFinishReason }),
    ...(usage === undefined ? {} : { usage: { ...usage } }),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(model === undefined ? {} : { model }),
  };
}

async function untilAborted<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work();
  throwIfAborted(signal);
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(abortedError());
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
