import type OpenAI from "openai";
import type {
  ChatContent,
  ChatOptions,
  ChatResponse,
  ChatResponseUpdate,
  FinishReason,
} from "../../../lib/contract/chat";
import type { JsonValue } from "../../../lib/contract/json";
import { buildResponse } from "../build-response";
import type { ReaderTurn, ResponseReader } from "../vendor";
import { isShallow, readArguments } from "../vendor-arguments";
import { IncompleteResponseError, parseErrorBody, VendorError } from "../vendor-error";

type Response = OpenAI.Responses.Response;
type Item = OpenAI.Responses.ResponseOutputItem;

/** The name of its `provider` contents. */
export const OPENAI = "openai";

export function isStored({ storeConversation, conversationId }: ChatOptions): boolean {
  return storeConversation === true || conversationId !== undefined;
}

export const isConversation = (id: string): boolean => id.startsWith("conv_");

/** Deltas are only shown: the last event of a stream repeats the whole response. */
export class ResponsesReader implements ResponseReader {
  /** Calls of a stream by the index of their item. */
  readonly #calls = new Map<number, { callId: string; name: string }>();
  readonly #items = new Map<number, Item>();
  #response: Response | null = null;

  constructor(private readonly turn: ReaderTurn) {}

  get isComplete(): boolean {
    return this.#response !== null;
  }

  read(part: unknown): ChatResponseUpdate[] {
    if (!this.turn.streaming) this.#response = part as Response;
    const update = this.turn.streaming ? this.#readEvent(part as OpenAI.Responses.ResponseStreamEvent) : null;
    return update === null ? [] : [update];
  }

  finish(): ChatResponse {
    const response = this.#response;
    if (response === null) throw new IncompleteResponseError();
    if (typeof response !== "object" || !Array.isArray(response.output)) throw new SyntaxError("no response");
    const { id, status, usage } = response;
    const detail = response.incomplete_details?.reason ?? (status === "completed" ? undefined : status);
    return buildResponse({
      contents: response.output.flatMap((item, index) => this.#toContents(item, index)),
      finish: readFinish(response),
      reason: detail ?? "",
      detail,
      finished: areCallsFinished(response),
      tokens: {
        input: [usage?.input_tokens],
        output: [usage?.output_tokens],
        cached: usage?.input_tokens_details?.cached_tokens,
        reasoning: usage?.output_tokens_details?.reasoning_tokens,
      },
      model: response.model,
      responseId: id,
      conversationId: this.#conversationId(id),
    });
  }

  /** A conversation of the vendor keeps its id; otherwise the next request continues from this response. */
  #conversationId(responseId: string): string | undefined {
    const { options } = this.turn;
    if (!isStored(options)) return undefined;
    const { conversationId } = options;
    return conversationId !== undefined && isConversation(conversationId) ? conversationId : responseId;
  }

  #readEvent(event: OpenAI.Responses.ResponseStreamEvent): ChatResponseUpdate | null {
    switch (event.type) {
      case "response.completed":
      case "response.incomplete": {
        const { response } = event;
        // Some gateways omit the items in the last event.
        this.#response = { ...response, output: response.output?.length ? response.output : this.#sortedItems() };
        return null;
      }
      case "response.failed":
        throw new VendorError(parseErrorBody(event.response.error ?? { message: "the answer failed" }));
      case "response.output_text.delta":
      case "response.refusal.delta":
        return event.delta === "" ? null : { type: "text", text: event.delta };
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return event.delta === "" ? null : { type: "reasoning", text: event.delta };
      case "response.output_item.added": {
        const { item, output_index: index } = event;
        if (item.type !== "function_call") return null;
        this.#calls.set(index, this.turn.calls.open(item.call_id, item.name));
        return this.#toCallDelta(index, "");
      }
      case "response.function_call_arguments.delta":
        return event.delta === "" ? null : this.#toCallDelta(event.output_index, event.delta);
      case "response.output_item.done":
        this.#items.set(event.output_index, event.item);
        return null;
      default:
        return null;
    }
  }

  #sortedItems(): Item[] {
    return [...this.#items].sort(([one], [other]) => one - other).map(([, item]) => item);
  }

  #toCallDelta(index: number, argumentsDelta: string): ChatResponseUpdate | null {
    const call = this.#calls.get(index);
    return call === undefined ? null : { type: "call_delta", ...call, argumentsDelta };
  }

  #toContents(item: Item, index: number): ChatContent[] {
    switch (item.type) {
      case "message":
        return item.content
          .map((part) => (part.type === "output_text" ? part.text : part.type === "refusal" ? part.refusal : ""))
          .filter((text) => text !== "")
          .map((text) => ({ type: "text", text }));
      case "function_call":
        return [
          {
            type: "function_call",
            ...(this.#calls.get(index) ?? this.turn.calls.open(item.call_id, item.name)),
            arguments: item.arguments === "" ? "{}" : readArguments(item.arguments),
          },
        ];
      case "reasoning": {
        const contents: ChatContent[] = [];
        const text = [...(item.summary ?? []), ...(item.content ?? [])].map((part) => part.text).join("\n\n");
        if (text !== "") contents.push({ type: "reasoning", text });
        // A value that is nested too deeply could be neither stored nor sent back.
        if (isShallow(item)) contents.push({ type: "provider", provider: OPENAI, value: item as unknown as JsonValue });
        return contents;
      }
      default:
        return [];
    }
  }
}

/** Statuses of a response that did not complete. */
const UNFINISHED = new Set<string>(["failed", "in_progress", "cancelled", "queued"]);

/** Null for an undocumented status, or an undocumented reason of an incomplete response. */
function readFinish({ status, incomplete_details: details, output }: Response): FinishReason | null {
  if (status === "incomplete") {
    const reason = details?.reason;
    return reason === "max_output_tokens" ? "length" : reason === "content_filter" ? "refusal" : null;
  }
  if (status !== undefined && status !== "completed") return UNFINISHED.has(status) ? "other" : null;
  if (output.some((item) => item.type === "function_call" && item.status === "incomplete")) return "length";
  const refused = output.some(
    (item) => item.type === "message" && item.content.some((part) => part.type === "refusal"),
  );
  return refused ? "refusal" : "stop";
}

/** The API marks each finished call; some gateways omit the mark. */
function areCallsFinished({ status, output }: Response): boolean {
  const done = status === "incomplete" ? ["completed"] : ["completed", undefined];
  return output.every((item) => item.type !== "function_call" || done.includes(item.status));
}
