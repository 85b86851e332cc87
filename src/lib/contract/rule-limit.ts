import { z } from "zod";
import { approvalModeSchema } from "./approval";
import {
  LIMIT_ACTIONS,
  LIMIT_KEYS,
  LIMIT_MEASURES,
  MAX_LIMIT_MINUTES,
  MAX_LIMIT_WAIT_SECONDS,
} from "./call-rule-words";

/** Above this amount, sums would lose digits. */
const MAX_AMOUNT = 1_000_000_000_000;

export const limitEffectSchema = z
  .strictObject({
    kind: z.literal("limit"),
    measure: z
      .enum(LIMIT_MEASURES)
      .default("calls")
      .describe(
        "`bytes` of arguments and result, and `money` in US dollars (the prices of rules), are counted when a call ends: the next call sees them",
      ),
    most: z.number().positive("must be more than 0").max(MAX_AMOUNT).describe("Within the window"),
    minutes: z
      .number()
      .int()
      .min(1)
      .max(MAX_LIMIT_MINUTES)
      .describe(
        "The window, which slides: room comes back at most a sixtieth of it late. Another window, measure or `per` starts at 0",
      ),
    per: z
      .array(z.enum(LIMIT_KEYS))
      .max(LIMIT_KEYS.length)
      .default([])
      .describe("What is counted apart; empty: all calls together. `client` names itself, `run` is a run of an agent"),

    models: z
      .boolean()
      .optional()
      .describe(
        "Counts what models of runs, evals and sampling cost too, and refuses their next request. For `money` that is denied, counted per user or run, by a rule without scope, token, client and condition",
      ),
    action: z
      .enum(LIMIT_ACTIONS)
      .default("deny")
      .describe("For a call without room. A call that is denied or rejected is not counted, one that fails is"),
    approver: approvalModeSchema.exclude(["never"]).default("always").describe("Who may approve, where it asks"),
    waitSeconds: z
      .number()
      .int()
      .min(1)
      .max(MAX_LIMIT_WAIT_SECONDS)
      .default(60)
      .describe("How long a call waits for room at most, and never longer than its timeout"),
  })
  .refine(({ measure, most }) => measure === "money" || Number.isInteger(most), {
    path: ["most"],
    error: "must be a whole number",
  });
export type LimitEffect = z.infer<typeof limitEffectSchema>;

/** The current usage of one limit, for one of its keys. */
export const limitUsageSchema = z.object({
  ruleId: z.string(),
  ruleName: z.string(),
  key: z.string().describe("For `reset`"),
  parts: z
    .array(z.object({ of: z.enum(LIMIT_KEYS), value: z.string().nullable() }))
    .describe("What it is counted for: a user's id, say; null for calls without one. Empty: all calls together"),
  measure: z.enum(LIMIT_MEASURES),
  used: z.number(),
  most: z.number(),
  minutes: z.number().int(),
  freeAt: z.number().nullable().describe("When there is room again; null where there is room"),
});
export type LimitUsage = z.infer<typeof limitUsageSchema>;
