import { z } from "zod";

export const SPEND_DIMENSIONS = ["day", "user", "client", "tool", "model"] as const;
export type SpendDimension = (typeof SPEND_DIMENSIONS)[number];

/** The longest time that one report covers. */
export const MAX_SPEND_DAYS = 366;
const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

const day = z.iso.date("must be a day such as 2026-11-30");

const toDay = (date: string): number => Date.parse(date) / DAY_MS;
export const toDate = (days: number): string => new Date(days * DAY_MS).toISOString().slice(0, 10);

/** The first and the last day, as days since 1970. */
export function toSpendDays({ from, to }: SpendInput, now: number): { first: number; last: number } {
  const last = to === undefined ? Math.floor(now / DAY_MS) : toDay(to);
  return { first: from === undefined ? last - DEFAULT_DAYS + 1 : toDay(from), last };
}

export const spendInputSchema = z.object({
  from: day.optional().describe("The first day in UTC: `2026-11-01`; default: 30 days with the last one"),
  to: day.optional().describe("The last day; default: today. At most 366 days"),
  by: z.enum(SPEND_DIMENSIONS).default("day").describe("`tool`: calls of tools alone; `model`: calls of models alone"),
});
export type SpendInput = z.infer<typeof spendInputSchema>;

const amounts = {
  tools: z.number().describe("US dollars by the prices of rules"),
  models: z.number().describe("US dollars by the prices of models, in runs of agents"),
};
const calls = z.number().int().describe("Calls with a price");

export const spendReportSchema = z.object({
  from: z.string(),
  to: z.string(),
  isOwn: z.boolean().describe("Only what the reader spent: others' spend is for admins"),
  total: z.object({ ...amounts, calls }),
  days: z.array(z.object({ day: z.string(), ...amounts })).describe("Every day, the first one first"),
  groups: z
    .array(
      z.object({
        value: z.string().describe("A day, a user's id, a program, a tool, or provider and model; empty: no program"),
        name: z.string().describe("For people: the user's name, for example"),
        ...amounts,
        calls,
      }),
    )
    .describe("Days in their order, others with the largest sum first: at most 1,000"),
});
export type SpendReport = z.infer<typeof spendReportSchema>;
export type SpendGroup = SpendReport["groups"][number];
