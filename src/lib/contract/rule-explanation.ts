import { z } from "zod";
import { approvalModeSchema } from "./approval";
import { ruleEffectSchema } from "./call-rule";
import { EXPLAINED_OUTCOMES, EXPLAINED_SETTINGS, RULE_STEPS } from "./call-rule-words";
import { executionSourceSchema } from "./envelope";
import { problemSchema } from "./problem-schema";
import { caseCallSchema } from "./rule-case";
import { limitUsageSchema } from "./rule-limit";

/** A call as a case gives it. What is absent is as it would be now: you call, now, over REST, without client, token and toolset. */
export const explainedCallSchema = caseCallSchema;

const explainedLimitSchema = limitUsageSchema
  .pick({ parts: true, measure: true, used: true, most: true, minutes: true, freeAt: true })
  .extend({ left: z.number() });
export type ExplainedLimit = z.infer<typeof explainedLimitSchema>;

export const explainedRuleSchema = z.object({
  id: z.string(),
  name: z.string(),
  position: z.number().int(),
  effect: ruleEffectSchema,
  recordOnly: z.boolean(),
  step: z.enum(RULE_STEPS),
  notEvaluated: z
    .boolean()
    .describe("The condition cannot be evaluated: a field is missing, types do not fit or it takes too much work"),
  decides: z.boolean().describe("This rule decides whether the call runs"),
  values: z.record(z.string(), z.json()).describe("What the condition reads, by its path. Secrets masked"),
  limit: explainedLimitSchema.optional().describe("What is used now"),
  price: z.number().nullable().optional().describe("US dollars; null where only the result can tell, or it is unknown"),
});
export type ExplainedRule = z.infer<typeof explainedRuleSchema>;

export const explainedSettingSchema = z.object({
  tool: z.string(),
  of: z.enum(EXPLAINED_SETTINGS),
  says: z.enum(["ask", "allow"]).nullable().describe("Null where it says nothing of this tool"),
  decides: z.boolean(),
});
export type ExplainedSetting = z.infer<typeof explainedSettingSchema>;

/** What would become of a call, with each rule and setting in its order. Nothing is counted, recorded or sent. */
export const callExplanationSchema = z.object({
  outcome: z.enum(EXPLAINED_OUTCOMES),
  runs: z.string().nullable().describe("The tool that a rule has run in its place; null without one"),
  by: z.string().nullable().describe("The rule that decides; null where a setting does"),
  message: z
    .string()
    .nullable()
    .describe("What the caller would receive in place of a result, or why that cannot be told"),
  approver: approvalModeSchema.nullable().describe("Who would be asked; null where no user is"),
  problems: z
    .array(problemSchema)
    .describe("What is wrong with the arguments: rules do not see a call that is invalid"),
  caller: z.object({
    id: z.string(),
    name: z.string().nullable(),
    role: z.string().nullable().describe("Null where it is not known, or not yours to read"),
  }),
  source: executionSourceSchema,
  rules: z.array(explainedRuleSchema),
  settings: z.array(explainedSettingSchema),
});
export type CallExplanation = z.infer<typeof callExplanationSchema>;
