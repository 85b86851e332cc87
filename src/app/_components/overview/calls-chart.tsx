import type { OverviewStats } from "@/lib/contract/execution";
import { formatCount, formatPlural, formatRate } from "@/lib/format";
import { axisValues, CHART_HEIGHT, columns, roundUpMax, toDayPath, toY } from "./chart-geometry";
import { DayChart, FigureTable } from "./day-chart";

type Days = OverviewStats["days"];

export function CallsChart({ days, zone }: { days: Days; zone: string }) {
  const max = roundUpMax(days.map((day) => day.calls));
  const places = columns(days.length);
  const calls = days.reduce((sum, day) => sum + day.calls, 0);
  const failed = days.reduce((sum, day) => sum + day.failed, 0);
  return (
    <DayChart
      title="Calls by day"
      summary={`${formatPlural(calls, "call")} in ${formatPlural(days.length, "day")}, ${formatCount(failed)} failed`}
      legend={[
        { label: "calls", swatch: <span aria-hidden className="size-2 rounded-xs bg-accent" /> },
        { label: "failed", swatch: <span aria-hidden className="size-2 rounded-xs bg-bad" /> },
      ]}
      axis={axisValues(max).map((value) => (Number.isInteger(value) ? formatCount(value) : ""))}
      zone={zone}
      days={days.map((day) => ({
        day: day.day,
        lines: [formatPlural(day.calls, "call"), `${formatCount(day.failed)} failed`],
        href: toDayPath(day.day, zone),
      }))}
      table={
        <FigureTable
          caption="Calls by day"
          columns={[`Day (${zone})`, "Calls", "Failed", "Rate"]}
          rows={days.map((day) => ({
            key: day.day,
            cells: [formatCount(day.calls), formatCount(day.failed), formatRate(day.failed, day.finished)],
          }))}
        />
      }
    >
      {days.map((day, at) => {
        const place = places[at];
        if (place === undefined) return null;
        const top = toY(day.calls, max);
        const failedTop = toY(day.failed, max);
        return (
          <g key={day.day}>
            <rect x={place.x} width={place.width} y={top} height={CHART_HEIGHT - top} className="fill-accent" />
            <rect
              x={place.x}
              width={place.width}
              y={failedTop}
              height={CHART_HEIGHT - failedTop}
              className="fill-bad"
            />
          </g>
        );
      })}
    </DayChart>
  );
}
