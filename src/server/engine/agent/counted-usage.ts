import type { ChatUsage } from "../../../lib/contract/chat";

/** Whole tokens, none below zero: providers are not trusted with numbers. */
export function countedUsage(used: ChatUsage): Required<ChatUsage> {
  return {
    inputTokens: tokens(used.inputTokens),
    outputTokens: tokens(used.outputTokens),
    cachedInputTokens: tokens(used.cachedInputTokens),
    reasoningTokens: tokens(used.reasoningTokens),
  };
}

function tokens(count: number | undefined): number {
  return Number.isFinite(count) ? Math.max(0, Math.trunc(count ?? 0)) : 0;
}
