import { type Column, DataTable } from "@/app/_kit/data-table";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { SuiteRun } from "@/lib/contract/suite";
import { formatDuration } from "@/lib/format";
import { formatModel, toRunPath } from "./run-words";
import { describeCounts, RunBadge } from "./suite-badges";

const TRIGGERS: Record<SuiteRun["trigger"], string> = { manual: "Console", schedule: "Schedule", api: "API" };

const NAME: Column<SuiteRun> = {
  head: "Run",
  className: "pl-3.5",
  cellClass: "max-w-0 w-full truncate",
  render: (run) => (
    <Link href={toRunPath(run.id)} data-row="" className="rounded-xs font-medium hover:underline">
      {run.kind === "replay" ? `Replay: ${run.name}` : run.name}
      {run.kind === "evals" && <span className="font-normal text-mute"> with {formatModel(run)}</span>}
      <span className="block truncate font-normal text-mute text-xs sm:hidden">{describeCounts(run)}</span>
    </Link>
  ),
};

const STATUS: Column<SuiteRun> = { head: "Status", className: "pl-3.5", render: (run) => <RunBadge run={run} /> };

const RESULT: Column<SuiteRun> = {
  head: "Result",
  cellClass: "whitespace-nowrap text-xs tabular-nums",
  render: (run) => describeCounts(run),
};

const FACTS: readonly Column<SuiteRun>[] = [
  {
    head: "Source",
    className: "max-md:hidden",
    cellClass: "text-mute text-xs",
    render: ({ trigger }) => TRIGGERS[trigger],
  },
  {
    head: "Duration",
    className: "max-md:hidden",
    cellClass: "text-mute text-xs tabular-nums",
    render: ({ startedAt, finishedAt }) => formatDuration(finishedAt === null ? null : finishedAt - startedAt),
  },
  {
    head: "Started",
    cellClass: "whitespace-nowrap text-mute text-xs",
    render: ({ startedAt, id }) => (
      <Link href={toRunPath(id)} className="hover:underline">
        <RelativeTime at={startedAt} />
      </Link>
    ),
  },
];

const COLUMNS = [STATUS, RESULT, ...FACTS];
/** On a phone the result is below the name. */
const NAMED_COLUMNS = [NAME, STATUS, { ...RESULT, className: "max-sm:hidden" }, ...FACTS];

const STEP = 10;

/** Runs, newest first. @param named the list has runs of more than one suite */
export function RunTable({
  runs,
  label,
  named = false,
}: {
  runs: readonly SuiteRun[];
  label: string;
  named?: boolean;
}) {
  return (
    <div className="overflow-x-auto">
      <DataTable
        look="panel"
        label={label}
        columns={named ? NAMED_COLUMNS : COLUMNS}
        rows={runs}
        toKey={({ id }) => id}
        step={STEP}
      />
    </div>
  );
}
