import type { ChatContent, ChatResponse, ChatUsage, FinishReason, FunctionCallContent } from "../../lib/contract/chat";
import { isPlainObject } from "../../lib/contract/json";

/** Reasons of a provider go into notes and events. */
const MAX_REASON_CHARS = 100;

export interface ResponseParts {
  contents: ChatContent[];
  /** The meaning of the provider's stop reason; null for a reason that its documentation does not list. */
  finish: FinishReason | null;
  /** The provider's reason to stop; empty if it gave none. */
  reason: string;
  /** More about the reason, for users. */
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
    const value: unknown = JSON.parse(text);
    return value === null || isPlainObject(value);
  } catch {
    return false;
  }
}

/** More than any model reads or writes. */
const MAX_TOKENS = 1_000_000_000;

/** Token counts of one request as the vendor reports them; untrusted. */
export interface TokenCounts {
  /** Their sum is the number of read tokens, cached ones included. */
  input: readonly unknown[];
  output: readonly unknown[];
  cached?: unknown;
  reasoning?: unknown;
}

/** Values that are not whole numbers from 0 on count as missing. Null if both sides are missing. */
export function countTokens({ input, output, cached, reasoning }: TokenCounts): ChatUsage | null {
  const inputTokens = sumCounts(input);
  const outputTokens = sumCounts(output);
  if (inputTokens === null && outputTokens === null) return null;
  const usage: ChatUsage = { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 };
  const cachedInputTokens = toCount(cached);
  if (cachedInputTokens) usage.cachedInputTokens = cachedInputTokens;
  const reasoningTokens = toCount(reasoning);
  if (reasoningTokens) usage.reasoningTokens = reasoningTokens;
  return usage;
}

/** The sum; null if none of the values is a count. */
function sumCounts(values: readonly unknown[]): number | null {
  const counts = values.map(toCount).filter((count) => count !== null);
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}

function toCount(value: unknown): number | null {
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;
  return isCount ? value : null;
}
