import { z } from "zod";
import { actorSchema } from "./actor-schema";
import { FAILED_CLASSES } from "./call-class";
import { type ExecutionFacets, type ExecutionTimeline, FACET_NAMES } from "./execution-facets";
import { figuresSchema, waitFiguresSchema } from "./statistics";
import type { DefinitionUse } from "./tool-version";

const count = z.number().int();
const ms = z.number().nullable();

/** Calls that failed, and the parts that they are the sum of (`FAILED_CLASSES`). */
const failedFiguresSchema = figuresSchema.pick({
  finished: true,
  failed: true,
  error: true,
  timedOut: true,
  interrupted: true,
  invalid: true,
});
export type FailedFigures = z.infer<typeof failedFiguresSchema>;

/** Calls by class (`call-class.ts`), without those of evals and tests, and imported ones. */
export type CallFigures = z.infer<typeof figuresSchema>;
export type WaitFigures = z.infer<typeof waitFiguresSchema>;

export const toolStatsSchema = figuresSchema.extend({ waits: waitFiguresSchema });
export type ToolStats = z.infer<typeof toolStatsSchema>;

/** Calls of one kind among the counted ones; percentiles as in `CallFigures`. */
const callGroupSchema = failedFiguresSchema.extend({
  calls: count,
  p50Ms: ms,
  p95Ms: ms,
  key: z
    .string()
    .nullable()
    .describe("What its calls have in common: a program, a version's definition. Null where they say nothing"),
});
export type CallGroup = z.infer<typeof callGroupSchema>;

const failureGroupSchema = z
  .object({
    kind: z.enum(FAILED_CLASSES),
    message: z
      .string()
      .nullable()
      .describe("Its first characters; null where the calls say nothing, or the reader may not see what they say"),
    calls: count,
    latestId: z.string().describe("The newest one"),
    latestAt: z.number(),
  })
  .describe("Calls that failed in one way with one message");
export type FailureGroup = z.infer<typeof failureGroupSchema>;

/** The messages of a tool's failed calls. */
export const toolFailuresSchema = z.object({
  failures: z.array(failureGroupSchema).describe("Most frequent first: of the newest `failureLimit` failed calls"),
  read: count.describe("The failed calls whose messages were read"),
  failureLimit: count,
});
export type ToolFailures = z.infer<typeof toolFailuresSchema>;

/** The failed calls of a period by cause. */
export const failureReportSchema = z.object({
  since: z.number().describe("Epoch milliseconds, inclusive"),
  until: z.number().describe("Epoch milliseconds, inclusive"),
  calls: count.describe("All calls of the period, counted up to 10,000"),
  moreCalls: z.boolean().describe("There are more calls than were counted"),
  failed: count.describe("The failed calls that were read: the newest, at most `failureLimit`"),
  failureLimit: count,
  causes: z
    .array(
      z.object({
        tool: z.string(),
        errorKind: z.string().nullable(),
        message: z
          .string()
          .nullable()
          .describe("Of the newest one, its first characters; null where the reader may not see what it says"),
        calls: count,
        latestId: z.string(),
        latestAt: z.number(),
      }),
    )
    .describe("Calls of one tool that failed with the same message but for its numbers; most calls first, at most 20"),
});
export type FailureReport = z.infer<typeof failureReportSchema>;

/** A tool's calls of a period, in groups. */
export const toolStatisticsSchema = toolFailuresSchema.extend({
  total: toolStatsSchema.describe("All of them"),
  since: z.number().nullable().describe("Epoch milliseconds: where the period begins. Null for all calls"),
  latency: z
    .array(z.object({ upToMs: ms, calls: count, failed: count }))
    .describe("Finished calls by duration: more than the bound before and at most `upToMs`, null for the last"),
  clients: z
    .array(callGroupSchema.extend({ source: z.string().nullable() }))
    .describe("By the caller's program without its version, or by source where it names none. Most calls first"),
  versions: z
    .array(callGroupSchema.extend({ number: count.nullable(), toolName: z.string().nullable() }))
    .describe("By definition, newest first; `number` is the version in the tool's history"),
});
export type ToolStatistics = z.infer<typeof toolStatisticsSchema>;

/** The figures of a tool's calls in the catalog. */
export const toolFiguresSchema = failedFiguresSchema.extend({
  toolName: z.string(),
  calls: count.describe("Within the days that were asked for"),
  lastUsedAt: z.number().describe("Epoch milliseconds, of all calls"),
});
export type ToolFigures = z.infer<typeof toolFiguresSchema>;

/** The figures of the calls of an MCP server's or API's tools, within the days that were asked for. */
export const serverFiguresSchema = failedFiguresSchema.extend({ serverName: z.string(), calls: count, p95Ms: ms });
export type ServerFigures = z.infer<typeof serverFiguresSchema>;

export const overviewStatsSchema = z.object({
  totals: toolStatsSchema,
  days: z
    .array(figuresSchema.extend({ day: z.string() }))
    .describe("One entry a day of the zone that was asked for, oldest first, days without calls included"),
  slowest: z
    .array(z.object({ toolName: z.string(), calls: count, p95Ms: z.number() }))
    .describe("Tools with five finished calls or more"),
  failing: z
    .array(z.object({ toolName: z.string(), finished: count, failed: count }))
    .describe("By number of failures, most first; also names that callers used and no tool had"),
  unknown: z
    .array(z.object({ toolName: z.string(), calls: count }))
    .describe("Names that no tool had and that are not among those, with the calls that used them"),
  rebuilding: z.boolean().describe("True while figures are rebuilt after an upgrade: older calls are not counted yet"),
});
export type OverviewStats = z.infer<typeof overviewStatsSchema>;

export const namedOverviewSchema = overviewStatsSchema.extend({
  gone: z.array(z.string()).describe("The slowest and failing tools that are not in the catalog now"),
});

export const definitionUseSchema = z.object({
  counts: z.record(z.string(), count).describe("Calls by content hash of the definition that ran"),
  complete: z.boolean().describe("False: older calls were not counted, so each count is a lower bound"),
}) satisfies z.ZodType<DefinitionUse>;

export const executionFacetsSchema = z.record(
  z.enum(FACET_NAMES),
  z.object({
    values: z
      .array(z.object({ value: z.string(), count }))
      .describe("Most calls first; calls without a value are in none"),
    more: z.boolean().describe("Counting stopped before the oldest call: each value has at least its count"),
  }),
) satisfies z.ZodType<ExecutionFacets>;

export const executionTimelineSchema = z.object({
  points: z
    .array(
      z.object({
        at: z.number().describe("The first instant of the step, epoch milliseconds"),
        calls: count,
        failed: count,
        open: count.describe("Running, or waiting for a user"),
        succeeded: count,
        error: count,
        timedOut: count,
        interrupted: count,
        invalid: count,
        consoleInvalid: count,
        rejected: count,
        cancelled: count,
        p50Ms: ms,
        p95Ms: ms,
        p99Ms: ms,
      }),
    )
    .describe("Oldest first, without gaps. None where no call matches"),
  end: z.number().describe("The end of the last step, exclusive"),
  more: z.boolean().describe("Counting stopped: there are older calls, which no step has"),
}) satisfies z.ZodType<ExecutionTimeline>;

/** The values by which recorded calls can be filtered. */
export const knownCallersSchema = z.object({ tools: z.array(z.string()), actors: z.array(actorSchema) });
