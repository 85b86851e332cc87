import type { ChatUsage } from "../../lib/contract/chat";

/** More than any model reads or writes. */
const MAX_TOKENS = 1_000_000_000;

/** Token counts of one request as the vendor reports them; untrusted. */
export interface TokenCounts {
  /** Their sum is everything that was read, cached tokens included. */
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

/** Null if none of them is a count. */
function sumCounts(values: readonly unknown[]): number | null {
  const counts = values.map(toCount).filter((count) => count !== null);
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}

function toCount(value: unknown): number | null {
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;
  return isCount ? value : null;
}
