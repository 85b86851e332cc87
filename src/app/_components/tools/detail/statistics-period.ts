import { parseAsStringLiteral } from "nuqs/server";

/** Whole days of the viewer's time zone, as the overview counts them; null for all calls. */
const DAYS = { today: 1, "7d": 7, "30d": 30, "90d": 90, all: null } as const;

const PERIODS = ["today", "7d", "30d", "90d", "all"] as const;
type Period = (typeof PERIODS)[number];

export const PERIOD_LABELS: Record<Period, string> = {
  today: "Today",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
  all: "All time",
};

/** The period of the overview, whose figures lead here, is the default. */
export const periodParser = parseAsStringLiteral(PERIODS).withDefault("7d");

/** The input of `executions.toolStatistics`, for the server's prefetch and for the browser. */
export const toStatisticsInput = (name: string, period: Period, zone: string) => ({ name, days: DAYS[period], zone });
