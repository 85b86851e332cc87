import { TimeChart } from "@/app/_kit/chart/time-chart";
import type { OverviewStats } from "@/lib/contract/execution";
import type { TimelinePoint } from "@/lib/contract/execution-facets";
import { formatDuration, formatPlural, getDayBounds } from "@/lib/format";
import { type CallChartProps, CallsChart, toSteps } from "./call-charts";
import { toCallsPath } from "./calls-path";

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

/** Calls and durations by day of a zone, each leading to the executions of the days. */
export function DayCharts({ days, zone }: { days: OverviewStats["days"]; zone: string }) {
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

function toPoint({ day, finished, ...figures }: OverviewStats["days"][number], zone: string): TimelinePoint {
  const { calls, failed, consoleInvalid, rejected, cancelled } = figures;
  const open = calls - finished - consoleInvalid - rejected - cancelled;
  return { ...figures, at: getDayBounds(day, zone).since, succeeded: finished - failed, open, p99Ms: null };
}
