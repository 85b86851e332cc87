import type {
  ChatContent,
  ChatResponse,
  ChatResponseUpdate,
  FinishReason,
  FunctionCallContent,
} from "../../../lib/contract/chat";
import { isPlainObject, type JsonObject, type JsonValue } from "../../../lib/contract/json";
import { isNoArguments } from "../../../lib/json/no-arguments";
import { buildResponse, countTokens, type TokenCounts } from "../build-response";
import type { ChatTurn, NewCalls } from "../chat-turn";
import type { ReaderTurn, ResponseReader } from "../vendor";
import { isShallow, readArgumentsText } from "../vendor-arguments";
import { IncompleteResponseError, parseErrorBody, VendorError } from "../vendor-error";
import { Reasoning } from "./reasoning";

const CALLS = new Set(["tool_calls", "function_call", "tool_call", "tool_use"]);
const STOPS = new Set(["stop", "eos", "eos_token", "end_turn", "stop_sequence", ""]);
const LIMITS = new Set(["length", "max_tokens", "model_length"]);
/** OpenRouter, vLLM and DeepSeek document these for a response that broke off. */
const FAILURES = new Set(["error", "abort", "insufficient_system_resource"]);
const MAX_DETAIL_CHARS = 100;

/** Google's own, and LiteLLM's: both hold thought signatures. */
export const CALL_EXTRAS = ["extra_content", "provider_specific_fields"] as const;

/** The name of an endpoint's `provider` contents. */
export function toProviderName({ host }: Pick<ChatTurn, "host">): string {
  return `openai-compatible ${host}`;
}

/** The chunks of a stream have nearly the form of a whole completion. */
export class CompletionsReader implements ResponseReader {
  readonly #provider: string;
  readonly #calls: OpenCalls;
  #text = "";
  #refused = false;
  readonly #reasoning = new Reasoning();
  #reason: string | null = null;
  #tokens: TokenCounts = { input: [], output: [] };
  #hasTokens = false;
  #model: string | undefined;
  #id: string | undefined;

  constructor(private readonly turn: ReaderTurn) {
    this.#provider = toProviderName(turn);
    this.#calls = new OpenCalls(turn.calls);
  }

  /** After its finish reason a response is complete except for its token counts. */
  get isUsable(): boolean {
    return this.#reason !== null;
  }

  *read(chunk: unknown): Generator<ChatResponseUpdate> {
    if (!isPlainObject(chunk)) return;
    this.#readTokens(chunk.usage);
    if (typeof chunk.model === "string" && chunk.model !== "") this.#model = chunk.model;
    if (typeof chunk.id === "string" && chunk.id !== "") this.#id = chunk.id;
    const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    if (!isPlainObject(choice)) return;
    if (isPlainObject(choice.error)) throw new VendorError(parseErrorBody(choice.error));
    if (typeof choice.finish_reason === "string") this.#reason = choice.finish_reason;
    const delta = isPlainObject(choice.delta) ? choice.delta : choice.message;
    if (isPlainObject(delta)) yield* this.#readDelta(delta);
  }

  finish(): ChatResponse {
    const reason = this.#reason ?? "";
    const contents = this.#contents();
    if (this.#reason === null) {
      if (this.turn.streaming) throw new IncompleteResponseError();
      if (contents.length === 0 && !this.#hasTokens) throw new SyntaxError("no completion");
    }
    return buildResponse({
      contents,
      finish: this.#finishReason(reason.toLowerCase()),
      reason,
      detail: reason.slice(0, MAX_DETAIL_CHARS),
      tokens: this.#tokens,
      model: this.#model,
      responseId: this.#id,
    });
  }

  *#readDelta(delta: Record<string, unknown>): Generator<ChatResponseUpdate> {
    const thought = this.#reasoning.add(delta);
    if (thought !== "") yield { type: "reasoning", text: thought };
    const refusal = readText(delta.refusal);
    if (refusal !== "") this.#refused = true;
    const text = readText(delta.content) + refusal;
    this.#text += text;
    if (text !== "") yield { type: "text", text };
    for (const each of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) {
      const found = this.#calls.add(each);
      if (!found) continue;
      const { call, added } = found;
      yield {
        type: "call_delta",
        callId: call.callId,
        name: this.turn.calls.getName(call.name),
        argumentsDelta: added,
      };
    }
  }

