import { StatusBadge } from "@/app/_ui/status-badge";
import { useTimeZone } from "@/app/_ui/time-zone";
import { formatAbsoluteTime, formatCount, formatDuration } from "@/lib/format";
import type { TimelineBar } from "@/lib/run/build-timeline";

/** The call that is pointed at, in figures. */
export function TimelineDetails({ bar }: { bar: TimelineBar | null }) {
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
            {factsOf(bar, zone).map(([name, value]) => (
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

function factsOf(bar: TimelineBar, zone: string): [string, string][] {
  const { inputTokens, outputTokens, firstTokenMs } = bar;
  const facts: [string, string | null][] = [
    ["step", String(bar.step)],
    ["began", `${formatDuration(bar.startMs)} · ${formatAbsoluteTime(bar.startedAt, zone)}`],
    ["took", formatDuration(bar.endMs - bar.startMs)],
    ["waited for approval", bar.waitMs > 0 ? formatDuration(bar.waitMs) : null],
    ["first token", firstTokenMs === null ? null : formatDuration(firstTokenMs)],
    ["read", inputTokens === null ? null : formatCount(inputTokens)],
    ["wrote", outputTokens === null ? null : formatCount(outputTokens)],
    ["result", bar.recorded ? "recorded, not executed" : null],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
}
