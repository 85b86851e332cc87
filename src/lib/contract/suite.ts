import { z } from "zod";
import { actorSchema } from "./actor-schema";
import { errorKindSchema } from "./envelope";
import { evalRunDetailSchema, evalRunInputSchema, evalRunSummarySchema } from "./eval";
import { executionFilterSchema } from "./execution";
import type { JsonSchema } from "./json";
import { lastEditSchema } from "./last-edit";
import {
  DEFAULT_CONCURRENCY,
  JSON_PATH_PATTERN,
  JSON_PATH_RULE,
  MAX_CONCURRENCY,
  MAX_TESTS,
  MIN_INTERVAL_MS,
  SUITE_NAME_PATTERN,
} from "./suite-limits";
import { suiteRunFactsSchema } from "./suite-run";

/** The content of a suite: calls of tools, or questions to a model. */
export const suiteKindSchema = z.enum(["tests", "evals"]);
export type SuiteKind = z.infer<typeof suiteKindSchema>;

const pathSchema = z.string().max(500).regex(JSON_PATH_PATTERN, JSON_PATH_RULE);
const schemaSchema: z.ZodType<JsonSchema> = z.record(z.string(), z.unknown());

/** One expectation of a test. Without one of the kind `error`, the call has to succeed. */
export const assertionSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("equals").describe("The result is this value; the order of keys does not count"),
    value: z.json(),
    ignore: z.array(pathSchema).max(200).optional().describe("Paths that may differ; `*` matches any member or item"),
  }),
  z.strictObject({
    kind: z.literal("subset").describe("The result contains these members and, in this order, these items"),
    value: z.json(),
  }),
  z.strictObject({
    kind: z.literal("path").describe("What the result has at a path"),
    path: pathSchema,
    is: z.enum(["equals", "contains", "exists", "absent"]),
    value: z.json().optional().describe("For `equals` and `contains`"),
  }),
  z.strictObject({ kind: z.literal("schema").describe("The result matches a JSON Schema"), schema: schemaSchema }),
  z.strictObject({
    kind: z.literal("error").describe("The call fails in this way"),
    error: errorKindSchema,
    message: z.string().max(1_000).optional().describe("A part of its message"),
  }),
  z.strictObject({
    kind: z.literal("time").describe("The tool ran no longer than this"),
    maxMs: z.number().min(1).max(86_400_000),
  }),
  z.strictObject({
    kind: z.literal("size").describe("The result is no larger than this"),
    maxBytes: z.number().int().min(1).max(1_073_741_824),
  }),
]);
export type Assertion = z.infer<typeof assertionSchema>;
export type AssertionKind = Assertion["kind"];

/** A call of a tool with the assertions on its outcome. */
export const suiteTestSchema = z.strictObject({
  name: z.string().trim().min(1, "is required").max(200),
  tool: z.string().min(1, "is required").max(200),
  arguments: z.record(z.string(), z.json()).default({}),
  assertions: z.array(assertionSchema).max(30).default([]),
  timeoutMs: z.number().int().min(1).max(86_400_000).optional(),
});
export type SuiteTest = z.infer<typeof suiteTestSchema>;

/** The schedule of a suite: an interval, or a cron expression in a time zone. */
export const suiteScheduleSchema = z.union([
  z.strictObject({
    everyMs: z.number().int().min(MIN_INTERVAL_MS, "must be at least 60000, which is a minute").max(2_678_400_000),
  }),
  z.strictObject({ cron: z.string().trim().min(1).max(200), timeZone: z.string().min(1).max(64).default("UTC") }),
]);
export type SuiteSchedule = z.infer<typeof suiteScheduleSchema>;

const approvalsSchema = z
  .enum(["refuse", "ask"])
  .describe("Tests of tools that need approval: not run, or run after a user approved each call");

/** A suite as users edit it, and as its file has it. Evals are edited one by one. */
export const suiteInputSchema = z.strictObject({
  kind: suiteKindSchema.default("tests"),
  name: z
    .string()
    .regex(SUITE_NAME_PATTERN, "must be 1 to 64 letters, digits, '_' or '-', beginning with a letter or digit"),
  description: z.string().max(2_000).default(""),
  tests: z.array(suiteTestSchema).max(MAX_TESTS).default([]),
  schedule: suiteScheduleSchema.nullable().default(null),
  approvals: approvalsSchema.default("refuse"),
  concurrency: z.number().int().min(1).max(MAX_CONCURRENCY).default(DEFAULT_CONCURRENCY).describe("Calls at once"),
  runWith: evalRunInputSchema
    .nullable()
    .default(null)
    .describe("Of evals: the model of runs by schedule, and of runs that name none"),
});
export type SuiteInput = z.infer<typeof suiteInputSchema>;

