import type OpenAI from "openai";
import type {
  ChatContent,
  ChatResponse,
  ChatResponseUpdate,
  ChatUsage,
  FinishReason,
  JsonValue,
} from "../../../../lib/contract";
import { givenArguments, isShallow } from "../call-arguments";
import type { CallIds } from "../call-ids";
import { tokenUsage } from "../token-counts";
import type { ToolAliases } from "../tool-aliases";
import { AnswerCutError } from "../vendor-fault";
import { apiError } from "./openai-sdk";
import { OPENAI } from "./to-responses";

type Answer = OpenAI.Responses.Response;
type Item = OpenAI.Responses.ResponseOutputItem;

export interface ResponsesReading {
  aliases: ToolAliases;
  ids: CallIds;
  /** What the response is to name as its conversation; the response's own id for `own`. */
  conversationId: string | "own" | null;
}

/** @throws the vendor's error for an answer that failed; SyntaxError for what is no answer */
export function readResponse(
  answer: Answer,
  reading: ResponsesReading,
  callIds: ReadonlyMap<number, string> = new Map(),
): ChatResponse {
  if (typeof answer !== "object" || !Array.isArray(answer.output)) throw new SyntaxError("no response");
  if (answer.error) throw apiError(answer.error);
  const contents = answer.output.flatMap((item, index) => toContents(item, index, reading, callIds));
  const finishReason = finishReasonOf(answer, contents);
  const detail = answer.incomplete_details?.reason ?? (answer.status === "completed" ? undefined : answer.status);
  const usage = toUsage(answer.usage);
  const conversationId = reading.conversationId === "own" ? answer.id : reading.conversationId;
  return {
    messages: [{ role: "assistant", contents }],
    finishReason,
    ...(detail !== undefined && { finishDetail: detail }),
    ...(usage && { usage }),
    ...(conversationId !== null && { conversationId }),
    model: answer.model,
    responseId: answer.id,
  };
}

function toContents(
  item: Item,
  index: number,
  { aliases, ids }: ResponsesReading,
  callIds: ReadonlyMap<number, string>,
): ChatContent[] {
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
          callId: callIds.get(index) ?? ids.take(item.call_id),
          name: aliases.nameOf(item.name),
          arguments: item.arguments === "" ? "{}" : givenArguments(item.arguments),
        },
      ];
    case "reasoning": {
      const text = [...(item.summary ?? []), ...(item.content ?? [])].map((part) => part.text).join("\n\n");
      // What is nested too deeply could be neither kept nor sent back.
      const back: ChatContent[] = isShallow(item)
        ? [{ type: "provider", provider: OPENAI, value: item as unknown as JsonValue }]
        : [];
      return text === "" ? back : [{ type: "reasoning", text }, ...back];
    }
    default:
      return [];
  }
}

/** Calls are whole in a completed answer only. */
function finishReasonOf(answer: Answer, contents: readonly ChatContent[]): FinishReason {
  if (answer.status === "incomplete") {
    const reason = answer.incomplete_details?.reason;
    return reason === "max_output_tokens" ? "length" : reason === "content_filter" ? "refusal" : "other";
  }
  if (answer.status !== undefined && answer.status !== "completed") return "other";
  if (answer.output.some((item) => item.type === "function_call" && item.status === "incomplete")) return "length";
  if (contents.some(({ type }) => type === "function_call")) return "tool_calls";
  const refused = answer.output.some(
    (item) => item.type === "message" && item.content.some((part) => part.type === "refusal"),
  );
  return refused ? "refusal" : "stop";
}

function toUsage(usage: OpenAI.Responses.ResponseUsage | null | undefined): ChatUsage | null {
  return tokenUsage({
    input: [usage?.input_tokens],
    output: [usage?.output_tokens],
    cached: usage?.input_tokens_details?.cached_tokens,
    reasoning: usage?.output_tokens_details?.reasoning_tokens,
  });
}

interface OpenCalls {
  /** By the item's place in the output. */
  callIds: Map<number, string>;
  names: Map<number, string>;
}

/** Deltas are only shown: the answer is what its last event says. @throws AnswerCutError when that does not come */
export async function* readResponsesStream(
  events: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>,
  reading: ResponsesReading,
): AsyncGenerator<ChatResponseUpdate> {
  const calls: OpenCalls = { callIds: new Map(), names: new Map() };
  const items: Item[] = [];
  for await (const event of events) {
    if (event.type === "response.completed" || event.type === "response.incomplete") {
      const { response } = event;
      // Some gateways leave the items out of the last event.
      const output = response.output?.length ? response.output : items.filter((item) => item !== undefined);
      yield { type: "response", response: readResponse({ ...response, output }, reading, calls.callIds) };
      return;
    }
    if (event.type === "response.failed") throw apiError(event.response.error ?? { message: "the answer failed" });
    if (event.type === "error") throw apiError(event);
    if (event.type === "response.output_item.done") items[event.output_index] = event.item;
    const update = readEvent(event, reading, calls);
    if (update !== null) yield update;
  }
  throw new AnswerCutError();
}

function readEvent(
  event: OpenAI.Responses.ResponseStreamEvent,
  { aliases, ids }: ResponsesReading,
  calls: OpenCalls,
): ChatResponseUpdate | null {
  switch (event.type) {
    case "response.output_text.delta":
    case "response.refusal.delta":
      return event.delta === "" ? null : { type: "text", text: event.delta };
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      return event.delta === "" ? null : { type: "reasoning", text: event.delta };
    case "response.output_item.added": {
      if (event.item.type !== "function_call") return null;
      calls.callIds.set(event.output_index, ids.take(event.item.call_id));
      calls.names.set(event.output_index, aliases.nameOf(event.item.name));
      return callDelta(event.output_index, calls, "");
    }
    case "response.function_call_arguments.delta":
      return event.delta === "" ? null : callDelta(event.output_index, calls, event.delta);
    default:
      return null;
  }
}

function callDelta(index: number, { callIds, names }: OpenCalls, argumentsDelta: string): ChatResponseUpdate | null {
  const [callId, name] = [callIds.get(index), names.get(index)];
  return callId === undefined || name === undefined ? null : { type: "call_delta", callId, name, argumentsDelta };
}
