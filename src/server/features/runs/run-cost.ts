import type { ChatUsage, ModelPrice } from "../../../lib/contract";

/** Whole tokens, none below zero: providers are not trusted with numbers. */
export function countedUsage(used: ChatUsage): Required<ChatUsage> {
  return {
    inputTokens: tokens(used.inputTokens),
    outputTokens: tokens(used.outputTokens),
    cachedInputTokens: tokens(used.cachedInputTokens),
    reasoningTokens: tokens(used.reasoningTokens),
  };
}

/** US dollars. Cached tokens cost what uncached ones do where no price of their own is known. */
export function costOf(used: ChatUsage, price: ModelPrice): number {
  const cached = Math.min(used.cachedInputTokens ?? 0, used.inputTokens);
  const input = (used.inputTokens - cached) * price.input + cached * (price.cachedInput ?? price.input);
  return (input + used.outputTokens * price.output) / 1_000_000;
}

function tokens(count: number | undefined): number {
  return Number.isFinite(count) ? Math.max(0, Math.trunc(count ?? 0)) : 0;
}
