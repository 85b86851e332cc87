"use client";

import type { OverviewStats } from "@/lib/contract/execution";
import { getDayBounds } from "@/lib/format";
import { CallsChart } from "./call-charts";
import { toCallsPath } from "./calls-path";
import { DurationChart } from "./duration-chart";

type Day = OverviewStats["days"][number];

/** Calls and durations by day of a zone, each leading to the executions of the days. */
export function DayCharts({ days, zone }: { days: readonly Day[]; zone: string }) {
  const points = days.map((day) => toPoint(day, zone));
  const chart = { points, zone, end: getDayBounds(days.at(-1)?.day ?? "1970-01-01", zone).until + 1 };
  return (
    <>
      <CallsChart {...chart} title="Calls by day" toPath={toCallsPath} />
      <DurationChart
        {...chart}
        title="Duration by day"
        toPath={(ends) => toCallsPath({ ...ends, sort: "-duration" })}
      />
    </>
  );
}

function toPoint({ day, calls, finished, failed, invalid, rejected, cancelled, p50Ms, p95Ms }: Day, zone: string) {
  const open = calls - finished - invalid - rejected - cancelled;
  return {
    ...{
      at: getDayBounds(day, zone).since,
      calls,
      succeeded: finished - failed,
      failed,
      invalid,
      rejected,
      cancelled,
      open,
    },
    ...{ p50Ms, p95Ms, p99Ms: null },
  };
}
