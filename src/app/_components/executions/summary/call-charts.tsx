"use client";

import type { ReactNode } from "react";
import { TimeChart, type TimeChartProps } from "@/app/_kit/chart/time-chart";
import type { OverviewStats } from "@/lib/contract/execution";
import type { TimelinePoint } from "@/lib/contract/execution-facets";
import { formatCount, formatDuration, formatPlural, formatRate, getDayBounds } from "@/lib/format";
import { toCallsPath } from "./calls-path";

export interface CallChartProps {
  title: string;
  /** Oldest first, without gaps. */
  points: readonly TimelinePoint[];
  /** The end of the last step, exclusive. */
  end: number;
  zone: string;
  toPath: TimeChartProps["toPath"];
  action?: ReactNode;
  note?: string | undefined;
  isPlain?: boolean;
}

const toSteps = (points: readonly TimelinePoint[], end: number) =>
  points.map(({ at }, index) => ({ at, end: points[index + 1]?.at ?? end }));

const getFinished = ({ succeeded, failed }: TimelinePoint): number => succeeded + failed;
/** Neither succeeded nor failed: invalid, rejected, cancelled, or not ended. */
const getOthers = (point: TimelinePoint): number => point.calls - getFinished(point);

/** Calls as columns; failures, which are rare beside them, as a line on a scale of their own. */
export function CallsChart({ points, end, ...chart }: CallChartProps) {
  const sum = (read: (point: TimelinePoint) => number): number => points.reduce((all, each) => all + read(each), 0);
  const hasOthers = sum(getOthers) > 0;
  return (
    <TimeChart
      {...chart}
      summary={`${formatPlural(
        sum(({ calls }) => calls),
        "call",
      )}, ${formatCount(sum(({ failed }) => failed))} failed`}
      steps={toSteps(points, end)}
      formatAxis={(value) => (Number.isInteger(value) ? formatCount(value) : "")}
      describeStep={(step) => describeCalls(points[step])}
      listFigures={(step) => listCalls(points[step])}
      series={[
        { label: hasOthers ? "finished" : "calls", look: "bar", tone: "accent", values: points.map(getFinished) },
        ...(hasOthers
          ? [{ label: "not run or open", look: "bar", tone: "mute", values: points.map(getOthers) } as const]
          : []),
        { label: "failed", look: "line", tone: "bad", values: points.map(({ failed }) => failed), onRight: true },
      ]}
    />
  );
}

const NO_CALL: TimelinePoint = {
  ...{ at: 0, calls: 0, succeeded: 0, failed: 0, invalid: 0, rejected: 0, cancelled: 0, open: 0 },
  ...{ p50Ms: null, p95Ms: null, p99Ms: null },
};
const OTHERS = ["invalid", "rejected", "cancelled", "open"] as const;

function describeCalls(point: TimelinePoint = NO_CALL): string[] {
  return [
    formatPlural(point.calls, "call"),
    `${formatCount(point.failed)} failed (${formatRate(point.failed, getFinished(point))})`,
    ...OTHERS.flatMap((name) => (point[name] > 0 ? [`${formatCount(point[name])} ${name}`] : [])),
  ];
}

function listCalls(point: TimelinePoint = NO_CALL): Record<string, string> {
  const { calls, succeeded, failed } = point;
  return {
    Calls: formatCount(calls),
    Succeeded: formatCount(succeeded),
    Failed: formatCount(failed),
    "Not run or open": formatCount(getOthers(point)),
    "Failure rate": formatRate(failed, getFinished(point)),
  };
}

const PERCENTILES = [
  { label: "p50", key: "p50Ms", tone: "text" },
  { label: "p95", key: "p95Ms", tone: "accent" },
  { label: "p99", key: "p99Ms", tone: "mute", isDashed: true },
] as const;

/** Percentiles of the durations of finished calls; steps in which none finished stay empty. */
export function DurationChart({ points, end, ...chart }: CallChartProps) {
  const shown = PERCENTILES.filter(({ key }) => key !== "p99Ms" || points.some((point) => point[key] !== null));
  const measured = points.filter(({ p50Ms }) => p50Ms !== null).length;
  const read = (step: number) =>
    shown.map(({ label, key }) => [label, formatDuration(points[step]?.[key] ?? null)] as const);
  return (
    <TimeChart
      {...chart}
      summary={`Duration in ${formatPlural(measured, "step")} with finished calls: ${shown.map(({ label }) => label).join(", ")}`}
      steps={toSteps(points, end)}
      formatAxis={(value) => (measured === 0 ? "" : value === 0 ? "0" : formatDuration(value))}
      describeStep={(step) =>
        points[step]?.p50Ms == null ? ["No call finished"] : read(step).map(([label, text]) => `${label} ${text}`)
      }
      listFigures={(step) => Object.fromEntries(read(step))}
      series={shown.map(({ key, ...look }) => ({ ...look, look: "line", values: points.map((point) => point[key]) }))}
    />
  );
}

/** The note of a timeline that reached its limit. */
export const formatNote = (calls: number): string =>
  `The newest ${formatCount(calls)} calls are counted. A shorter time range shows all of its calls.`;

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