  #readTokens(usage: unknown): void {
    if (!isPlainObject(usage)) return;
    const { prompt_tokens_details: read, completion_tokens_details: written } = usage;
    const tokens: TokenCounts = {
      input: [usage.prompt_tokens],
      output: [usage.completion_tokens],
      cached: (isPlainObject(read) ? read.cached_tokens : null) ?? usage.prompt_cache_hit_tokens,
      reasoning: isPlainObject(written) ? written.reasoning_tokens : null,
    };
    if (countTokens(tokens) === null) return;
    this.#tokens = tokens;
    this.#hasTokens = true;
  }

  #contents(): ChatContent[] {
    const contents: ChatContent[] = [];
    const { text, value } = this.#reasoning;
    if (text !== "") contents.push({ type: "reasoning", text });
    if (value !== null) contents.push({ type: "provider", provider: this.#provider, value });
    if (this.#text !== "") contents.push({ type: "text", text: this.#text });
    return [...contents, ...this.#calls.all.map((call) => this.#toCall(call))];
  }

  #toCall({ callId, name, arguments: text, extra }: OpenCall): FunctionCallContent {
    const call: FunctionCallContent = {
      type: "function_call",
      callId,
      name: this.turn.calls.getName(name),
      arguments: isNoArguments(text) ? "{}" : text,
    };
    if (extra.size > 0) call.providerData = { provider: this.#provider, ...Object.fromEntries(extra) };
    return call;
  }

  /** Many endpoints say `stop`, or nothing, after complete calls. Null for a reason that none of them documents. */
  #finishReason(reason: string): FinishReason | null {
    if (LIMITS.has(reason)) return "length";
    if (reason === "content_filter") return "refusal";
    if (FAILURES.has(reason)) return "other";
    if (!CALLS.has(reason) && !STOPS.has(reason)) return null;
    if (this.#refused && this.#calls.all.length === 0) return "refusal";
    return STOPS.has(reason) ? "stop" : "tool_calls";
  }
}

/** One call, built from deltas. */
interface OpenCall {
  callId: string;
  /** The endpoint's id; null if it gave none. */
  vendorId: string | null;
  name: string;
  arguments: string;
  /** Members that some endpoints need back, such as a thought signature. */
  extra: Map<string, JsonValue>;
}

/** Text of a message or delta: a string, or parts of which some hold text. */
function readText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (isPlainObject(part) && typeof part.text === "string" ? part.text : ""))
    .join("");
}

/**
 * Builds calls from deltas. The specification tells them apart by `index`; endpoints omit it, repeat it, or omit the id.
 * A delta begins a call if its index is new, or if it has a name and another id than the call with its index.
 */
class OpenCalls {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();

  constructor(private readonly newCalls: Pick<NewCalls, "takeId">) {}

  get all(): readonly OpenCall[] {
    return this.#calls;
  }

  /** The call that the delta belongs to, and the arguments it adds; null if it is no object. */
  add(delta: unknown): { call: OpenCall; added: string } | null {
    if (!isPlainObject(delta)) return null;
    const written = isPlainObject(delta.function) ? delta.function : {};
    const id = typeof delta.id === "string" && delta.id !== "" ? delta.id : null;
    const name = typeof written.name === "string" && written.name !== "" ? written.name : null;
    const index = typeof delta.index === "number" ? delta.index : null;
    const present = this.#find(index, id, name);
    const call = present ?? this.#begin(index, id, name ?? "");
    if (name !== null && call.name === "") call.name = name;
    for (const field of CALL_EXTRAS) {
      const value = delta[field];
      if (isPlainObject(value) && isShallow(value)) call.extra.set(field, value as JsonObject);
    }
    const added = readArgumentsText(written.arguments ?? "");
    call.arguments += added;
    return { call, added };
  }

  #find(index: number | null, id: string | null, name: string | null): OpenCall | undefined {
    if (index !== null) {
      const call = this.#byIndex.get(index);
      const another = call && name !== null && id !== null && call.vendorId !== null && call.vendorId !== id;
      return another ? undefined : call;
    }
    if (id !== null) return this.#calls.find((call) => call.vendorId === id);
    const last = this.#calls.at(-1);
    if (name === null) return last;
    return last?.name === name && !isWhole(last.arguments) ? last : undefined;
  }

  #begin(index: number | null, id: string | null, name: string): OpenCall {
    const call: OpenCall = {
      callId: this.newCalls.takeId(id),
      vendorId: id,
      name,
      arguments: "",
      extra: new Map(),
    };
    this.#calls.push(call);
    if (index !== null) this.#byIndex.set(index, call);
    return call;
  }
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
