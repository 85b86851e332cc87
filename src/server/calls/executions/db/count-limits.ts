import type { CountEffort } from "../execution-store";

interface CountLimits {
  /** Milliseconds of work in this process after which counting ends. */
  budgetMs: number;
  /** Milliseconds of work in PostgreSQL, which does not block this process. */
  serverMs: number;
  /** The limit of calls in a count. */
  counted: number;
  /** Calls that facets and charts read at most: charts hold them in memory. */
  scanned: number;
}

/** A page shows the first count while it asks for the second one, which other requests run beside. */
const LIMITS = {
  quick: { budgetMs: 20, serverMs: 50, counted: 10_000, scanned: 40_000 },
  thorough: { budgetMs: 2_000, serverMs: 2_000, counted: 1_000_000, scanned: 200_000 },
} as const satisfies Record<string, CountLimits>;

/** Returns the limits of one of several counts that together answer a request. */
export function getCountLimits({ isThorough = false, parts = 1 }: CountEffort = {}): CountLimits {
  const { budgetMs, serverMs, ...limits } = LIMITS[isThorough ? "thorough" : "quick"];
  return { ...limits, budgetMs: budgetMs / parts, serverMs: serverMs / parts };
}
