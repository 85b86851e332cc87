import { z } from "zod";
import { isCounted } from "./call-class";
import { NO_CLIENT } from "./execution-facets";
import { EXECUTION_KINDS } from "./execution-kind";

/** The dimensions by which calls are grouped. A client is the caller's program without its version. */
export const STATISTIC_DIMENSIONS = ["tool", "server", "source", "client", "actor", "toolset"] as const;
export type StatisticDimension = (typeof STATISTIC_DIMENSIONS)[number];

const MAX_POINTS = 2_000;
const SPAN_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** Calls of a time, without those of model checks. Percentiles are within 2%, counts are exact. */
export const statisticsRangeSchema = z.object({
  since: z.number().int().min(0).describe("Epoch milliseconds; taken down to the full minute"),
  until: z.number().int().min(0).optional().describe("Epoch milliseconds, exclusive; absent: until now"),
  of: z
    .object({ dimension: z.enum(STATISTIC_DIMENSIONS), value: z.string().max(300) })
    .optional()
    .describe("Only the calls of this tool, server, source, client, user or toolset"),
  kinds: z.array(z.enum(EXECUTION_KINDS)).min(1).optional().describe("Absent: calls of tools"),
});
export type StatisticsRange = z.infer<typeof statisticsRangeSchema>;

/** The group that has the calls of a list's filter, given without its time and kinds; `{}` for all calls, null where none has. */
export function toGroup(filter: object): Pick<StatisticsRange, "of"> | null {
  const set = Object.entries(filter).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  const [name, value] = set[0] ?? [];
  if (name === undefined) return {};
  const dimension = STATISTIC_DIMENSIONS.find((each) => each === name);
  const one: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (set.length > 1 || dimension === undefined || typeof one !== "string") return null;
  // A client with its version is part of a value.
  if ((name === "client" && (one.includes("/") || one === NO_CLIENT)) || (name === "source" && !isCounted(one)))
    return null;
  return { of: { dimension, value: one } };
}

const isBounded = ({ since, until, span }: { since: number; until?: number | undefined; span: keyof typeof SPAN_MS }) =>
  ((until ?? Date.now()) - since) / SPAN_MS[span] <= MAX_POINTS;

export const statisticsSeriesSchema = statisticsRangeSchema
  .extend({
    span: z.enum(["minute", "hour", "day"]),
    zone: z.string().max(64).optional().describe("The time zone of the days; absent: UTC"),
  })
  .refine(isBounded, { path: ["since"], message: `must give at most ${MAX_POINTS} points` });
export type StatisticsSeriesRequest = z.infer<typeof statisticsSeriesSchema>;

export const statisticsGroupsSchema = statisticsRangeSchema
  .extend({ by: z.enum([...STATISTIC_DIMENSIONS, "errorKind"]) })
  .refine(({ of, by }) => of === undefined || by === "errorKind" || (of.dimension === "tool" && by === "client"), {
    path: ["of"],
    message: "can be grouped by errorKind only, and a tool by client",
  });
export type StatisticsGroupsRequest = z.infer<typeof statisticsGroupsSchema>;

const ms = z.number().nullable();
const count = z.number().int();

export const figuresSchema = z.object({
  calls: count,
  finished: count.describe("Succeeded or failed"),
  failed: count.describe(
    "`error`, `timedOut`, `interrupted` and `invalid`; the failure rate is `failed` of `finished`",
  ),
  error: count.describe("Ended with an error of the tool, its server or Toolroom"),
  timedOut: count,
  interrupted: count,
  invalid: count.describe("Invalid arguments from programs"),
  consoleInvalid: count.describe("Invalid arguments that a user entered in the console; no part of `failed`"),
  rejected: count,
  cancelled: count,
  waiting: count,
  running: count,
  p50Ms: ms.describe("Durations of finished calls; null where none finished"),
  p95Ms: ms,
  p99Ms: ms,
});
export type StatisticFigures = z.infer<typeof figuresSchema>;

/** Calls that waited for a user: for approval, or for input that their server requested. */
export const waitFiguresSchema = z
  .object({ calls: count, p50Ms: ms, p95Ms: ms })
  .describe("Calls that waited for a user, and how long");

const totalsSchema = figuresSchema.extend({
  waits: waitFiguresSchema,
  latency: z
    .array(z.object({ upToMs: ms, calls: count, failed: count }))
    .describe("Finished calls by duration: up to 1, 3, 10, 30 … ms"),
});
const pointSchema = figuresSchema.extend({ start: z.number().describe("Epoch milliseconds") });
const groupSchema = figuresSchema.extend({ value: z.string() });

/** True while figures are rebuilt after an upgrade: older calls are not counted yet. */
interface Rebuilt {
  rebuilding: boolean;
}

export type StatisticsTotals = z.infer<typeof totalsSchema> & Rebuilt;

export interface StatisticsSeries extends Rebuilt {
  /** Oldest first, without gaps. */
  points: z.infer<typeof pointSchema>[];
}

export interface StatisticsGroups extends Rebuilt {
  /** Most calls first. Calls without the value are in no group. */
  groups: z.infer<typeof groupSchema>[];
}

/** The dimensions as the REST API and the command line name them. */
export const STATISTIC_SCOPES = ["tool", "server", "source", "client", "user", "toolset"] as const;

/** Totals, points and groups of one period in one answer. */
export const statisticsReportSchema = z.object({
  since: z.number(),
  until: z.number(),
  rebuilding: z.boolean().describe("True while figures are rebuilt after an upgrade: older calls are not counted yet"),
  totals: totalsSchema,
  points: z.array(pointSchema).optional().describe("With `span`: oldest first, without gaps"),
  groups: z.array(groupSchema).optional().describe("With `by`: most calls first; calls without the value are in none"),
});
export type StatisticsReport = z.infer<typeof statisticsReportSchema>;