/** One run of a suite of tests, or a replay of recorded calls. */
export const testRunSchema = suiteRunFactsSchema.extend({
  kind: z.enum(["tests", "replay"]),
  /** The call ran, and something that was expected is missing; of a replay, its outcome is another one. */
  failed: z.number().int(),
  /** The call failed where it had to succeed. */
  errors: z.number().int(),
  /** Cases that made no call: the tool needs approval, its arguments are masked, or the run ended before. */
  skipped: z.number().int(),
});
export type TestRun = z.infer<typeof testRunSchema>;

/** Something that was expected and is not so. Values are short JSON texts. */
export const testProblemSchema = z.object({
  assertion: z.string(),
  path: z.string(),
  message: z.string(),
  expected: z.string().nullable(),
  actual: z.string().nullable(),
});
export type TestProblem = z.infer<typeof testProblemSchema>;

export const testResultSchema = z.object({
  position: z.number().int(),
  name: z.string(),
  tool: z.string(),
  status: z.enum(["passed", "failed", "error", "skipped"]),
  /** Why it was not called. */
  reason: z.string().nullable(),
  executionId: z.string().nullable(),
  /** The recorded call that a replay repeats. */
  originalId: z.string().nullable(),
  durationMs: z.number().nullable(),
  problems: z.array(testProblemSchema),
  /** The reader may not see the result of the call. */
  restricted: z.literal(true).optional(),
});
export type TestResult = z.infer<typeof testResultSchema>;

export const testRunDetailSchema = testRunSchema.extend({ results: z.array(testResultSchema) });
export type TestRunDetail = z.infer<typeof testRunDetailSchema>;

/** A run of either kind. */
export const suiteRunSchema = z.discriminatedUnion("kind", [testRunSchema, evalRunSummarySchema]);
export type SuiteRun = z.infer<typeof suiteRunSchema>;

/** A run with its outcome: results of tests, or attempts of evals. */
export const suiteRunDetailSchema = z.discriminatedUnion("kind", [testRunDetailSchema, evalRunDetailSchema]);
export type SuiteRunDetail = z.infer<typeof suiteRunDetailSchema>;

export const suiteSchema = suiteInputSchema.extend({
  createdAt: z.number(),
  updatedAt: z.number(),
  lastEdit: lastEditSchema.optional(),
  nextRunAt: z.number().nullable().describe("When its schedule runs it next"),
  scheduledBy: actorSchema.nullable().describe("For whom its schedule calls: who saved it last"),
});
export type Suite = z.infer<typeof suiteSchema>;

export const suiteSummarySchema = suiteSchema
  .pick({ kind: true, name: true, description: true, schedule: true, nextRunAt: true, runWith: true, updatedAt: true })
  .extend({
    testCount: z.number().int(),
    evalCount: z.number().int(),
    /** Its tools, in the order of their tests; at most ten. */
    tools: z.array(z.string()),
    lastRun: suiteRunSchema.nullable(),
  });
export type SuiteSummary = z.infer<typeof suiteSummarySchema>;

/** A file of suites: `toolroom test --file` runs it, an import saves it. */
export const suiteFileSchema = z.strictObject({
  toolroomSuites: z.literal(1, "must be 1: the version of the format"),
  suites: z.array(suiteInputSchema).max(200),
});

/** The recorded calls to replay: these, or the newest that match a filter. */
export const replayChoiceSchema = z.object({
  ids: z.array(z.string().max(100)).min(1).max(5_000).optional(),
  filter: executionFilterSchema.optional(),
});
export type ReplayChoice = z.infer<typeof replayChoiceSchema>;

export const replayPreviewSchema = z.object({
  count: z.number().int().describe("Calls that a replay makes, at most `limit`"),
  matches: z.number().int().describe("Calls that match"),
  more: z.boolean().describe("Counting the matches stopped at its limit"),
  limit: z.number().int(),
  tools: z.array(z.object({ name: z.string(), calls: z.number().int() })),
  needsApproval: z
    .array(z.object({ name: z.string(), calls: z.number().int() }))
    .describe("Tools whose calls need approval"),
  notReplayable: z.number().int().describe("Reads, calls that have not ended, and those that the reader may not see"),
});
export type ReplayPreview = z.infer<typeof replayPreviewSchema>;
