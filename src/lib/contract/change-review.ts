import { z } from "zod";
import { actorSchema } from "./actor-schema";
import {
  type ChangeReport,
  REPLAY_CLASSES,
  type ReplayVerdict,
  RULE_SETTINGS,
  type RuleFinding,
  SCHEMA_OUTCOMES,
  type SchemaVerdict,
  SEVERITIES,
  TRAFFIC_CLASSES,
  type TrafficVerdict,
} from "./change-verdict";
import { changedToolsSchema, heldChangeSchema } from "./held-change";
import { skillChangeSchema } from "./skill-change";

const count = z.number().int();
const severitySchema = z.enum(SEVERITIES).nullable();
const callersSchema = z.array(z.object({ id: z.string(), name: z.string(), calls: count }));
const fieldsSchema = z.array(z.object({ path: z.string(), calls: count }));

const findingSchema = z.object({
  rule: z.string(),
  severity: z.enum(SEVERITIES),
  side: z.enum(["input", "output", "tool"]),
  path: z.string(),
  message: z.string(),
  isBreaking: z.boolean(),
  witness: z.object({ value: z.json(), effect: z.enum(["refused", "impossible", "lost"]) }).nullable(),
}) as z.ZodType<RuleFinding>;

const schemaVerdictSchema = z.object({
  tool: z.string(),
  change: z.enum(["added", "removed", "changed", "unchanged"]),
  outcome: z.enum(SCHEMA_OUTCOMES),
  severity: severitySchema,
  findings: z.array(findingSchema),
}) satisfies z.ZodType<SchemaVerdict>;

const trafficVerdictSchema = z.object({
  tool: z.string(),
  from: z.number(),
  to: z.number(),
  total: count,
  counts: z.object({ accepted: count, rejected: count, alreadyInvalid: count, undecidable: count }),
  complete: z.boolean(),
  reasons: z.array(z.object({ reason: z.string(), path: z.string(), calls: count })),
  examples: z.array(
    z.object({
      executionId: z.string(),
      class: z.enum(TRAFFIC_CLASSES),
      at: z.number(),
      client: z.string().nullable(),
      person: z.string().nullable(),
      reason: z.string().nullable(),
    }),
  ),
  broken: count.describe("Rejected calls, and those that received a field that is gone"),
  clients: callersSchema,
  people: callersSchema,
  fields: fieldsSchema.describe("Fields that clients received and that are gone"),
  ignored: fieldsSchema.describe("Arguments that clients sent and that mean nothing any more"),
  suites: z
    .object({ total: count, broken: count })
    .optional()
    .describe("Calls of tests and evals, which the other figures do not count"),
  results: z.object({ judged: count, undecidable: count }),
  severity: severitySchema,
}) satisfies z.ZodType<TrafficVerdict>;

const replayVerdictSchema = z.object({
  tool: z.string(),
  calls: count,
  budget: count,
  counts: z.object({ same: count, different: count, failed: count, variesByItself: count }),
  examples: z.array(
    z.object({
      executionId: z.string(),
      class: z.enum(REPLAY_CLASSES),
      differences: z.array(z.string()),
      reason: z.string().nullable(),
      currentMs: z.number().nullable(),
      candidateMs: z.number().nullable(),
      currentBytes: z.number().nullable(),
      candidateBytes: z.number().nullable(),
    }),
  ),
  severity: severitySchema,
}) satisfies z.ZodType<ReplayVerdict>;

/** Several verdicts on one list of tools. */
export const changeReportSchema = z.object({
  server: z.string(),
  at: z.number(),
  schema: z.array(schemaVerdictSchema),
  unchanged: count,
  traffic: z.array(trafficVerdictSchema).nullable(),
  replay: z.array(replayVerdictSchema).nullable(),
  severity: severitySchema,
}) satisfies z.ZodType<ChangeReport>;

/** Recorded calls that a verdict looks at: the newest of each tool. */
export const trafficWindowSchema = z.object({
  calls: z.number().int().min(1).max(100_000).default(10_000),
  days: z.number().min(0.01).max(3_650).nullable().default(30).describe("Null for all that is recorded"),
});
export type TrafficWindowInput = z.infer<typeof trafficWindowSchema>;

export const ruleSettingsSchema = z.record(z.string().max(100), z.enum(RULE_SETTINGS));

/** The version of the server that clients have used so far. Null: its recorded results take its place. */
const baselineSchema = z
  .union([
    z.strictObject({
      command: z.string().min(1).max(1_000),
      args: z.array(z.string().max(4_000)).max(100).default([]),
    }),
    z.strictObject({ url: z.url({ protocol: /^https?$/ }).max(2_000) }),
  ])
  .nullable();
export type ReplayBaseline = z.infer<typeof baselineSchema>;

const MAX_REPLAY_CALLS = 300;
export const replayRequestSchema = z.object({
  budget: z.number().int().min(2).max(MAX_REPLAY_CALLS).default(30).describe("Calls made, of both versions together"),
  baseline: baselineSchema.default(null),
});
export type ReplayRequest = z.infer<typeof replayRequestSchema>;

/** A replay of recorded calls, while it runs and after it. */
export const changeReplaySchema = z.object({
  status: z.enum(["running", "succeeded", "failed", "cancelled"]),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  by: actorSchema,
  baseline: z.enum(["current", "recorded"]),
  verdict: replayVerdictSchema.nullable(),
  /** Why it failed, or made no call. */
  error: z.string().nullable(),
});
export type ChangeReplay = z.infer<typeof changeReplaySchema>;

/** A change that waits or is in use without a review, with all that is known about it. */
export const reviewedChangeSchema = heldChangeSchema.extend({
  catalogName: z.string(),
  /** Null for a new tool. */
  schema: schemaVerdictSchema.nullable(),
  /** Null for a new tool, and until recorded calls have been checked. */
  traffic: trafficVerdictSchema.nullable(),
  judgedAt: z.number().nullable(),
  replay: changeReplaySchema.nullable(),
});
export type ReviewedChange = z.infer<typeof reviewedChangeSchema>;

export const changeReviewSchema = z.object({
  server: z.string(),
  policy: changedToolsSchema,
  /** Undecided changes first. */
  items: z.array(reviewedChangeSchema),
  total: count,
  /** Tools whose calls may be replayed, by the server's names. */
  replayable: z.array(z.object({ tool: z.string(), by: actorSchema, at: z.number() })),
  /** Changed tools that call themselves read-only and are not replayable. */
  proposed: z.array(z.string()),
  /** Versions of the server's skills that clients do not have: undecided ones first. */
  skills: z.array(skillChangeSchema),
});
export type ChangeReview = z.infer<typeof changeReviewSchema>;

/** The changes of one server that wait or are in use without a review, for lists and banners. */
export const waitingChangesSchema = z.object({
  server: z.string(),
  open: count,
  skills: count.describe("Versions of skills that wait"),
  applied: count.describe("Breaking changes that are in use without a review"),
  questioned: count.describe("Undecided changes that schemas or recorded calls question"),
  broken: count.describe("Recorded calls that these changes break"),
  total: count.describe("Recorded calls of the changed tools"),
  unjudged: count.describe("Tools whose recorded calls are not checked yet"),
  reason: z.string().nullable().describe("Why most calls break: `priority became required`"),
});
export type WaitingChanges = z.infer<typeof waitingChangesSchema>;
