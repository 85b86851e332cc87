import { parseAsStringLiteral } from "nuqs/server";
import { type FilterLook, toNothing } from "./filters";

const HOUR_MS = 60 * 60_000;

const RANGE_MS = { "15m": HOUR_MS / 4, "1h": HOUR_MS, "24h": 24 * HOUR_MS, "7d": 168 * HOUR_MS, "30d": 720 * HOUR_MS };

const RANGE_LABELS: Record<TimeRange, string> = {
  "15m": "Last 15 minutes",
  "1h": "Last hour",
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  custom: "Custom range",
};

/** Up to now, or `custom` with ends of its own: the parameters `since` and `until` of the address. */
export type TimeRange = keyof typeof RANGE_MS | "custom";

/** Where a time range begins when it is chosen at `now`. */
export function toRangeStart(range: TimeRange | null, now: number): number | null {
  return range === null || range === "custom" ? null : now - RANGE_MS[range];
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
