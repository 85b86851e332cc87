import { cx } from "@/app/_ui/class-names";
import { type CallPhase, splitTotal } from "@/lib/contract/call-times";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { formatDuration } from "@/lib/format";

const LOOKS: Record<CallPhase, { fill: string; dot: string; meaning: string }> = {
  Validation: { fill: "fill-faint", dot: "bg-faint", meaning: "The arguments are checked" },
  Logging: { fill: "fill-line2", dot: "bg-line2", meaning: "The start is recorded, before the tool runs" },
  Waiting: { fill: "fill-warn", dot: "bg-warn", meaning: "For a user's approval or input" },
  Duration: { fill: "fill-accent", dot: "bg-accent", meaning: "The tool itself" },
};

const BAR_WIDTH = 1_000;
/** A phase that took next to nothing is still visible. */
const LEAST_WIDTH = 4;

/** The parts of a call's total time, as a bar and in numbers. */
export function TimingBar({ execution }: { execution: ExecutionDetail }) {
  const { phases, totalMs } = splitTotal(execution);
  if (phases.length === 0) return null;
  const figures = [...phases, { name: "Total" as const, ms: totalMs }];
  const widths = phases.map(({ ms }) => Math.max(LEAST_WIDTH, totalMs > 0 ? (ms / totalMs) * BAR_WIDTH : 0));
  const scale = BAR_WIDTH / widths.reduce((sum, width) => sum + width, 0);
  return (
    <div className="flex flex-col gap-1.5">
      <div aria-hidden className="flex flex-wrap gap-x-3 text-mute text-xs">
        {figures.map(({ name, ms }) => (
          <span
            key={name}
            title={name === "Total" ? "From request to response" : LOOKS[name].meaning}
            className={cx("flex items-center gap-1.5", name === "Total" && "ml-auto text-text")}
          >
            {name !== "Total" && <span className={`size-1.5 rounded-full ${LOOKS[name].dot}`} />}
            {name} <span className="font-mono tabular-nums">{formatDuration(ms)}</span>
          </span>
        ))}
      </div>
      <svg
        role="img"
        aria-label={`Timing: ${figures.map(({ name, ms }) => `${name} ${formatDuration(ms)}`).join(", ")}`}
        viewBox={`0 0 ${BAR_WIDTH} 6`}
        preserveAspectRatio="none"
        className="h-1.5 w-full rounded-full"
      >
        {phases.map(({ name }, at) => {
          const x = widths.slice(0, at).reduce((sum, width) => sum + width, 0) * scale;
          const width = (widths[at] ?? 0) * scale;
          return <rect key={name} x={x} y={0} width={width} height={6} className={LOOKS[name].fill} />;
        })}
      </svg>
    </div>
  );
}
