import type { ChatUsage } from "../../../lib/contract";

/** More than any model reads or writes: what is above it is no count. */
const MAX_TOKENS = 1_000_000_000;

/** What a vendor says of a request's tokens, in its own terms; untrusted. */
export interface TokenCounts {
  /** Together they are everything that was read, cached tokens included. */
  input: readonly unknown[];
  output: readonly unknown[];
  cached?: unknown;
  reasoning?: unknown;
}

/** Whole numbers from 0 on; what is no such number counts as missing. Null where neither side is counted. */
export function tokenUsage({ input, output, cached, reasoning }: TokenCounts): ChatUsage | null {
  const read = sumOf(input);
  const written = sumOf(output);
  if (read === null && written === null) return null;
  const fromCache = countOf(cached);
  const thought = countOf(reasoning);
  return {
    inputTokens: read ?? 0,
    outputTokens: written ?? 0,
    ...(fromCache ? { cachedInputTokens: fromCache } : {}),
    ...(thought ? { reasoningTokens: thought } : {}),
  };
}

/** Null where none of them is a count. */
function sumOf(values: readonly unknown[]): number | null {
  const counts = values.map(countOf).filter((count) => count !== null);
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}

function countOf(value: unknown): number | null {
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;
  return isCount ? value : null;
}
