import {
  type ChatContent,
  type ChatResponse,
  type ChatResponseUpdate,
  type FinishReason,
  isPlainObject,
} from "../../../../lib/contract";
import { givenArguments, givenText } from "../call-arguments";
import type { CallIds } from "../call-ids";
import { tokenUsage } from "../token-counts";
import type { ToolAliases } from "../tool-aliases";
import { AnswerCutError } from "../vendor-fault";
import { OllamaAnswerError } from "./guarded-fetch";
import { OLLAMA } from "./to-ollama";

/** An answer as it is put together. */
interface Draft {
  text: string;
  thinking: string;
  calls: ChatContent[];
  /** The line that ends the answer. */
  last: Record<string, unknown> | null;
}

/** @throws SyntaxError for what is no answer */
export function readOllamaAnswer(body: unknown, aliases: ToolAliases, ids: CallIds): ChatResponse {
  const draft: Draft = { text: "", thinking: "", calls: [], last: null };
  if (!isPlainObject(body)) throw new SyntaxError("no answer");
  if (typeof body.error === "string") throw new OllamaAnswerError(body.error);
  if (!isPlainObject(body.message)) throw new SyntaxError("no message");
  // Drains the updates: they are the same as a stream's.
  Array.from(addLine(body, draft, aliases, ids));
  return toResponse({ ...draft, last: body });
}

/** @throws AnswerCutError when the lines end before the answer does */
export async function* readOllamaStream(
  lines: AsyncIterable<unknown>,
  aliases: ToolAliases,
  ids: CallIds,
): AsyncGenerator<ChatResponseUpdate> {
  const draft: Draft = { text: "", thinking: "", calls: [], last: null };
  for await (const line of lines) {
    if (!isPlainObject(line)) continue;
    yield* addLine(line, draft, aliases, ids);
  }
  if (draft.last === null) throw new AnswerCutError();
  yield { type: "response", response: toResponse(draft) };
}

function* addLine(
  line: Record<string, unknown>,
  draft: Draft,
  aliases: ToolAliases,
  ids: CallIds,
): Generator<ChatResponseUpdate> {
  if (line.done === true) draft.last = line;
  const message = isPlainObject(line.message) ? line.message : {};
  if (typeof message.thinking === "string" && message.thinking !== "") {
    draft.thinking += message.thinking;
    yield { type: "reasoning", text: message.thinking };
  }
  if (typeof message.content === "string" && message.content !== "") {
    draft.text += message.content;
    yield { type: "text", text: message.content };
  }
  for (const each of Array.isArray(message.tool_calls) ? message.tool_calls : []) {
    const call = toCall(each, aliases, ids);
    if (call === null) continue;
    draft.calls.push(call);
    const { callId, name } = call;
    yield { type: "call_delta", callId, name, argumentsDelta: givenText(call.arguments) };
  }
}

/** Calls come whole; older servers give no ids. */
function toCall(call: unknown, aliases: ToolAliases, ids: CallIds) {
  if (!isPlainObject(call) || !isPlainObject(call.function)) return null;
  const { name, arguments: given } = call.function;
  const callId = ids.take(typeof call.id === "string" ? call.id : null);
  const known = aliases.nameOf(typeof name === "string" ? name : "");
  return { type: "function_call" as const, callId, name: known, arguments: given === "" ? {} : givenArguments(given) };
}

function toResponse({ text, thinking, calls, last }: Draft): ChatResponse {
  const reason = typeof last?.done_reason === "string" ? last.done_reason : "";
  const contents: ChatContent[] = [
    ...(thinking === ""
      ? []
      : [
          { type: "reasoning" as const, text: thinking },
          { type: "provider" as const, provider: OLLAMA, value: { thinking } },
        ]),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls,
  ];
  const usage = tokenUsage({ input: [last?.prompt_eval_count], output: [last?.eval_count] });
  const finishReason = finishReasonOf(reason, calls.length > 0);
  return {
    messages: [{ role: "assistant", contents }],
    finishReason,
    ...(reason !== "" && reason !== "stop" && reason !== finishReason && { finishDetail: reason.slice(0, 100) }),
    // A prompt that is read from the cache is not counted.
    ...(usage && { usage }),
    ...(typeof last?.model === "string" && { model: last.model }),
  };
}

function finishReasonOf(reason: string, hasCalls: boolean): FinishReason {
  if (reason === "length") return "length";
  if (reason !== "stop" && reason !== "") return "other";
  return hasCalls ? "tool_calls" : "stop";
}
