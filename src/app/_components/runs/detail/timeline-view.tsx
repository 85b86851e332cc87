import { type ReactNode, useId, useMemo, useRef, useState } from "react";
import { ACTIVE_TIME_HINT } from "@/app/_components/runs/summary/active-time";
import { describeTakenOver } from "@/app/_components/runs/summary/run-figure-words";
import { useListKeys } from "@/app/_kit/use-list-keys";
import { useNow } from "@/app/_kit/use-now";
import { EmptyState } from "@/app/_ui/empty-state";
import { ShowMore } from "@/app/_ui/show-more";
import { describeStatus, StatusBadge } from "@/app/_ui/status-badge";
import { useTimeZone } from "@/app/_ui/time-zone";
import type { RunDetail, RunEvent } from "@/lib/contract/run";
import { formatAbsoluteTime, formatCount, formatDuration, formatPlural } from "@/lib/format";
import { buildTimeline, type RunTimeline, type TimelineBar } from "@/lib/run/build-timeline";
import { activeTimeAt, type RunSumsRead } from "@/lib/run/run-figures";
import { OlderEventsButton } from "./older-events-button";
import { isLive } from "./run-state";
import { buildAxisTicks, percent, TIMELINE_GRID, TimelineRow } from "./timeline-row";
import type { OlderEvents } from "./use-run";

const LIVE_STEP_MS = 250;
/** The interval while no call runs: the clock needs no updates then. */
const STILL_MS = 3_600_000;
const ROWS = 300;

interface TimelineViewProps {
  detail: RunDetail;
  figures: RunSumsRead;
  events: readonly RunEvent[];
  older: OlderEvents;
}

/** Model calls and tool calls on one time axis, in the order in which they began. */
export function TimelineView({ detail, figures, events, older }: TimelineViewProps) {
  const { timeline, activeMs } = useTimeline(detail, events, figures);
  const [activeKey, setActiveKey] = useState<string | null>(null);
  const [limit, setLimit] = useState(ROWS);
  const list = useRef<HTMLOListElement>(null);
  useListKeys({ list });
  const hatchId = `hatch${useId().replaceAll(/\W/g, "")}`;
  const { bars, totalMs, segments } = timeline;
  if (bars.length === 0) {
    return <EmptyState title="No calls yet">Model and tool calls appear here as they start.</EmptyState>;
  }
  const active = bars.find((bar) => bar.key === activeKey) ?? null;
  return (
    <div className="flex min-h-full flex-col bg-panel">
      <Legend
        timeline={timeline}
        activeMs={activeMs}
        waitMs={older.count === 0 ? Math.max(0, totalMs - activeMs) : 0}
        takenOver={detail.takenOver}
        hatchId={hatchId}
      />
      <Axis totalMs={totalMs} />
      <OlderEventsButton older={older} />
      <ol
        ref={list}
        aria-label={`Timeline: ${formatPlural(bars.length, "call")} in ${formatDuration(totalMs)}`}
        className="min-w-0 flex-1 pb-2"
      >
        {bars.slice(0, limit).map((bar) => (
          <TimelineRow
            key={bar.key}
            runId={detail.id}
            bar={bar}
            totalMs={totalMs}
            segments={segments}
            hatchId={hatchId}
            active={bar.key === activeKey}
            onActivate={setActiveKey}
          />
        ))}
      </ol>
      <ShowMore rest={bars.length - limit} onMore={() => setLimit(limit + ROWS)} />
      <TimelineDetails bar={active} />
    </div>
  );
}

/** Open segments of a running run end now; in the server's HTML, which has no clock, with the last event. */
function useTimeline(
  { status, parentId, startedAt }: RunDetail,
  events: readonly RunEvent[],
  figures: RunSumsRead,
): { timeline: RunTimeline; activeMs: number } {
  const going = isLive(status);
  const clock = useNow(going ? LIVE_STEP_MS : STILL_MS);
  const now = going ? (clock ?? events.at(-1)?.at ?? 0) : null;
  const timeline = useMemo(
    () => buildTimeline(events, now, { parentId, startedAt }),
    [events, now, parentId, startedAt],
  );
  return { timeline, activeMs: activeTimeAt(figures, now) };
}

interface LegendProps {
  timeline: RunTimeline;
  activeMs: number;
  waitMs: number;
  takenOver: RunDetail["takenOver"];
  hatchId: string;
}

