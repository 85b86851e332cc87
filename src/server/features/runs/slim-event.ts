import {
  type ChatContent,
  type ChatMessage,
  type FunctionCallContent,
  type FunctionResultContent,
  formatArguments,
  readMessageText,
} from "../../../lib/contract/chat";
import type { RunEvent, RunEventPart, RunPartial } from "../../../lib/contract/run";
import { readReasoningText } from "../../../lib/run/build-turns";
import { showOrigin } from "../../../lib/show-origin";

/** Pages receive an event of at most this size unchanged. */
const SMALL_CHARS = 16_000;
/** Characters that a long part keeps; the next where that leaves an event too large. */
const KEPT_CHARS = [4_000, 500, 50, 0] as const;
/** The number of calls of one message that are kept: the events of the others describe them too. */
const KEPT_CALLS = 100;
const MAX_ERROR_CHARS = 2_000;
/** The length of the kept end of a partial response. */
const PARTIAL_CHARS = 32_000;
const PARTIAL_CALLS = 100;
const PARTIAL_CALL_CHARS = 4_000;

type Cut = Partial<Record<RunEventPart, number>>;

/** The event as it goes to pages: long parts are shortened, and `cut` says which. Small events stay as they are. */
export function slimEvent(event: RunEvent): RunEvent {
  if (measureSize(event) <= SMALL_CHARS) return withoutCredentials(event);
  let slim = event;
  for (const chars of KEPT_CHARS) {
    const cut: Cut = {};
    slim = { ...cutEvent(event, chars, cut), ...(Object.keys(cut).length === 0 ? {} : { cut }) };
    if (measureSize(slim) <= SMALL_CHARS) break;
  }
  return withoutCredentials(slim);
}

/** A long part of an event, whole; null where the event has no such part. */
export function readPayload(event: RunEvent, part: RunEventPart): string | null {
  switch (event.type) {
    case "user_message":
      return part === "text" ? readMessageText(event.message) : null;
    case "model_finished": {
      if (part === "text") return readMessageText(event.message);
      if (part === "reasoning") return readReasoningText(event.message);
      const call = event.message.contents.find(
        (content) => content.type === "function_call" && `arguments:${content.callId}` === part,
      );
      return call?.type === "function_call" ? formatArguments(call) : null;
    }
    case "tool_started":
      return part === "arguments" ? event.argumentsText : null;
    case "tool_finished":
      if (part === "editedArguments") return event.result.editedArguments ?? null;
      return part === "result" ? textOfResult(event.result) : null;
    default:
      return null;
  }
}

/** Returns the partial response for a page: of long texts the end. */
export function slimPartial({ step, text, reasoning, calls }: RunPartial): RunPartial {
  const textFrom = Math.max(0, text.length - PARTIAL_CHARS);
  const reasoningFrom = Math.max(0, reasoning.length - PARTIAL_CHARS);
  const room = Math.min(PARTIAL_CALL_CHARS, Math.ceil((4 * PARTIAL_CHARS) / Math.max(1, calls.length)));
  return {
    step,
    text: text.slice(textFrom),
    textFrom,
    reasoning: reasoning.slice(reasoningFrom),
    reasoningFrom,
    calls: calls.slice(-PARTIAL_CALLS).map(({ callId, name, argumentsText }) => {
      const argumentsFrom = Math.max(0, argumentsText.length - room);
      return { callId, name, argumentsText: argumentsText.slice(argumentsFrom), argumentsFrom };
    }),
  };
}

/** Characters of the parts that may be long; cheap, unlike the event's JSON. What Apps said is bounded, and stays whole. */
function measureSize(event: RunEvent): number {
  switch (event.type) {
    case "user_message":
    case "model_finished":
      return event.message.contents.reduce((sum, content) => sum + sizeOfContent(content), 0);
    case "tool_started":
      return event.argumentsText.length;
    case "tool_finished": {
      const { result, items = [], editedArguments = "" } = event.result;
      const texts = (result ?? "").length + (event.result.exception?.message ?? "").length + editedArguments.length;
      return items.reduce((sum, item) => sum + sizeOfContent(item), texts);
    }
    case "model_failed":
      return event.error.length;
    case "turn_ended":
      return event.error?.length ?? 0;
    case "notice":
      return event.text.length;
    default:
      return 0;
  }
}

