import { z } from "zod";
import { RULE_EFFECTS } from "./call-rule-words";

/** The effect of a rule on one call, or its effect if it did not only record. */
export const ruleMatchSchema = z.object({
  ruleId: z.string(),
  name: z.string().describe("The rule's name then"),
  version: z.number().int(),
  effect: z.enum(RULE_EFFECTS),
  recordOnly: z.boolean().describe("The rule only recorded: the call went on without it"),
  values: z
    .record(z.string(), z.json())
    .describe("What the condition read, by its path: `args.amount`, and what was done to the result. Secrets masked"),
});
export type RuleMatch = z.infer<typeof ruleMatchSchema>;
