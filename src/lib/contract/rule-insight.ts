import { z } from "zod";
import { actorSchema } from "./actor-schema";
import { ruleEffectSchema } from "./call-rule";
import { RULE_DECISIONS, RULE_STATES } from "./call-rule-words";

/** Calls that a rule matches, by their end. `unknown`: a masked value, or a fact that was not recorded, decides. */
const caughtCounts = {
  matched: z.number().int().describe("Calls that it matches"),
  failed: z.number().int().describe("Those of them that failed"),
  succeeded: z.number().int().describe("Those of them that succeeded"),
  unknown: z.number().int().describe("Calls for which a masked value or a fact that was not recorded decides"),
};

/** The recorded calls of the tool that were evaluated. */
const evaluatedCalls = {
  since: z.number(),
  until: z.number(),
  calls: z.number().int().describe("Recorded calls of the tool that were evaluated"),
  failed: z.number().int().describe("Those of them that failed"),
  succeeded: z.number().int().describe("Those of them that succeeded"),
  more: z.boolean().describe("There are older calls in this time, which were not evaluated"),
};

export const ruleProposalSchema = z.object({
  condition: z.string().describe("Empty: every call in scope"),
  ...caughtCounts,
});
export type RuleProposal = z.infer<typeof ruleProposalSchema>;

export const ruleProposalsInputSchema = z.object({
  execution: z.string().min(1).max(100).describe("The id of the call that the rule is made from"),
  effect: z.enum(RULE_DECISIONS).default("ask"),
  callers: z.enum(["all", "same"]).default("all").describe("`same`: only calls of its caller are in scope"),
  field: z.string().max(300).optional().describe("A number to compare with its value first: `args.amount`"),
});
export type RuleProposalsInput = z.infer<typeof ruleProposalsInputSchema>;

export const ruleProposalsSchema = z.object({
  execution: z.string(),
  toolName: z.string(),
  caller: actorSchema.nullable().describe("Whose calls are in scope; null: everyone's"),
  ...evaluatedCalls,
  proposals: z.array(ruleProposalSchema).describe("At most three conditions, the best first"),
});
export type RuleProposals = z.infer<typeof ruleProposalsSchema>;

export const caughtCallSchema = z.object({
  execution: z.string(),
  toolName: z.string(),
  ...evaluatedCalls,
  rules: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        state: z.enum(RULE_STATES),
        effect: ruleEffectSchema,
        isCertain: z.boolean().describe("False where a masked value decides whether it matches the call"),
        ...caughtCounts,
      }),
    )
    .describe("Rules that are off or only record, and would have denied the call or asked for it"),
  proposals: z
    .array(ruleProposalSchema)
    .describe("Conditions that failed calls meet more often than good ones, at most three"),
});
export type CaughtCall = z.infer<typeof caughtCallSchema>;

const resultCounts = z.object({
  matched: z.number().int(),
  succeeded: z.number().int(),
  failed: z.number().int(),
  rejected: z.number().int().describe("Rejected by a user or a rule, or expired"),
  cancelled: z.number().int(),
  open: z.number().int().describe("Running, or waiting for a user"),
  approved: z.number().int().describe("Calls that a user approved, whatever their end"),
});
export type ResultCounts = z.infer<typeof resultCounts>;

export const RESULT_DAYS = [7, 30] as const;

export const ruleResultsSchema = z.object({
  ruleId: z.string(),
  days: z.number().int(),
  since: z.number(),
  recorded: resultCounts.describe("Calls that went on without the rule, which only recorded"),
  decided: resultCounts.describe("Calls that the rule decided"),
  earlier: z.number().int().describe("Calls of these that an earlier version of the rule matched"),
  hidden: z.number().int().describe("Matches that are left out, since the reader may not see these calls"),
  more: z.boolean().describe("There are older matches in this time, which were not counted"),
  groups: z
    .array(resultCounts.extend({ actor: actorSchema, toolName: z.string() }))
    .describe("By caller and tool, the largest 20"),
});
export type RuleResults = z.infer<typeof ruleResultsSchema>;
