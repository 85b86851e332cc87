import type { ChatUsage } from "../../../lib/contract/chat";
import type { ModelPrice } from "../../../lib/contract/model";

/** US dollars. Cached tokens cost what uncached ones do where no price of their own is known. */
export function costOf(used: ChatUsage, price: ModelPrice): number {
  const cached = Math.min(used.cachedInputTokens ?? 0, used.inputTokens);
  const input = (used.inputTokens - cached) * price.input + cached * (price.cachedInput ?? price.input);
  return (input + used.outputTokens * price.output) / 1_000_000;
}
