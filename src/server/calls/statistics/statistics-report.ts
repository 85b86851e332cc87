import type { z } from "zod";
import { problemsOfIssues } from "../../../lib/contract/problem";
import {
  STATISTIC_SCOPES,
  type StatisticsGroupsRequest,
  type StatisticsRange,
  type StatisticsReport,
  type StatisticsSeriesRequest,
  statisticsGroupsSchema,
  statisticsSeriesSchema,
} from "../../../lib/contract/statistics";
import { invalidInput } from "../../platform/shared/app-error";
import type { StatisticsReads } from "./statistics-store";

type Scope = (typeof STATISTIC_SCOPES)[number];

/** The calls that a report counts, by one scope at most, and their groups. */
export interface ReportRequest extends Partial<Record<Scope, string | undefined>> {
  /** Epoch milliseconds; absent: 24 hours before `until`. */
  since?: number | undefined;
  /** Exclusive; absent: now. */
  until?: number | undefined;
  kind?: StatisticsRange["kinds"];
  span?: StatisticsSeriesRequest["span"] | undefined;
  zone?: string | undefined;
  by?: Scope | "errorKind" | undefined;
}

type ReportReads = Pick<StatisticsReads, "totals" | "series" | "groups">;

const DAY_MS = 86_400_000;

/** @throws AppError INVALID for more than one scope, too many points, or groups that are not counted */
export async function readReport(reads: ReportReads, request: ReportRequest): Promise<StatisticsReport> {
  const { kind, span, zone, by } = request;
  const until = request.until ?? Date.now();
  const range = { since: request.since ?? until - DAY_MS, until, of: readScope(request), kinds: kind };
  const { rebuilding, ...totals } = await reads.totals(range);
  const series = span && (await reads.series(check(statisticsSeriesSchema, { ...range, span, zone })));
  const grouped = by && (await reads.groups(check(statisticsGroupsSchema, { ...range, by: toDimension(by) })));
  return {
    since: range.since,
    until,
    rebuilding,
    totals,
    ...(series && { points: series.points }),
    ...(grouped && { groups: grouped.groups }),
  };
}

function readScope(request: ReportRequest): StatisticsRange["of"] {
  const given = STATISTIC_SCOPES.flatMap((scope) => {
    const value = request[scope];
    return value === undefined ? [] : [{ scope, value }];
  });
  if (given.length > 1) {
    const message = `is one scope too many: give one of ${STATISTIC_SCOPES.join(", ")}`;
    throw invalidInput("", [{ path: given.at(-1)?.scope ?? "", message }]);
  }
  const [first] = given;
  return first && { dimension: toDimension(first.scope), value: first.value };
}

const toDimension = <Name extends Scope | "errorKind">(scope: Name) =>
  (scope === "user" ? "actor" : scope) as Exclude<Name, "user"> | "actor";

function check<Request extends StatisticsSeriesRequest | StatisticsGroupsRequest>(
  schema: z.ZodType<Request>,
  request: unknown,
): Request {
  const read = schema.safeParse(request);
  if (!read.success) throw invalidInput("", problemsOfIssues(read.error.issues));
  return read.data;
}
