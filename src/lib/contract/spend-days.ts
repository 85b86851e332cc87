export const SPEND_DIMENSIONS = ["day", "user", "client", "tool", "model"] as const;
export type SpendDimension = (typeof SPEND_DIMENSIONS)[number];

/** The longest period of one report. */
export const MAX_SPEND_DAYS = 366;
const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

const toDay = (date: string): number => Date.parse(date) / DAY_MS;
export const toDate = (days: number): string => new Date(days * DAY_MS).toISOString().slice(0, 10);

/** The first and the last day, as days since 1970. */
export function toSpendDays(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  now: number,
): { first: number; last: number } {
  const last = to === undefined ? Math.floor(now / DAY_MS) : toDay(to);
  return { first: from === undefined ? last - DEFAULT_DAYS + 1 : toDay(from), last };
}
