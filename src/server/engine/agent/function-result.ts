import { getUiResource } from "../../../lib/apps/tool-app";
import type {
  FunctionCallContent,
  FunctionException,
  FunctionResultContent,
  MediaContent,
  TextContent,
} from "../../../lib/contract/chat";
import type { ToolCallResult } from "../../../lib/contract/content";
import type { ExecutionEnvelope, SuccessEnvelope } from "../../../lib/contract/envelope";
import { isPlainObject } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { cutAtChars, failureText, modelView, viewOfText } from "../executor/output-limits";
import { base64Bytes, isToolCallResult, textOfBlock, textOfToolResult } from "../executor/tool-call-result";

/** The size of one call's media together, as base64: providers accept a request of this order. */
const MAX_MEDIA_CHARS = 6_000_000;
const ERROR_PREFIX = "Error: ";
const MAX_SHOWN_ARGUMENTS = 2000;

/** The result of a call as the model gets it: text cut at `maxChars`, media in their places (OUT-01, OUT-02). */
export function toFunctionResult(
  call: FunctionCallContent,
  envelope: ExecutionEnvelope,
  definition: ToolDefinition | undefined,
  maxChars: number,
): FunctionResultContent {
  const limit = definition?.max_model_chars ?? maxChars;
  const common = {
    type: "function_result",
    callId: call.callId,
    name: call.name,
    executionId: envelope.execution_id,
    durationMs: envelope.duration_ms,
    ...(definition !== undefined && getUiResource(definition) !== null && { app: true as const }),
  } as const;
  if (!envelope.success) {
    const message = viewOfText(failureText(envelope).slice(ERROR_PREFIX.length), limit).text;
    return { ...common, exception: { kind: envelope.error_kind, message } };
  }
  const sent = (envelope.projected ?? envelope).result;
  if (definition?.implementation.type !== "mcp" || !isToolCallResult(sent)) {
    const { text, truncated } = modelView({ ...envelope, result: sent }, limit);
    return { ...common, result: text, ...cutMark(envelope, truncated) };
  }
  const { text: result, truncated } = viewOfText(textOfToolResult(sent), limit);
  const items = listItems(sent, limit);
  return { ...common, result, ...(items === null ? {} : { items }), ...cutMark(envelope, truncated) };
}

function cutMark({ projected }: SuccessEnvelope, truncated: boolean): { cut?: true } {
  return truncated || projected !== undefined ? { cut: true } : {};
}

/** The result of a call whose arguments a user changed before it ran: a model must not take them for its own. */
export function withEditedArguments(result: FunctionResultContent, editedArguments: string): FunctionResultContent {
  const shown = cutAtChars(editedArguments, MAX_SHOWN_ARGUMENTS).text;
  const note = `[A user changed the arguments of this call before it ran, to ${shown}]`;
  return { ...withNote(result, note), editedArguments };
}

/** Adds a text for the model after the tool's text. */
export function withNote(result: FunctionResultContent, note: string): FunctionResultContent {
  if (result.exception !== undefined) {
    return { ...result, exception: { ...result.exception, message: `${result.exception.message}\n${note}` } };
  }
  const items = result.items === undefined ? {} : { items: [...result.items, { type: "text" as const, text: note }] };
  return { ...result, result: `${result.result ?? ""}\n${note}`, ...items };
}

/** The answer to a call for which nothing was executed. */
export function exceptionResult(
  { callId, name }: FunctionCallContent,
  kind: FunctionException["kind"],
  message: string,
): FunctionResultContent {
  return { type: "function_result", callId, name, exception: { kind, message } };
}

/** The media of a result that a model can take. */
export function mediaOfResult(result: unknown): MediaContent[] {
  const items = isToolCallResult(result) ? (listItems(result, 0) ?? []) : [];
  return items.filter((item) => item.type === "media");
}

/** Text and media in the order of the result; null where it has no media that a model can take. */
function listItems({ content }: ToolCallResult, maxChars: number): (TextContent | MediaContent)[] | null {
  const items: (TextContent | MediaContent)[] = [];
  let mediaLeft = MAX_MEDIA_CHARS;
  let textLeft = maxChars;
  for (const block of content as unknown[]) {
    const media = readMedia(block);
    if (media !== null && media.data.length <= mediaLeft) {
      mediaLeft -= media.data.length;
      items.push(media);
      continue;
    }
    if (textLeft <= 0) continue;
    const { text, sentChars } = viewOfText(textOfBlock(block), textLeft);
    textLeft -= sentChars;
    items.push({ type: "text", text });
  }
  return items.some(({ type }) => type === "media") ? items : null;
}

function readMedia(block: unknown): MediaContent | null {
  if (!isPlainObject(block) || (block.type !== "image" && block.type !== "audio")) return null;
  const { data, mimeType, type } = block;
  if (typeof data !== "string" || data === "" || typeof mimeType !== "string") return null;
  return { type: "media", kind: type, mimeType, data, bytes: base64Bytes(data) };
}
