import type { ReactNode } from "react";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { CHART_HEIGHT, CHART_WIDTH } from "./chart-geometry";

export interface ChartDay {
  day: string;
  /** Its figures, for the tooltip and the link's name. */
  lines: readonly string[];
  /** The day's executions. */
  href: string;
}

export interface DayChartProps {
  title: string;
  /** The picture in one sentence. */
  summary: string;
  legend: readonly { label: string; swatch: ReactNode }[];
  /** Values of the axis from top to bottom, evenly spaced; empty where there is nothing to measure. */
  axis: readonly string[];
  /** Values of a second axis on the right, in the same order. */
  rightAxis?: readonly string[];
  days: readonly ChartDay[];
  /** The time zone of the days. */
  zone: string;
  children: ReactNode;
}

/** With more days than this only the first and the last have a label. */
const MAX_DAY_LABELS = 10;

/** A chart over days: each is a link to its executions and says its figures. */
export function DayChart({ title, summary, legend, axis, rightAxis = [], days, zone, children }: DayChartProps) {
  return (
    <section aria-label={title} className="min-w-0 rounded-lg border border-line bg-panel p-3.5">
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1">
        <h2 className="font-medium">{title}</h2>
        <ul className="ml-auto flex gap-3 text-mute text-xs">
          {legend.map(({ label, swatch }) => (
            <li key={label} className="flex items-center gap-1.5">
              {swatch}
              {label}
            </li>
          ))}
        </ul>
      </div>
      <div className="flex gap-2">
        <Axis values={axis} className="min-w-8 *:justify-end" />
        <div className="min-w-0 flex-1">
          <div className="relative">
            <svg
              role="img"
              aria-label={summary}
              viewBox={`0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`}
              preserveAspectRatio="none"
              className="block h-28 w-full overflow-visible"
            >
              <Gridlines count={Math.max(axis.length, 2)} />
              {children}
            </svg>
            <ul aria-label={title} className="absolute inset-0 flex">
              {days.map((day, at) => (
                <DayLink
                  key={day.day}
                  day={day}
                  zone={zone}
                  edge={at < 2 ? "left" : at > days.length - 3 ? "right" : null}
                />
              ))}
            </ul>
          </div>
          <div aria-hidden className="mt-1 flex font-mono text-2xs text-faint">
            {days.map(({ day }, at) => (
              <span key={day} className="min-w-0 flex-1 text-center">
                {(days.length <= MAX_DAY_LABELS || at === 0 || at === days.length - 1) && day.slice(5)}
              </span>
            ))}
          </div>
        </div>
        {rightAxis.length > 0 && <Axis values={rightAxis} className="min-w-6 text-bad!" />}
      </div>
    </section>
  );
}

function Axis({ values, className }: { values: readonly string[]; className: string }) {
  return (
    <div
      aria-hidden
      className={cx("flex h-28 flex-col justify-between font-mono text-2xs text-faint tabular-nums", className)}
    >
      {values.map((value) => (
        <span key={value} className="flex h-0 items-center whitespace-nowrap">
          {value}
        </span>
      ))}
    </div>
  );
}

function Gridlines({ count }: { count: number }) {
  return Array.from({ length: count }, (_, at) => {
    const y = (at / (count - 1)) * CHART_HEIGHT;
    return <line key={y} x2={CHART_WIDTH} y1={y} y2={y} vectorEffect="non-scaling-stroke" className="stroke-line" />;
  });
}

interface DayLinkProps {
  day: ChartDay;
  zone: string;
  /** The edge of the chart, which the tooltip must not cross. */
  edge: "left" | "right" | null;
}

function DayLink({ day: { day, lines, href }, zone, edge }: DayLinkProps) {
  return (
    <li className="min-w-0 flex-1">
      <Link
        href={href}
        aria-label={`${day}: ${lines.join(", ")}`}
        className="group relative block h-full rounded-xs -outline-offset-2 hover:bg-text/5"
      >
        <span
          aria-hidden
          className={cx(
            "pointer-events-none absolute bottom-full z-20 mb-1 hidden whitespace-nowrap rounded-md border border-line2 bg-panel px-2.5 py-1.5 text-xs shadow-pop group-hover:block group-focus-visible:block",
            edge === "left" ? "left-0" : edge === "right" ? "right-0" : "left-1/2 -translate-x-1/2",
          )}
        >
          <span className="block font-medium">
            {day} ({zone})
          </span>
          {lines.map((line) => (
            <span key={line} className="block text-mute tabular-nums">
              {line}
            </span>
          ))}
        </span>
      </Link>
    </li>
  );
}
