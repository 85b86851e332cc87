import { z } from "zod";
import { ROLES } from "./access";
import { callRuleInputSchema, callRuleSchema } from "./call-rule";
import { CASE_EFFECTS, RULE_OUTCOMES } from "./call-rule-words";
import { executionSourceSchema } from "./envelope";
import { isPlainObject, type JsonObject } from "./json";
import { lastEditSchema } from "./last-edit";
import { CASE_OUTCOMES, CASE_STATUSES } from "./rule-case-words";

const name = z.string().trim().min(1, "must not be empty").max(200);
const ruleName = callRuleInputSchema.shape.name;

const caseCallerSchema = z.strictObject({
  id: name.optional(),
  name: name.optional(),
  role: z.enum(ROLES).optional(),
  token: name.nullable().optional().describe("The id of an API token; absent: without one"),
});

/** The call of a case. Only what matters is given: a rule that depends on another fact makes the case fail with its name. */
export const caseCallSchema = z.strictObject({
  tool: name.describe("Its name in the catalog"),
  arguments: z
    .custom<JsonObject>(isPlainObject, "must be a JSON object")
    .default({})
    .describe("A JSON object; numbers keep their digits"),
  caller: caseCallerSchema.optional().describe("Who calls"),
  client: name.nullable().optional().describe("`claude-code/1.2.3`; absent: none"),
  source: executionSourceSchema.optional().describe("Where the call comes from"),
  server: name.nullable().optional().describe("Absent: the tool's own"),
  toolset: name.nullable().optional().describe("Absent: none"),
  tags: z.array(name).max(100).optional().describe("Absent: the tool's own"),
  time: z.iso
    .datetime({ offset: true, error: "must be a time with its zone, such as 2026-11-30T22:15:00+01:00" })
    .optional()
    .describe("When it is received, with its zone"),
  count: z
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe("Calls of this caller and tool before it, whatever minutes a condition counts"),
});
export type CaseCall = z.infer<typeof caseCallSchema>;

const caseExpectationSchema = z.strictObject({
  outcome: z.enum(CASE_OUTCOMES).describe("`none`: no rule decides, the settings of tools and servers do"),
  rule: ruleName.optional().describe("The name of the rule that must decide; absent: any"),
  effects: z
    .array(z.enum(CASE_EFFECTS))
    .max(CASE_EFFECTS.length)
    .optional()
    .describe("What rules must do beside that, each by at least one rule. Hooks are not called. Absent: anything"),
});

export const ruleCaseInputSchema = z.strictObject({
  name: z.string().trim().min(1, "must not be empty").max(120),
  call: caseCallSchema,
  expect: caseExpectationSchema,
});
export type RuleCaseInput = z.infer<typeof ruleCaseInputSchema>;

/** The part of a case that a request can set. */
export const toCaseInput = ({ name: title, call, expect }: RuleCaseInput): RuleCaseInput => ({
  name: title,
  call,
  expect,
});

export const ruleCaseResultSchema = z.object({
  status: z.enum(CASE_STATUSES),
  outcome: z.enum(RULE_OUTCOMES).describe("`unknown`: the case does not give a fact that decides"),
  rule: z.string().nullable().describe("The rule that decides, or of which it cannot be told whether it does"),
  effects: z
    .array(z.object({ rule: z.string(), effect: z.enum(CASE_EFFECTS) }))
    .describe("Of rules that do more than decide, in their order"),
  notes: z.array(z.string()).describe("What keeps the case from passing, and conditions that cannot be evaluated"),
  read: z
    .array(z.object({ rule: z.string(), values: z.record(z.string(), z.json()) }))
    .describe("Of a case that does not pass: what the conditions of the rules in question read, by its path"),
});
export type RuleCaseResult = z.infer<typeof ruleCaseResultSchema>;

/** A call, and what the rules must do with it. Times are epoch milliseconds. */
export const ruleCaseSchema = ruleCaseInputSchema.extend({
  id: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  updatedBy: z.string(),
  lastEdit: lastEditSchema,
  result: ruleCaseResultSchema.describe("By the rules of now"),
});
export type RuleCase = z.infer<typeof ruleCaseSchema>;

export const testedCaseSchema = ruleCaseInputSchema.extend({ result: ruleCaseResultSchema });
export type TestedCase = z.infer<typeof testedCaseSchema>;

export const ruleTestInputSchema = z.object({
  rule: callRuleInputSchema.optional().describe("Tested as if it were saved, with its state"),
  id: z
    .string()
    .max(100)
    .optional()
    .describe("The rule that `rule` replaces; without `rule`, the cases are tested without this one"),
});
export type RuleTestInput = z.infer<typeof ruleTestInputSchema>;

export const ruleTestSchema = z.object({
  passed: z.number().int(),
  failed: z.number().int().describe("Cases that do not pass, those with the status `error` included"),
  cases: z.array(testedCaseSchema).describe("By name"),
  changed: z
    .array(z.object({ name: z.string(), before: ruleCaseResultSchema, after: ruleCaseResultSchema }))
    .describe("Cases with another outcome than by the rules of now; none without `rule` and `id`"),
});
export type RuleTest = z.infer<typeof ruleTestSchema>;

/** The answer to saving a rule. */
export const savedRuleSchema = callRuleSchema.extend({
  brokenCases: z.array(z.string()).describe("Cases that passed before and do not any more, by name"),
});
export type SavedRule = z.infer<typeof savedRuleSchema>;

/** A case that a recorded call suggests. */
export const proposedCaseSchema = z.object({
  case: ruleCaseInputSchema,
  left: z.array(z.string()).describe("Arguments that were left out, by path: their values are masked"),
  notes: z
    .array(z.string())
    .describe("Why the rules of now cannot decide the call, and conditions that cannot be evaluated on it"),
});
export type ProposedCase = z.infer<typeof proposedCaseSchema>;
