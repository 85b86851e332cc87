import { parseAsStringLiteral } from "nuqs/server";
import { listDayStarts } from "@/lib/format/time-zone";
import { type FilterLook, toNothing } from "./filters";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const RANGE_MS = { "1h": HOUR_MS, "24h": 24 * HOUR_MS, "7d": 168 * HOUR_MS, "30d": 720 * HOUR_MS };

const RANGE_LABELS: Record<TimeRange, string> = {
  today: "Today",
  yesterday: "Yesterday",
  "1h": "Last hour",
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  custom: "Custom range",
};

/**
 * A range up to now, a day in the viewer's time zone, or `custom`, whose ends are the parameters `since` and `until` of
 * the address.
 */
export type TimeRange = keyof typeof RANGE_MS | "today" | "yesterday" | "custom";

/** Epoch milliseconds; null is open. */
export interface RangeEnds {
  since: number | null;
  until: number | null;
}

/** The ends of a time range that is chosen at `now`; open for `custom`, whose ends the address has. */
export function toRangeEnds(range: TimeRange | null, now: number, zone: string): RangeEnds {
  if (range === null || range === "custom") return { since: null, until: null };
  // The range begins at a full minute, as statistics count by minutes.
  if (range !== "today" && range !== "yesterday") {
    // Figures of several days begin with a full hour.
    const unit = RANGE_MS[range] > 24 * HOUR_MS ? HOUR_MS : MINUTE_MS;
    return { since: Math.floor((now - RANGE_MS[range]) / unit) * unit, until: null };
  }
  const [yesterday, today] = listDayStarts(now, 2, zone).map(({ start }) => start);
  if (today === undefined || yesterday === undefined || range === "today") return { since: today ?? null, until: null };
  return { since: yesterday, until: today - 1 };
}

/**
 * The field of a time range; the server gets its ends.
 * @param startInAddress fixes the start when the range is chosen; otherwise the range moves with the clock
 */
export function timeRange<const Value extends TimeRange>(values: readonly Value[], startInAddress: boolean) {
  const look: FilterLook = { label: "Time range", any: "All time", words: RANGE_LABELS, className: "w-auto!" };
  return {
    ...look,
    startInAddress,
    control: "range",
    parser: parseAsStringLiteral(values),
    values,
    toSent: toNothing,
  } as const;
}
