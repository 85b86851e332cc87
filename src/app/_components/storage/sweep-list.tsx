import { type Column, DataTable } from "@/app/_kit/data-table";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { RetentionSweep } from "@/lib/contract/retention";
import { formatBytes, formatCount, formatDuration } from "@/lib/format";

const COLUMNS: readonly Column<RetentionSweep>[] = [
  { head: "Sweep", className: "pl-3.5", render: ({ startedAt }) => <RelativeTime at={startedAt} /> },
  { head: "Calls", className: "text-right", render: ({ executions }) => formatCount(executions) },
  { head: "Runs", className: "text-right", render: ({ runs }) => formatCount(runs) },
  { head: "Deleted", className: "text-right", render: ({ bytes }) => formatBytes(bytes) },
  {
    head: "Freed on disk",
    className: "text-right max-sm:hidden",
    render: ({ releasedBytes }) => formatBytes(releasedBytes),
  },
  {
    head: "Took",
    className: "text-right max-sm:hidden",
    render: ({ startedAt, finishedAt, error }) =>
      error === null ? (
        formatDuration(finishedAt - startedAt)
      ) : (
        <span className="text-bad" title={error}>
          failed: {error}
        </span>
      ),
  },
];

/** The last sweep, and those that deleted something or failed. */
export function SweepList({ sweeps }: { sweeps: readonly RetentionSweep[] }) {
  if (sweeps.length === 0) return null;
  return (
    <div className="border-line border-t">
      <DataTable
        label="Sweeps"
        look="panel"
        columns={COLUMNS}
        rows={sweeps}
        toKey={({ startedAt }) => String(startedAt)}
        step={5}
      />
    </div>
  );
}
