import { z } from "zod";
import type { CallFigures, WaitFigures } from "./execution";
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

export interface StatisticFigures extends CallFigures {
  running: number;
  p99Ms: number | null;
}

/** True while figures are rebuilt after an upgrade: older calls are not counted yet. */
interface Rebuilt {
  rebuilding: boolean;
}

export interface StatisticsTotals extends StatisticFigures, Rebuilt {
  /** Calls that waited for a user, and how long. */
  waits: WaitFigures;
  /** Finished calls by duration. The bounds of the groups are 1, 3, 10, 30 … ms. */
  latency: { upToMs: number | null; calls: number; failed: number }[];
}

export interface StatisticsSeries extends Rebuilt {
  /** Oldest first, without gaps. `start` is in epoch milliseconds. */
  points: (StatisticFigures & { start: number })[];
}

export interface StatisticsGroups extends Rebuilt {
  /** Most calls first. Calls without the value are in no group. */
  groups: (StatisticFigures & { value: string })[];
}
