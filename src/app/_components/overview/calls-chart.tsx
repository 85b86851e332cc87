import type { OverviewStats } from "@/lib/contract/execution";
import { formatCount, formatDuration, formatPlural, formatRate, getDayBounds } from "@/lib/format";
import { axisValues, CHART_HEIGHT, type Column, columns, roundUpMax, toCallsPath, toY } from "./chart-geometry";
import { DayChart } from "./day-chart";

type Days = OverviewStats["days"];

/** Calls as columns; failures, which are rare beside them, as a line on a scale of their own. */
export function CallsChart({ days, zone }: { days: Days; zone: string }) {
  const max = roundUpMax(days.map((day) => day.calls));
  const failedMax = roundUpMax(days.map((day) => day.failed));
  const places = columns(days.length);
  const calls = days.reduce((sum, day) => sum + day.calls, 0);
  const failed = days.reduce((sum, day) => sum + day.failed, 0);
  const points = days.map((day, at) => {
    const { x, width } = places[at] ?? { x: 0, width: 0 };
    return { day: day.day, x: x + width / 2, y: toY(day.failed, failedMax) };
  });
  const toLabels = (top: number) => axisValues(top).map((value) => (Number.isInteger(value) ? formatCount(value) : ""));
  return (
    <DayChart
      title="Calls by day"
      summary={`${formatPlural(calls, "call")} in ${formatPlural(days.length, "day")}, ${formatCount(failed)} failed`}
      legend={[
        { label: "calls", swatch: <span aria-hidden className="size-2 rounded-xs bg-accent" /> },
        { label: "failed (right scale)", swatch: <span aria-hidden className="h-0.5 w-3 bg-bad" /> },
      ]}
      axis={toLabels(max)}
      rightAxis={toLabels(failedMax)}
      zone={zone}
      days={days.map((day) => ({
        day: day.day,
        lines: [
          formatPlural(day.calls, "call"),
          `${formatCount(day.failed)} failed (${formatRate(day.failed, day.finished)})`,
        ],
        href: toCallsPath(getDayBounds(day.day, zone)),
      }))}
    >
      {days.map((day, at) => {
        const place = places[at];
        if (place === undefined) return null;
        const top = toY(day.calls, max);
        return <rect key={day.day} {...place} y={top} height={CHART_HEIGHT - top} className="fill-accent opacity-35" />;
      })}
      <g className="fill-none stroke-bad" strokeLinecap="round" strokeLinejoin="round">
        <polyline
          points={points.map(({ x, y }) => `${x},${y}`).join(" ")}
          strokeWidth={1.5}
          vectorEffect="non-scaling-stroke"
        />
        {/* The drawing is stretched: only the end of a stroke stays round. */}
        {points.map(({ day, x, y }) => (
          <path key={day} d={`M${x} ${y}h0`} strokeWidth={5} vectorEffect="non-scaling-stroke" />
        ))}
      </g>
    </DayChart>
  );
}

type Day = OverviewStats["days"][number];

/** Each day from its median up to its 95th percentile; days on which nothing finished stay empty. */
export function LatencyChart({ days, zone }: { days: OverviewStats["days"]; zone: string }) {
  const max = roundUpMax(days.flatMap((day) => (day.p95Ms === null ? [] : [day.p95Ms])));
  const places = columns(days.length);
  const measured = days.filter((day) => day.p50Ms !== null).length;
  return (
    <DayChart
      title="Duration by day"
      summary={`Median and 95th percentile duration on ${formatPlural(measured, "day")} with calls`}
      legend={[
        { label: "p50", swatch: <span aria-hidden className="h-0.75 w-3 bg-text" /> },
        { label: "p95", swatch: <span aria-hidden className="h-0.75 w-3 bg-accent" /> },
      ]}
      axis={measured === 0 ? [] : axisValues(max).map((value) => (value === 0 ? "0" : formatDuration(value)))}
      zone={zone}
      days={days.map(({ day, p50Ms, p95Ms }) => ({
        day,
        lines: p50Ms === null ? ["No call finished"] : [`p50 ${formatDuration(p50Ms)}`, `p95 ${formatDuration(p95Ms)}`],
        href: toCallsPath({ ...getDayBounds(day, zone), sort: "-duration" }),
      }))}
    >
      {days.map((day, at) => {
        const place = places[at];
        return place === undefined ? null : <DayRange key={day.day} day={day} place={place} max={max} />;
      })}
    </DayChart>
  );
}

function DayRange({ day, place, max }: { day: Day; place: Column; max: number }) {
  if (day.p50Ms === null || day.p95Ms === null) return null;
  const low = Math.min(toY(day.p50Ms, max), CHART_HEIGHT - 1.5);
  const high = Math.min(toY(day.p95Ms, max), low);
  return (
    <g>
      <rect x={place.x} width={place.width} y={high} height={low - high} className="fill-accent-bg" />
      <rect x={place.x} width={place.width} y={high} height={1.5} className="fill-accent" />
      <rect x={place.x} width={place.width} y={low} height={1.5} className="fill-text" />
    </g>
  );
}
