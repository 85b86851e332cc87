import { z } from "zod";
import { executionSourceSchema } from "./envelope";
import { runSourceSchema } from "./run";

/**
 * The scope of a rule, from the most specific to the least: calls of a tool, of a server's tools, of a source, all other calls, and runs. A call
 * of a run goes with its run.
 */
export const retentionScopeSchema = z.enum(["tool", "server", "source", "other", "runs"]);
export type RetentionScope = z.infer<typeof retentionScopeSchema>;

const limit = (most: number, what: string) =>
  z
    .number()
    .int(`must be an integer: ${what}`)
    .min(1, "must be at least 1")
    .max(most, `must be at most ${most}`)
    .optional();

/** A rule without limits keeps all objects in its scope. */
export const retentionRuleSchema = z.strictObject({
  scope: retentionScopeSchema,
  name: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(300)
    .optional()
    .describe("The tool, server or source; of runs the source"),
  maxAgeDays: limit(36_500, "days").describe("Older ones are deleted"),
  maxCount: limit(1_000_000_000, "a number of calls or runs").describe("More than these are deleted, the oldest first"),
  maxBytes: limit(1e15, "bytes").describe("More bytes of arguments, results and events are deleted, the oldest first"),
});
export type RetentionRule = z.infer<typeof retentionRuleSchema>;

export const retentionPolicySchema = z
  .strictObject({ rules: z.array(retentionRuleSchema).max(100, "has at most 100 rules") })
  .superRefine(({ rules }, context) => {
    const known = new Set<string>();
    for (const [at, rule] of rules.entries()) {
      const add = (field: string, message: string) =>
        context.addIssue({ code: "custom", path: ["rules", at, field], message });
      const isNamed = rule.scope !== "other" && rule.scope !== "runs";
      if (isNamed && rule.name === undefined) add("name", `is required: the ${rule.scope} that the rule is about`);
      if (rule.scope === "other" && rule.name !== undefined)
        add("name", "does not belong to this rule: it is about all other calls");
      if (rule.scope === "source" && rule.name !== undefined && !executionSourceSchema.safeParse(rule.name).success) {
        add("name", `must be one of ${executionSourceSchema.options.join(", ")}`);
      }
      if (rule.scope === "runs" && rule.name !== undefined && !runSourceSchema.safeParse(rule.name).success) {
        add("name", `must be one of ${runSourceSchema.options.join(", ")}, or left out for all runs`);
      }
      const key = `${rule.scope} ${rule.name ?? ""}`;
      if (known.has(key)) add("scope", "has a rule already: merge the two");
      known.add(key);
    }
  });
export type RetentionPolicy = z.infer<typeof retentionPolicySchema>;

const amountSchema = z.object({ count: z.number().int(), bytes: z.number() });

/** The amounts that a rule would delete and keep now. */
export const retentionFindingSchema = z.object({
  rule: retentionRuleSchema,
  deletes: amountSchema,
  keeps: amountSchema,
  exempt: z
    .number()
    .int()
    .describe("Pinned, running or waiting, or named by something that stays; not counted by the limits"),
  oldestKeptAt: z.number().nullable().describe("Epoch milliseconds; exempt ones left out"),
});
export type RetentionFinding = z.infer<typeof retentionFindingSchema>;

export const retentionPreviewSchema = z.object({ findings: z.array(retentionFindingSchema), tookMs: z.number() });
export type RetentionPreview = z.infer<typeof retentionPreviewSchema>;

export const retentionSweepSchema = z.object({
  startedAt: z.number(),
  finishedAt: z.number(),
  executions: z.number().int(),
  runs: z.number().int(),
  definitions: z.number().int().describe("Definitions of tools that no call names any more"),
  bytes: z.number().describe("Of arguments, results and events"),
  releasedBytes: z.number().describe("By which the database file became shorter"),
  error: z.string().nullable(),
});
export type RetentionSweep = z.infer<typeof retentionSweepSchema>;

export const retentionStateSchema = z.object({
  policy: retentionPolicySchema,
  revision: z.number().int().describe("Of the policy; 0 before the first one was saved"),
  savedAt: z.number().nullable(),
  savedBy: z.string().nullable(),
  running: z.boolean().describe("A sweep is running"),
  sweeps: z
    .array(retentionSweepSchema)
    .describe("Newest first: the last one, and those that deleted something or failed"),
});
export type RetentionState = z.infer<typeof retentionStateSchema>;
