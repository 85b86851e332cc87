import { Table2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { IconButton } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { onDemand } from "@/app/_ui/on-demand";
import {
  axisValues,
  CHART_HEIGHT,
  CHART_WIDTH,
  type ChartStep,
  columns,
  formatStep,
  roundUpMax,
  toY,
} from "./chart-geometry";
import { ChartPlot, type StepRange } from "./chart-plot";

// Most visits look at the drawing.
const ChartTable = onDemand(() => import("./chart-table"), "ChartTable");

const TONES = {
  accent: { fill: "fill-accent opacity-35", stroke: "stroke-accent", swatch: "bg-accent" },
  mute: { fill: "fill-mute opacity-45", stroke: "stroke-mute", swatch: "bg-mute" },
  bad: { fill: "fill-bad", stroke: "stroke-bad", swatch: "bg-bad" },
  text: { fill: "fill-text", stroke: "stroke-text", swatch: "bg-text" },
} as const;

interface ChartSeries {
  label: string;
  /** Bars stand on each other; a line is broken where a step has no value. */
  look: "bar" | "line";
  tone: keyof typeof TONES;
  /** One for each step. */
  values: readonly (number | null)[];
  /** Uses a separate scale on the right. */
  onRight?: boolean;
  isDashed?: boolean;
}

export interface TimeChartProps {
  title: string;
  /** The picture in one sentence. */
  summary: string;
  steps: readonly ChartStep[];
  series: readonly ChartSeries[];
  /** The values of the axes. */
  formatAxis: (value: number) => string;
  /** The figures of a step, for tooltip and keyboard. */
  describeStep: (step: number) => readonly string[];
  /** The figures of a step in the table, by the label of their column. */
  listFigures: (step: number) => Readonly<Record<string, string>>;
  /** The executions of a time, both ends included. */
  toPath: (ends: { since: number; until: number }) => string;
  zone: string;
  /** Content beside the title. */
  action?: ReactNode;
  /** The note on calls that the figures leave out. */
  note?: string | undefined;
  /** A part of a page rather than a card of its own. */
  isPlain?: boolean;
}

/**
 * A chart over time. A step, or several that the pointer is dragged over or that are selected with Shift and the arrow
 * keys, leads to its executions. A button shows the figures as a table.
 */
export function TimeChart(props: TimeChartProps) {
  const { title, summary, steps, series, formatAxis, describeStep, listFigures, toPath, zone, action, note, isPlain } =
    props;
  const [isTable, setIsTable] = useState(false);
  const scales = { left: getScale(series, false, steps.length), right: getScale(series, true, steps.length) };
  const toEnds = ({ from, to }: StepRange) => ({
    since: steps[from]?.at ?? 0,
    until: (steps[to]?.end ?? 0) - 1,
  });
  const toLabels = (top: number) => axisValues(top).map(formatAxis);
  const hasRight = series.some(({ onRight }) => onRight);
  return (
    <section
      aria-label={title}
      className={cx("min-w-0 bg-panel", isPlain ? "px-4 pt-2 pb-1.5" : "rounded-lg border border-line p-3.5")}
    >
      <div className={cx("flex flex-wrap items-center gap-x-4 gap-y-1", isPlain ? "mb-2.5" : "mb-3")}>
        <h2 className={cx("font-medium", isPlain && "sr-only")}>{title}</h2>
        {action}
        {isPlain && <Legend series={series} className="ml-auto max-sm:hidden" />}
        <IconButton
          icon={Table2}
          label="View as table"
          aria-pressed={isTable}
          className={cx("aria-pressed:bg-line", isPlain ? "max-sm:ml-auto" : "-my-1 ml-auto")}
          onClick={() => setIsTable(!isTable)}
        />
      </div>
      {isTable ? (
        <ChartTable
          title={title}
          rows={steps.map((step, at) => ({
            label: formatStep(step, zone),
            path: toPath(toEnds({ from: at, to: at })),
            figures: listFigures(at),
          }))}
        />
      ) : (
        <ChartPlot
          title={title}
          zone={zone}
          steps={steps}
          axis={toLabels(scales.left)}
          rightAxis={hasRight ? toLabels(scales.right) : []}
          describeStep={describeStep}
          toPath={(range) => toPath(toEnds(range))}
          isLow={isPlain ?? false}
        >
          <Drawing summary={summary} series={series} count={steps.length} scales={scales} />
        </ChartPlot>
      )}
      {!isPlain && !isTable && <Legend series={series} className="mt-2" />}
      {note !== undefined && <p className="mt-1 text-2xs text-mute">{note}</p>}
    </section>
  );
}

function Legend({ series, className }: { series: readonly ChartSeries[]; className: string }) {
  return (
    <ul className={cx("flex flex-wrap gap-x-3 text-mute text-xs", className)}>
      {series.map(({ label, look, tone, onRight }) => (
        <li key={label} className="flex items-center gap-1.5">
          <span aria-hidden className={cx(look === "bar" ? "size-2 rounded-xs" : "h-0.5 w-3", TONES[tone].swatch)} />
          {label}
          {onRight && " (right scale)"}
        </li>
      ))}
    </ul>
  );
}

/** The round value at the top of a scale. */
function getScale(series: readonly ChartSeries[], right: boolean, count: number): number {
  const own = series.filter(({ onRight = false }) => onRight === right);
  const lines = own.flatMap(({ look, values }) => (look === "line" ? values.map((value) => value ?? 0) : []));
  const bars = own.filter(({ look }) => look === "bar");
  const stacks = Array.from({ length: count }, (_, at) => bars.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  return roundUpMax([...lines, ...stacks]);
}

interface DrawingProps {
  summary: string;
  series: readonly ChartSeries[];
  count: number;
  scales: { left: number; right: number };
}

function Drawing({ summary, series, count, scales }: DrawingProps) {
  const places = columns(count);
  const bars = series.filter(({ look }) => look === "bar");
  return (
    <svg
      role="img"
      aria-label={summary}
      viewBox={`0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`}
      preserveAspectRatio="none"
      className="block size-full overflow-visible"
    >
      {[0, 0.5, 1].map((share) => (
        <line
          key={share}
          x2={CHART_WIDTH}
          y1={share * CHART_HEIGHT}
          y2={share * CHART_HEIGHT}
          vectorEffect="non-scaling-stroke"
          className="stroke-line"
        />
      ))}
      {bars.map(({ label, tone, values }, order) => (
        <g key={label} className={TONES[tone].fill}>
          {places.map((place, at) => {
            const value = values[at] ?? 0;
            if (value === 0) return null;
            const below = bars.slice(0, order).reduce((sum, each) => sum + (each.values[at] ?? 0), 0);
            const top = toY(below + value, scales.left);
            const bottom = toY(below, scales.left);
            // Keeps even one in a million visible.
            return <rect key={place.x} {...place} y={Math.min(top, bottom - 1)} height={Math.max(1, bottom - top)} />;
          })}
        </g>
      ))}
      {series.map((each) =>
        each.look === "line" ? (
          <Line key={each.label} series={each} places={places} max={each.onRight ? scales.right : scales.left} />
        ) : null,
      )}
    </svg>
  );
}

interface LineProps {
  series: ChartSeries;
  places: readonly { x: number; width: number }[];
  max: number;
}

/** Points are dots where there is room for them: the drawing is stretched, and only the end of a stroke stays round. */
const MOST_DOTS = 31;

function Line({ series: { values, tone, isDashed }, places, max }: LineProps) {
  const points = places.map(({ x, width }, at) => {
    const value = values[at] ?? null;
    return value === null ? null : { x: x + width / 2, y: toY(value, max) };
  });
  const isAlone = (at: number): boolean => (points[at - 1] ?? null) === null && (points[at + 1] ?? null) === null;
  const path = points.map((point, at) => {
    if (point === null) return "";
    return `${(points[at - 1] ?? null) === null ? "M" : "L"}${point.x} ${point.y}`;
  });
  return (
    <g className={cx("fill-none", TONES[tone].stroke)} strokeLinecap="round" strokeLinejoin="round">
      <path
        d={path.join("")}
        strokeWidth={1.5}
        strokeDasharray={isDashed ? "3 3" : undefined}
        vectorEffect="non-scaling-stroke"
      />
      {points.map((point, at) =>
        point !== null && (isAlone(at) || points.length <= MOST_DOTS) ? (
          <path key={point.x} d={`M${point.x} ${point.y}h0`} strokeWidth={5} vectorEffect="non-scaling-stroke" />
        ) : null,
      )}
    </g>
  );
}
