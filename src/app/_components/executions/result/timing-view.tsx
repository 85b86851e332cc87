import type { ReactNode } from "react";
import { AbsoluteTime } from "@/app/_ui/absolute-time";
import { FactList } from "@/app/_ui/fact-list";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { formatDuration } from "@/lib/format";

interface Phase {
  name: string;
  ms: number;
  fill: string;
  dot: string;
  meaning: string;
}

function listPhases({ timing }: ExecutionDetail): Phase[] {
  const all: (Omit<Phase, "ms"> & { ms: number | null })[] = [
    { name: "validated", ms: timing.validateMs, fill: "fill-faint", dot: "bg-faint", meaning: "arguments validated" },
    {
      name: "recorded",
      ms: timing.recordMs,
      fill: "fill-line2",
      dot: "bg-line2",
      meaning: "the start was recorded",
    },
    { name: "ran", ms: timing.runMs, fill: "fill-accent", dot: "bg-accent", meaning: "the tool ran" },
  ];
  return all.flatMap((phase) => (phase.ms === null ? [] : [{ ...phase, ms: phase.ms }]));
}

const BAR_WIDTH = 1_000;
/** A phase that took next to nothing is still seen. */
const LEAST_WIDTH = 4;

/** Where the time went, as a bar and in numbers. */
export function TimingBar({ execution }: { execution: ExecutionDetail }) {
  const phases = listPhases(execution);
  if (phases.length === 0) return null;
  const total = phases.reduce((sum, phase) => sum + phase.ms, 0);
  const described = phases.map((phase) => `${phase.name} ${formatDuration(phase.ms)}`).join(", ");
  const widths = phases.map((phase) => Math.max(LEAST_WIDTH, total > 0 ? (phase.ms / total) * BAR_WIDTH : 0));
  const scale = BAR_WIDTH / widths.reduce((sum, width) => sum + width, 0);
  let at = 0;
  const bars = phases.map((phase, index) => {
    const width = (widths[index] ?? 0) * scale;
    const bar = { phase, x: at, width };
    at += width;
    return bar;
  });
  return (
    <div className="flex flex-col gap-1.5">
      <div aria-hidden className="flex flex-wrap justify-between gap-x-3 font-mono text-mute text-xs">
        {phases.map((phase) => (
          <span key={phase.name} className="flex items-center gap-1.5">
            <span className={`size-1.5 rounded-full ${phase.dot}`} />
            {phase.name} {formatDuration(phase.ms)}
          </span>
        ))}
      </div>
      <svg
        role="img"
        aria-label={`Timing: ${described}`}
        viewBox={`0 0 ${BAR_WIDTH} 6`}
        preserveAspectRatio="none"
        className="h-1.5 w-full rounded-full"
      >
        {bars.map(({ phase, x, width }) => (
          <rect key={phase.name} x={x} y={0} width={width} height={6} className={phase.fill} />
        ))}
      </svg>
    </div>
  );
}

export function TimingView({ execution }: { execution: ExecutionDetail }) {
  const { queuedAt, startedAt, finishedAt, timeoutMs, executionTimeMs } = execution;
  const rows: [string, ReactNode, string?][] = [
    ...listPhases(execution).map((phase): [string, string, string] => [
      phase.name,
      formatDuration(phase.ms),
      phase.meaning,
    ]),
    ["execution time", formatDuration(executionTimeMs), "validation and execution, without logging"],
    ["timeout", formatDuration(timeoutMs)],
    ["arrived", <AbsoluteTime key="arrived" at={queuedAt} />],
    ["started", startedAt === null ? "never" : <AbsoluteTime key="started" at={startedAt} />],
    ["ended", finishedAt === null ? "not yet" : <AbsoluteTime key="ended" at={finishedAt} />],
  ];
  return (
    <div className="flex flex-col gap-4">
      <TimingBar execution={execution} />
      <FactList
        className="text-xs"
        facts={rows.map(([name, value, meaning]) => [
          name,
          <>
            {value}
            {meaning !== undefined && <span className="font-sans text-mute"> · {meaning}</span>}
          </>,
        ])}
      />
    </div>
  );
}
