import type { ChatContent, ChatResponse, FinishReason, FunctionCallContent } from "../../lib/contract/chat";
import { isPlainObject } from "../../lib/contract/json";
import { countTokens, type TokenCounts } from "./token-counts";

/** Reasons of a provider go into notes and events. */
const MAX_REASON_CHARS = 100;

export interface ResponseParts {
  contents: ChatContent[];
  /** What the provider's reason to stop means; null for a reason that its documentation does not list. */
  finish: FinishReason | null;
  /** The provider's reason to stop; empty if it gave none. */
  reason: string;
  /** More about the reason, for people. */
  detail?: string | undefined;
  /** False if the provider marks a call as unfinished. */
  finished?: boolean;
  tokens: TokenCounts;
  model?: string | undefined;
  responseId?: string | undefined;
  conversationId?: string | undefined;
}

export function buildResponse(parts: ResponseParts): ChatResponse {
  const { contents, finish, reason, finished, detail, tokens, model, responseId, conversationId } = parts;
  const calls = contents.filter((content) => content.type === "function_call");
  const usage = countTokens(tokens);
  const ending = resolveFinish({ finish, reason, calls, finished });
  return {
    messages: [{ role: "assistant", contents }],
    ...ending,
    ...(detail && detail !== ending.finishReason && { finishDetail: detail }),
    ...(usage && { usage }),
    ...(conversationId !== undefined && { conversationId }),
    ...(model !== undefined && { model }),
    ...(responseId !== undefined && { responseId }),
  };
}

/**
 * Why a response with tool calls stopped. Only a documented cut-off makes its calls unusable: after `stop` or an unlisted
 * reason, calls that are complete are executed, and the unlisted reason is kept for the run.
 */
export function resolveFinish({
  finish,
  reason,
  calls,
  finished = true,
}: Pick<ResponseParts, "finish" | "reason" | "finished"> & { calls: readonly FunctionCallContent[] }): Pick<
  ChatResponse,
  "finishReason" | "unlistedFinishReason"
> {
  if (calls.length === 0) return { finishReason: finish === "tool_calls" || finish === null ? "other" : finish };
  if (finish === "tool_calls" || finish === "stop") return { finishReason: "tool_calls" };
  if (finish !== null && finish !== "pause") return { finishReason: finish };
  if (!finished || !calls.every(hasObjectArguments)) return { finishReason: "other" };
  return { finishReason: "tool_calls", unlistedFinishReason: reason.slice(0, MAX_REASON_CHARS) };
}

function hasObjectArguments({ arguments: text }: FunctionCallContent): boolean {
  if (typeof text !== "string") return isPlainObject(text);
  try {
    return isPlainObject(JSON.parse(text));
  } catch {
    return false;
  }
}
