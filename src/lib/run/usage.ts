import type { ChatUsage } from "../contract/chat";
import type { ModelPrice } from "../contract/model";

/** A count that both lack stays absent. */
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

/** Whole tokens, none below zero: the numbers of providers are untrusted. */
export function countUsage(used: ChatUsage): Required<ChatUsage> {
  return {
    inputTokens: countTokens(used.inputTokens),
    outputTokens: countTokens(used.outputTokens),
    cachedInputTokens: countTokens(used.cachedInputTokens),
    reasoningTokens: countTokens(used.reasoningTokens),
  };
}

function countTokens(count: number | undefined): number {
  return Number.isFinite(count) ? Math.max(0, Math.trunc(count ?? 0)) : 0;
}

/** US dollars. Cached tokens cost what uncached ones do where no price of their own is known. */
export function computeCost(used: ChatUsage, price: ModelPrice): number {
  const cached = Math.min(used.cachedInputTokens ?? 0, used.inputTokens);
  const input = (used.inputTokens - cached) * price.input + cached * (price.cachedInput ?? price.input);
  return (input + used.outputTokens * price.output) / 1_000_000;
}