/** The cost of a content beside its texts. */
const CONTENT_CHARS = 60;

function sizeOfContent(content: ChatContent): number {
  switch (content.type) {
    case "text":
    case "reasoning":
      return CONTENT_CHARS + content.text.length;
    case "media":
      return CONTENT_CHARS + content.data.length;
    case "function_call":
      return CONTENT_CHARS + content.callId.length + content.name.length + formatArguments(content).length;
    case "provider":
      return CONTENT_CHARS + JSON.stringify(content.value).length;
    default:
      return CONTENT_CHARS;
  }
}

function cutEvent(event: RunEvent, chars: number, cut: Cut): RunEvent {
  const head = (part: RunEventPart, text: string): string => {
    if (text.length <= chars) return text;
    cut[part] = text.length;
    return text.slice(0, chars);
  };
  switch (event.type) {
    case "user_message":
    case "model_finished":
      return { ...event, message: cutMessage(event.message, head, cut) };
    case "tool_started":
      return { ...event, argumentsText: head("arguments", event.argumentsText) };
    case "tool_finished":
      return { ...event, result: cutResult(event.result, head) };
    case "model_failed":
      return { ...event, error: event.error.slice(0, MAX_ERROR_CHARS) };
    case "turn_ended":
      return { ...event, error: event.error?.slice(0, MAX_ERROR_CHARS) ?? null };
    case "notice":
      return { ...event, text: event.text.slice(0, MAX_ERROR_CHARS) };
    default:
      return event;
  }
}

type Head = (part: RunEventPart, text: string) => string;

/** Removes fields that a provider needs back, which are for requests only. */
function cutMessage(message: ChatMessage, head: Head, cut: Cut): ChatMessage {
  const text = head("text", readMessageText(message));
  const reasoning = head("reasoning", readReasoningText(message));
  const calls = message.contents.filter((content) => content.type === "function_call");
  if (calls.length > KEPT_CALLS) cut.calls = calls.length - KEPT_CALLS;
  const media = message.contents.flatMap((content) => (content.type === "media" ? [{ ...content, data: "" }] : []));
  return {
    role: message.role,
    contents: [
      ...(reasoning === "" ? [] : [{ type: "reasoning" as const, text: reasoning }]),
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...media,
      ...calls.slice(0, KEPT_CALLS).map((call): FunctionCallContent => {
        const { type, callId, name } = call;
        return { type, callId, name, arguments: head(`arguments:${callId}`, formatArguments(call)) };
      }),
    ],
  };
}

function cutResult(result: FunctionResultContent, head: Head): FunctionResultContent {
  const { items, exception, editedArguments } = result;
  const text = head("result", textOfResult(result));
  return {
    ...result,
    ...(exception === undefined ? { result: text } : { exception: { ...exception, message: text } }),
    ...(editedArguments === undefined ? {} : { editedArguments: head("editedArguments", editedArguments) }),
    // Their texts are in `result` too.
    ...(items === undefined ? {} : { items: items.filter(({ type }) => type === "media") }),
  };
}

function textOfResult({ exception, result }: FunctionResultContent): string {
  return exception?.message ?? result ?? "";
}

/** The rest of a provider's address shows whether a run continues at the same one; users put keys into it. */
function withoutCredentials(event: RunEvent): RunEvent {
  if (event.type !== "model_started" || event.endpoint === undefined) return event;
  const [kind = "", address] = event.endpoint.split(" ", 2);
  return address === undefined ? event : { ...event, endpoint: `${kind} ${showOrigin(address)}` };
}
