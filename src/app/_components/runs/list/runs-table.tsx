import { ACTIVE_TIME_HINT, ActiveTime } from "@/app/_components/runs/summary/active-time";
import { RunBadge } from "@/app/_components/runs/summary/run-badge";
import { describeTokens, formatCost, formatShortCount } from "@/app/_components/runs/summary/run-figures";
import { RUN_SOURCE_LABELS } from "@/app/_components/runs/summary/run-labels";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { RunSummary } from "@/lib/contract/run";
import { formatCount } from "@/lib/format";

const FIGURE = "font-mono text-xs tabular-nums";

const COLUMNS: readonly Column<RunSummary>[] = [
  { head: "Status", className: "pl-4", cellClass: "w-28", render: (run) => <RunBadge run={run} /> },
  { head: "Title", cellClass: "w-full max-w-0 truncate", render: (run) => <RunTitle run={run} /> },
  {
    head: "Model",
    className: "max-md:hidden",
    cellClass: "max-w-52 truncate font-mono text-mute text-xs",
    render: ({ provider, model }) => `${provider} / ${model}`,
  },
  {
    head: "Source",
    className: "max-lg:hidden",
    cellClass: "text-mute",
    render: ({ source }) => RUN_SOURCE_LABELS[source],
  },
  {
    head: "Tool calls",
    className: "text-right max-sm:hidden",
    cellClass: FIGURE,
    render: ({ toolCalls, failedToolCalls }) => (
      <>
        {formatCount(toolCalls)}
        {failedToolCalls > 0 && <span className="text-bad"> ({formatCount(failedToolCalls)} failed)</span>}
      </>
    ),
  },
  {
    head: "Tokens",
    className: "text-right max-lg:hidden",
    cellClass: FIGURE,
    render: ({ usage }) => {
      const tokens = usage.inputTokens + usage.outputTokens;
      return <span title={describeTokens(usage)}>{tokens === 0 ? "–" : formatShortCount(tokens)}</span>;
    },
  },
  {
    head: "Cost",
    className: "text-right max-xl:hidden",
    cellClass: FIGURE,
    render: ({ cost }) => formatCost(cost),
  },
  {
    head: "Active time",
    className: "text-right max-sm:hidden",
    cellClass: FIGURE,
    render: (run) => (
      <span title={ACTIVE_TIME_HINT}>
        <ActiveTime figures={run} />
      </span>
    ),
  },
  {
    head: "Started",
    newestFirst: true,
    className: "pr-4",
    cellClass: "text-mute",
    render: ({ startedAt }) => <RelativeTime at={startedAt} clock />,
  },
];

// The title's link covers the row.
const rowProps = () => ({ className: "relative focus-within:bg-rail" });

export function RunsTable({ rows }: { rows: readonly RunSummary[] }) {
  return <DataTable label="Runs" look="log" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} rowProps={rowProps} />;
}

function RunTitle({ run }: { run: RunSummary }) {
  return (
    <>
      <Link
        data-row=""
        href={`/runs/${encodeURIComponent(run.id)}`}
        title={run.id}
        className="-outline-offset-2 font-medium after:absolute after:inset-0"
      >
        <bdi>{run.title === "" ? run.id : run.title}</bdi>
      </Link>
      {run.error !== null && <bdi className="ml-2 text-bad text-xs">{run.error.slice(0, 200)}</bdi>}
      {run.parentId !== null && <span className="ml-2 text-mute text-xs">rerun</span>}
    </>
  );
}
