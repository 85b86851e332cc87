import { z } from "zod";
import { SPEND_DIMENSIONS } from "./spend-days";

const day = z.iso.date("must be a day such as 2026-11-30");

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
        name: z.string().describe("To show: the user's name, for example"),
        ...amounts,
        calls,
      }),
    )
    .describe("Days in their order, others with the largest sum first: at most 1,000"),
});
export type SpendReport = z.infer<typeof spendReportSchema>;
export type SpendGroup = SpendReport["groups"][number];
