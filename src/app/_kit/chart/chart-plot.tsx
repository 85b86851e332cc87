import { useRouter } from "next/navigation";
import { type KeyboardEvent, type PointerEvent, type ReactNode, useId, useState } from "react";
import { cx } from "@/app/_ui/class-names";
import { type ChartStep, formatStep, listStepLabels } from "./chart-geometry";

/** The selected steps; both ends are included. */
export interface StepRange {
  from: number;
  to: number;
}

interface ChartPlotProps {
  title: string;
  zone: string;
  steps: readonly ChartStep[];
  /** Values from top to bottom, evenly spaced. */
  axis: readonly string[];
  rightAxis: readonly string[];
  describeStep: (step: number) => readonly string[];
  toPath: (range: StepRange) => string;
  /** A lower drawing, above a list. */
  isLow: boolean;
  /** The drawing of the chart. */
  children: ReactNode;
}

/** The position of the pointer or keyboard, and the beginning of its selection. */
interface Cursor {
  at: number;
  anchor: number;
}

/** Axes around a drawing, a cursor with a tooltip, and a range that is selected by dragging or with Shift and the arrow keys. */
export function ChartPlot({
  title,
  zone,
  steps,
  axis,
  rightAxis,
  describeStep,
  toPath,
  isLow,
  children,
}: ChartPlotProps) {
  const router = useRouter();
  const id = useId();
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const [isDragging, setIsDragging] = useState(false);
  const last = steps.length - 1;
  const current = Math.min(cursor?.at ?? last, last);
  const range = toRange(cursor ?? { at: current, anchor: current }, last);
  const open = (chosen: StepRange): void => router.push(toPath(chosen));

  function onKeyDown(event: KeyboardEvent): void {
    const targets: Record<string, number> = {
      ArrowLeft: current - 1,
      ArrowRight: current + 1,
      Home: 0,
      End: last,
      ArrowDown: current - 1,
      ArrowUp: current + 1,
      PageDown: current - 10,
      PageUp: current + 10,
    };
    const target = targets[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target !== undefined) {
      const at = Math.max(0, Math.min(target, last));
      setCursor({ at, anchor: event.shiftKey ? (cursor?.anchor ?? current) : at });
    } else if (event.key === "Enter") open(range);
    else if (event.key === "Escape" && cursor !== null && cursor.at !== cursor.anchor) {
      setCursor({ at: current, anchor: current });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const findStep = ({ currentTarget, clientX }: PointerEvent<HTMLElement>): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(Math.floor(((clientX - left) / Math.max(width, 1)) * steps.length), last));
  };
  const endDrag = (): void => {
    setIsDragging(false);
    setCursor(null);
  };

  const lines = range.from === range.to ? describeStep(current) : [];
  const label = formatStep({ at: steps[range.from]?.at ?? 0, end: steps[range.to]?.end ?? 0 }, zone);
  return (
    <div className="flex gap-2">
      <Axis values={axis} isLow={isLow} className="min-w-8 *:justify-end" />
      <div className="min-w-0 flex-1">
        <div className={cx("relative", isLow ? "h-16" : "h-28")}>
          {children}
          {cursor !== null && <Selection range={range} count={steps.length} />}
          <div
            role="slider"
            tabIndex={0}
            aria-label={title}
            aria-describedby={`${id}-keys`}
            aria-valuemin={0}
            aria-valuemax={last}
            aria-valuenow={current}
            aria-valuetext={[label, ...lines].join(", ")}
            className="absolute inset-0 cursor-crosshair touch-pan-y rounded-xs"
            onKeyDown={onKeyDown}
            onFocus={(event) =>
              event.currentTarget.matches(":focus-visible") && setCursor({ at: current, anchor: current })
            }
            onBlur={() => setCursor(null)}
            onPointerDown={(event) => {
              if (event.button !== 0) return;
              const at = findStep(event);
              event.currentTarget.setPointerCapture?.(event.pointerId);
              setIsDragging(true);
              setCursor({ at, anchor: at });
            }}
            onPointerMove={(event) => {
              const at = findStep(event);
              setCursor({ at, anchor: isDragging ? (cursor?.anchor ?? at) : at });
            }}
            onPointerUp={() => {
              if (!isDragging) return;
              open(range);
              endDrag();
            }}
            onPointerCancel={endDrag}
            onPointerLeave={() => !isDragging && setCursor(null)}
          />
          <p id={`${id}-keys`} hidden>
            Arrow keys move over time, with Shift they select a range. Enter opens its executions.
          </p>
          {cursor !== null && (
            <Tooltip at={(current + 0.5) / Math.max(steps.length, 1)} isLow={isLow}>
              <span className="block font-medium">
                {label} ({zone})
              </span>
              {lines.map((line) => (
                <span key={line} className="block text-mute tabular-nums">
                  {line}
                </span>
              ))}
            </Tooltip>
          )}
        </div>
        <TimeAxis steps={steps} zone={zone} />
      </div>
      {rightAxis.length > 0 && <Axis values={rightAxis} isLow={isLow} className="min-w-6 text-bad!" />}
    </div>
  );
}

const toRange = ({ at, anchor }: Cursor, last: number): StepRange => ({
  from: Math.min(at, anchor, last),
  to: Math.min(Math.max(at, anchor), last),
});

const toShare = (share: number): string => `${(share * 100).toFixed(3)}%`;

function Selection({ range: { from, to }, count }: { range: StepRange; count: number }) {
  return (
    <div
      aria-hidden
      className={cx("absolute inset-y-0", from === to ? "bg-text/5" : "border-accent border-x bg-accent/15")}
      style={{ left: toShare(from / count), width: toShare((to - from + 1) / count) }}
    />
  );
}

/**
 * Positioned above the drawing, or beside it where something above would hide it; stays inside the chart in both
 * directions.
 */
function Tooltip({ at, isLow, children }: { at: number; isLow: boolean; children: ReactNode }) {
  return (
    <div
      aria-hidden
      className={cx(
        "pointer-events-none absolute z-20 whitespace-nowrap rounded-md border border-line2 bg-panel px-2.5 py-1.5 text-xs shadow-pop",
        isLow ? "top-full mt-1" : "bottom-full mb-1",
      )}
      style={{ left: toShare(at), transform: `translateX(${toShare(-at)})` }}
    >
      {children}
    </div>
  );
}

function Axis({ values, isLow, className }: { values: readonly string[]; isLow: boolean; className: string }) {
  return (
    <div
      aria-hidden
      className={cx(
        "flex flex-col justify-between font-mono text-2xs text-faint tabular-nums",
        isLow ? "h-16" : "h-28",
        className,
      )}
    >
      {values.map((value, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the values of an axis can be equal, and are never moved
        <span key={at} className="flex h-0 items-center whitespace-nowrap">
          {value}
        </span>
      ))}
    </div>
  );
}

/** Placed by attributes: a page that the server sends must not have styles of its own. */
function TimeAxis({ steps, zone }: { steps: readonly ChartStep[]; zone: string }) {
  return (
    <svg aria-hidden className="mt-1 block h-4 w-full fill-faint font-mono text-2xs">
      {listStepLabels(steps, zone).map(({ step, text }, order) => (
        <text key={step} x={toShare(step / steps.length)} y="11" className={cx(order % 2 === 1 && "max-sm:hidden")}>
          {text}
        </text>
      ))}
    </svg>
  );
}
