import type { OverviewStats } from "@/lib/contract";
import { formatCount, formatDuration, formatRate } from "@/lib/format";

/** The window in five figures. What has not been measured is a dash. */
export function Figures({ totals, days }: { totals: OverviewStats["totals"]; days: number }) {
  const figures = [
    { label: `Calls, ${days} days`, value: formatCount(totals.calls) },
    { label: "Failed", value: formatRate(totals.failed, totals.calls), detail: formatCount(totals.failed) },
    { label: "p50", value: formatDuration(totals.p50Ms) },
    { label: "p95", value: formatDuration(totals.p95Ms) },
    { label: "Running now", value: formatCount(totals.running) },
  ];
  return (
    <dl className="grid grid-cols-2 overflow-hidden rounded-lg border border-line bg-line gap-px sm:grid-cols-3 lg:grid-cols-5">
      {figures.map(({ label, value, detail }) => (
        <div key={label} className="bg-panel px-3.5 py-2.5 max-sm:last:col-span-2 sm:max-lg:last:col-span-2">
          <dt className="text-mute text-xs">{label}</dt>
          <dd className="mt-0.5 font-medium font-mono text-lg tabular-nums">
            {value}
            {detail !== undefined && <span className="ml-1.5 font-normal text-faint text-xs">{detail}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
