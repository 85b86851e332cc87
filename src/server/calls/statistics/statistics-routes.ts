import { z } from "zod";
import { problemsOfIssues } from "../../../lib/contract/problem";
import {
  STATISTIC_SCOPES,
  type StatisticsReport,
  statisticsGroupsSchema,
  statisticsRangeSchema,
  statisticsReportSchema,
  statisticsSeriesSchema,
} from "../../../lib/contract/statistics";
import { defineRoute } from "../../platform/api/route";
import { timeSchema, timeZoneSchema } from "../../platform/api/route-inputs";
import { invalidInput } from "../../platform/shared/app-error";

const DAY_MS = 86_400_000;

const value = z.string().min(1).max(300).optional();

const getStatistics = defineRoute({
  method: "GET",
  path: "/statistics",
  permission: "read",
  response: statisticsReportSchema,
  summary:
    "Count the calls of a time with their failures and percentiles, also by minute, hour or day, and by tool, client and others",
  query: z.object({
    since: timeSchema.optional().describe("Taken down to the full minute; default: 24 hours ago"),
    until: timeSchema.optional().describe("Exclusive; default: now"),
    tool: value,
    server: value,
    source: value,
    client: value,
    user: value,
    toolset: value,
    kind: statisticsRangeSchema.shape.kinds,
    span: statisticsSeriesSchema.shape.span.optional(),
    zone: timeZoneSchema.optional(),
    by: z.enum([...STATISTIC_SCOPES, "errorKind"]).optional(),
  }),
  async answer({ services: { statistics } }, { query: { kind, span, zone, by, ...query } }): Promise<StatisticsReport> {
    const until = query.until ?? Date.now();
    const scopes = STATISTIC_SCOPES.flatMap((scope) => {
      const wanted = query[scope];
      return wanted === undefined ? [] : [{ dimension: toDimension(scope), value: wanted }];
    });
    if (scopes.length > 1) {
      const message = `is one scope too many: give one of ${STATISTIC_SCOPES.join(", ")}`;
      throw invalidInput("", [
        { path: STATISTIC_SCOPES.findLast((scope) => query[scope] !== undefined) ?? "", message },
      ]);
    }
    const range = { since: query.since ?? until - DAY_MS, until, of: scopes[0], kinds: kind };
    const { rebuilding, ...totals } = await statistics.totals(range);
    const series = span && (await statistics.series(check(statisticsSeriesSchema, { ...range, span, zone })));
    const grouped = by && (await statistics.groups(check(statisticsGroupsSchema, { ...range, by: toDimension(by) })));
    return {
      since: range.since,
      until,
      rebuilding,
      totals,
      ...(series && { points: series.points }),
      ...(grouped && { groups: grouped.groups }),
    };
  },
});

const toDimension = <Name extends string>(scope: Name) =>
  (scope === "user" ? "actor" : scope) as Exclude<Name, "user"> | "actor";

function check<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const read = schema.safeParse(input);
  if (!read.success) throw invalidInput("", problemsOfIssues(read.error.issues));
  return read.data;
}

export const STATISTICS_ROUTES = [getStatistics];
