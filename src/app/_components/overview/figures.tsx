import { Fragment } from "react";
import { listExcludedCalls } from "@/app/_components/executions/summary/call-classes";
import { Link } from "@/app/_ui/link";
import type { OverviewStats } from "@/lib/contract/execution";
import { formatCount, formatDuration, formatRate } from "@/lib/format";

/** The window in six figures. What has not been measured is a dash. */
export function Figures({ totals, days }: { totals: OverviewStats["totals"]; days: number }) {
  const { waits } = totals;
  const figures = [
    { label: `Calls, ${days} days`, value: formatCount(totals.calls) },
    {
      label: "Failed",
      value: formatRate(totals.failed, totals.finished),
      detail: `${formatCount(totals.failed)} of ${formatCount(totals.finished)}`,
      hint: "Of the calls that succeeded or failed",
    },
    { label: "p50", value: formatDuration(totals.p50Ms) },
    { label: "p95", value: formatDuration(totals.p95Ms), hint: "Without time spent waiting for a person" },
    {
      label: "Wait for a person, p95",
      value: formatDuration(waits.p95Ms),
      detail: waits.calls === 0 ? undefined : formatCount(waits.calls),
      hint: "Calls that waited for approval or input",
    },
    { label: "Running now", value: formatCount(totals.running) },
  ];
  return (
    <div className="flex flex-col gap-1.5">
      <dl className="grid grid-cols-2 overflow-hidden rounded-lg border border-line bg-line gap-px sm:grid-cols-3 xl:grid-cols-6">
        {figures.map(({ label, value, detail, hint }) => (
          <div key={label} className="bg-panel px-3.5 py-2.5" title={hint}>
            <dt className="text-mute text-xs">{label}</dt>
            <dd className="mt-0.5 font-medium font-mono text-lg tabular-nums">
              {value}
              {detail !== undefined && <span className="ml-1.5 font-normal text-faint text-xs">{detail}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <ExcludedCalls totals={totals} />
    </div>
  );
}

function ExcludedCalls({ totals }: { totals: OverviewStats["totals"] }) {
  const excluded = listExcludedCalls(totals);
  if (excluded.length === 0) return null;
  return (
    <p className="text-mute text-xs">
      Not counted as failed:{" "}
      {excluded.map(({ status, text }, at) => (
        <Fragment key={status}>
          {at > 0 && " · "}
          <Link href={`/executions?status=${status}`} className="underline">
            {text}
          </Link>
        </Fragment>
      ))}
    </p>
  );
}