function Legend({ timeline: { segments }, activeMs, waitMs, takenOver, hatchId }: LegendProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-line border-b px-4 py-2 text-mute text-xs">
      <span className="tabular-nums" title={ACTIVE_TIME_HINT}>
        {formatDuration(activeMs)} active
      </span>
      {waitMs >= 1 && <span className="tabular-nums">{formatDuration(waitMs)} waiting for approval</span>}
      {takenOver !== null && takenOver.modelCalls > 0 && <span>without {describeTakenOver(takenOver)} copied</span>}
      {segments.length > 1 && <span>{describeSegments(segments)}, idle time hidden</span>}
      <ul className="ml-auto flex flex-wrap gap-x-3">
        <LegendItem label="model">
          <rect width="100%" height="100%" className="fill-accent" />
        </LegendItem>
        <LegendItem label="before the first token">
          <rect width="100%" height="100%" className="fill-accent opacity-45" />
        </LegendItem>
        <LegendItem label="tool">
          <rect width="100%" height="100%" className="fill-ok" />
        </LegendItem>
        <LegendItem label="validation and recording">
          <rect y="40%" width="100%" height="20%" className="fill-ok opacity-45" />
        </LegendItem>
        <LegendItem label="failed">
          <rect width="100%" height="100%" className="fill-bad" />
        </LegendItem>
        <LegendItem label={describeStatus("waiting")}>
          <rect width="100%" height="100%" fill={`url(#${hatchId})`} />
        </LegendItem>
      </ul>
      <svg aria-hidden width="0" height="0" className="absolute">
        <defs>
          <pattern id={hatchId} patternUnits="userSpaceOnUse" width="5" height="5" patternTransform="rotate(45)">
            <rect width="5" height="5" className="fill-warn-bg" />
            <rect width="2.5" height="5" className="fill-warn" />
          </pattern>
        </defs>
      </svg>
    </div>
  );
}

/** A turn that was resumed is one turn in several parts. */
function describeSegments(segments: RunTimeline["segments"]): string {
  const resumed = segments.slice(1).filter((segment) => segment.resumed).length;
  const turns = formatPlural(segments.length - resumed, "turn");
  return resumed === 0 ? turns : `${turns}, resumed ${resumed === 1 ? "once" : `${formatCount(resumed)} times`}`;
}

function LegendItem({ label, children }: { label: string; children: ReactNode }) {
  return (
    <li className="flex items-center gap-1.5">
      <svg aria-hidden className="size-2.5 overflow-hidden rounded-xs">
        {children}
      </svg>
      {label}
    </li>
  );
}

function Axis({ totalMs }: { totalMs: number }) {
  return (
    <div aria-hidden className={`${TIMELINE_GRID} sticky top-0 z-10 border-line border-b bg-panel px-4 text-faint`}>
      <span />
      <svg aria-hidden className="h-6 w-full overflow-visible">
        {buildAxisTicks(totalMs).map((at) => (
          <g key={at}>
            <line x1={percent(at, totalMs)} x2={percent(at, totalMs)} y1="16" y2="24" className="stroke-line2" />
            <text x={percent(at, totalMs)} y="14" className="fill-current font-mono text-2xs">
              {formatDuration(at)}
            </text>
          </g>
        ))}
      </svg>
      <span />
    </div>
  );
}

/** The figures of the call under the pointer. */
function TimelineDetails({ bar }: { bar: TimelineBar | null }) {
  const zone = useTimeZone();
  return (
    <div className="sticky bottom-0 flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 border-line border-t bg-rail px-4 py-1.5 text-xs">
      {bar === null ? (
        <p className="text-mute">Hover for details. Select a call to open it.</p>
      ) : (
        <>
          <span className="min-w-0 truncate font-medium font-mono">{bar.label}</span>
          <StatusBadge status={bar.status} errorKind={bar.errorKind} />
          <dl className="flex flex-wrap gap-x-4 gap-y-0.5 tabular-nums">
            {listFacts(bar, zone).map(([name, value]) => (
              <div key={name} className="flex gap-1.5">
                <dt className="text-mute">{name}</dt>
                <dd className="font-mono">{value}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </div>
  );
}

function listFacts(bar: TimelineBar, zone: string): [string, string][] {
  const { inputTokens, outputTokens, firstTokenMs } = bar;
  const facts: [string, string | null][] = [
    ["step", String(bar.step)],
    ["began", `${formatDuration(bar.startMs)} · ${formatAbsoluteTime(bar.startedAt, zone)}`],
    ["duration", bar.open ? null : formatDuration(bar.durationMs)],
    [bar.open ? "so far" : "total", formatDuration(bar.endMs - bar.startMs)],
    ["waited for approval", bar.waitMs > 0 ? formatDuration(bar.waitMs) : null],
    ["first token", firstTokenMs === null ? null : formatDuration(firstTokenMs)],
    ["read", inputTokens === null ? null : formatCount(inputTokens)],
    ["wrote", outputTokens === null ? null : formatCount(outputTokens)],
    ["result", bar.recorded ? "recorded, not executed" : null],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
}
