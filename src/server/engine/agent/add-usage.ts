import type { ChatUsage } from "../../../lib/contract/chat";

/** Tokens of two answers together; what neither counts stays uncounted. */
export function addUsage(one: ChatUsage, other: ChatUsage): ChatUsage {
  const sum = (key: "cachedInputTokens" | "reasoningTokens") =>
    one[key] === undefined && other[key] === undefined ? {} : { [key]: (one[key] ?? 0) + (other[key] ?? 0) };
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...sum("cachedInputTokens"),
    ...sum("reasoningTokens"),
  };
}
