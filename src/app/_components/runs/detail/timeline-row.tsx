import { Bot, Wrench } from "lucide-react";
import { memo } from "react";
import { useWaitsForInput } from "@/app/_components/interactions/summary/use-waits-for-input";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { describeStatus, toDataStatus } from "@/app/_ui/status-badge";
import { type CallClass, classifyCall, isFailedClass } from "@/lib/contract/call-class";
import { formatDuration } from "@/lib/format";
import type { RunTimeline, TimelineBar } from "@/lib/run/build-timeline";
import { type BarPartKind, splitBar } from "@/lib/run/split-bar";
import { toStepId } from "./step-id";

/** Name, bar, time; the time goes first where there is little room. */
export const TIMELINE_GRID =
  "grid grid-cols-[minmax(0,7rem)_minmax(0,1fr)] gap-x-3 sm:grid-cols-[minmax(0,14rem)_minmax(0,1fr)_4.5rem]";

const FILL: Record<CallClass, string> = {
  succeeded: "fill-ok",
  running: "fill-ok",
  waiting: "fill-warn",
  invalid: "fill-warn",
  consoleInvalid: "fill-warn",
  error: "fill-bad",
  timedOut: "fill-bad",
  interrupted: "fill-bad",
  rejected: "fill-faint",
  cancelled: "fill-faint",
};

const classifyBar = ({ status, errorKind }: TimelineBar): CallClass =>
  classifyCall({ status, errorKind, source: "agent" });

const MOST_SEPARATORS = 40;

interface TimelineRowProps {
  runId: string;
  bar: TimelineBar;
  totalMs: number;
  segments: RunTimeline["segments"];
  /** The id of the pattern for waiting. */
  hatchId: string;
  active: boolean;
  onActivate: (key: string) => void;
}

/** One call with a link to its execution. */
export const TimelineRow = memo(function TimelineRow(props: TimelineRowProps) {
  const { runId, bar: given, active, onActivate } = props;
  const waitsForInput = useWaitsForInput(
    { executionId: given.executionId ?? "" },
    given.executionId !== null && given.status === "running",
  );
  const bar = waitsForInput ? { ...given, status: "waiting" as const } : given;
  const Icon = bar.kind === "model" ? Bot : Wrench;
  const of = classifyBar(bar);
  return (
    <li data-status={toDataStatus(bar.status, bar.errorKind)}>
      <Link
        data-row=""
        href={barHref(runId, bar)}
        onPointerEnter={() => onActivate(bar.key)}
        onFocus={() => onActivate(bar.key)}
        className={cx(TIMELINE_GRID, "-outline-offset-2 h-7 items-center px-4 hover:bg-rail", active && "bg-rail")}
      >
        <span className={cx("flex min-w-0 items-center gap-1.5", bar.kind === "tool" && "pl-3")}>
          <Icon size={13} className="shrink-0 text-mute" />
          <span className="truncate font-mono text-xs">
            <span className="sr-only">{bar.kind === "model" ? "Model " : "Tool "}</span>
            {bar.label === "" ? "unknown" : bar.label}
            <span className="sr-only">{describeBar(bar, waitsForInput)}</span>
          </span>
        </span>
        <Bar {...props} bar={bar} />
        <span
          aria-hidden
          className={cx(
            "text-right font-mono text-2xs tabular-nums max-sm:hidden",
            isFailedClass(of) ? "text-bad" : "text-mute",
          )}
        >
          {formatTime(bar)}
        </span>
      </Link>
    </li>
  );
});

function Bar({ bar, totalMs, segments, hatchId }: TimelineRowProps) {
  const { startMs, endMs } = bar;
  const of = classifyBar(bar);
  const tone = bar.kind === "model" && !isFailedClass(of) && of !== "cancelled" ? "fill-accent" : FILL[of];
  const at = (ms: number): string => percent(ms, totalMs);
  return (
    <svg aria-hidden className="h-7 w-full overflow-visible">
      {segments.slice(1, MOST_SEPARATORS).map((segment) => (
        <line
          key={segment.startMs}
          x1={at(segment.startMs)}
          x2={at(segment.startMs)}
          y1="0"
          y2="28"
          strokeDasharray="2 3"
          className="stroke-line2"
        />
      ))}
      {/* Keeps even the shortest call visible. */}
      {endMs - startMs < totalMs / 500 && <rect x={at(startMs)} width="2" {...BOX} className={tone} />}
      {splitBar(bar).map(({ kind, startMs: from, endMs: to }) => (
        <rect
          key={`${kind} ${from}`}
          data-part={kind}
          x={at(from)}
          width={at(to - from)}
          {...PART_BOXES[kind]}
          {...(kind === "wait"
            ? { fill: `url(#${hatchId})` }
            : { className: cx(tone, PART_LOOKS[kind], bar.open && kind === "run" && "animate-pulse") })}
        />
      ))}
    </svg>
  );
}

const BOX = { y: 8, height: 12 };
/** Draws the duration as a bar and all other time as a thin line. */
const PART_BOXES: Record<BarPartKind, { y: number; height: number }> = {
  wait: BOX,
  before: BOX,
  run: BOX,
  around: { y: 13, height: 2 },
};
const PART_LOOKS: Record<BarPartKind, string> = { wait: "", before: "opacity-45", run: "", around: "opacity-45" };

function barHref(runId: string, bar: TimelineBar): string {
  if (bar.executionId !== null) return `/executions/${encodeURIComponent(bar.executionId)}`;
  return `/runs/${encodeURIComponent(runId)}#${toStepId(bar.step)}`;
}

/** The duration as on every page; of a call that has not ended, the time since it began. */
function formatTime({ open, startMs, endMs, durationMs }: TimelineBar): string {
  return formatDuration(open ? endMs - startMs : durationMs);
}

/** The bar in words, after its name. */
function describeBar(bar: TimelineBar, waitsForInput: boolean): string {
  const { step, status, errorKind, startMs, recorded } = bar;
  const waited = bar.waitMs > 0 ? `, ${formatDuration(bar.waitMs)} waiting for approval` : "";
  return `, step ${step}, ${describeStatus(waitsForInput ? "input" : status, errorKind)}${recorded ? " (recorded)" : ""}, began at ${formatDuration(startMs)}, ${bar.open ? "running for" : "duration"} ${formatTime(bar)}${waited}`;
}

/** A place on the axis as SVG takes it, so that bars need no style: `12.3%`. */
export function percent(ms: number, totalMs: number): string {
  const part = totalMs <= 0 ? 0 : Math.min(100, Math.max(0, (100 * ms) / totalMs));
  return `${Number(part.toFixed(3))}%`;
}

const MOST_TICKS = 5;

/** Round times from 0 on, none at the very end, where a label has no room. */
export function buildAxisTicks(totalMs: number): number[] {
  if (!(totalMs > 0) || !Number.isFinite(totalMs)) return [0];
  const rough = totalMs / MOST_TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough) ?? rough;
  const ticks: number[] = [];
  for (let at = 0; at < totalMs * 0.95; at += step) ticks.push(at);
  return ticks;
}
