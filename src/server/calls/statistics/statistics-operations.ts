import { z } from "zod";
import {
  STATISTIC_SCOPES,
  statisticsRangeSchema,
  statisticsReportSchema,
  statisticsSeriesSchema,
} from "../../../lib/contract/statistics";
import { operations, read } from "../../platform/api/operation";
import { timeSchema, timeZoneSchema } from "../../platform/api/route-inputs";

const value = z.string().min(1).max(300).optional();

/** `toolroom stats` is a command of its own: it prints a report as two tables. */
export const statisticsOperations = operations("statistics", {
  report: read({
    rest: "GET /statistics",
    summary:
      "Count the calls of a time with their failures and percentiles, also by minute, hour or day, and by tool, client and others",
    allow: "read",
    input: z.object({
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
    output: statisticsReportSchema,
    run: ({ services }, input) => services.statistics.report(input),
  }),
});
