"use client";

import { TimeChart } from "@/app/_kit/chart/time-chart";
import { formatDuration, formatPlural } from "@/lib/format";
import { type CallChartProps, toSteps } from "./call-charts";

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
