import { useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { PanelListEnd } from "@/app/_kit/list-end";
import { usePages } from "@/app/_kit/use-pages";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Checkbox } from "@/app/_ui/checkbox";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { EvalRunSummary } from "@/lib/contract/eval";
import type { SuiteRun } from "@/lib/contract/suite";
import { formatCost, formatInterval, formatModel, formatTokens, toRunPath } from "./run-words";
import { runningPollMs } from "./running-poll";
import { RunBadge } from "./suite-badges";

const FIGURE = "font-mono text-xs tabular-nums whitespace-nowrap";

const MODEL: Column<EvalRunSummary> = {
  head: "Model",
  className: "pl-3.5",
  cellClass: "w-full max-w-0 truncate font-mono text-xs",
  render: (run) => (
    <>
      <Link href={toRunPath(run.id)} className="rounded-xs hover:underline" title={formatModel(run)}>
        {formatModel(run)}
      </Link>{" "}
      {run.offering === "discovery" && <Badge title="The model gets search_tools and call_tool">discovery</Badge>}{" "}
      {run.edited !== null && <Badge title="With a definition that was not saved">{run.edited} edited</Badge>}
    </>
  ),
};

const COLUMNS: readonly Column<EvalRunSummary>[] = [
  MODEL,
  { head: "Outcome", render: (run) => <RunBadge run={run} /> },
  {
    head: "Passed",
    className: "text-right",
    cellClass: FIGURE,
    render: ({ passed, done, total, status }) => (
      <>
        {passed} / {total}
        <span className="text-mute max-sm:hidden">
          {" "}
          {status === "running" ? `(${done} done)` : formatInterval(passed, done)}
        </span>
      </>
    ),
  },
  {
    head: "Tokens",
    className: "text-right max-lg:hidden",
    cellClass: FIGURE,
    render: (run) => <span title={formatCost(run.cost)}>{formatTokens(run)}</span>,
  },
  { head: "Rounds", className: "text-right max-sm:hidden", cellClass: FIGURE, render: ({ rounds }) => rounds },
  {
    head: "Started",
    newestFirst: true,
    className: "pr-3.5 text-right max-sm:hidden",
    cellClass: "whitespace-nowrap text-mute text-xs",
    render: ({ startedAt }) => <RelativeTime at={startedAt} />,
  },
];

const toKey = ({ id }: { id: string }): string => id;

interface EvalRunTableProps {
  suite: string;
  /** Ids of the runs that are chosen, at most two. */
  chosen: readonly string[];
  onChoose: (ids: string[]) => void;
}

/** The runs of a suite, newest first; two can be chosen to compare them. */
export function EvalRunTable({ suite, chosen, onChoose }: EvalRunTableProps) {
  const query = useSuspenseInfiniteQuery({
    ...trpc.suites.runs.infiniteQueryOptions(
      { suite, kind: ["evals"] },
      { getNextPageParam: BY_CURSOR.getNextPageParam },
    ),
    refetchInterval: ({ state }) =>
      runningPollMs(state.data?.pages.some(({ items }) => items.some(({ status }) => status === "running")) ?? false),
  });
  const read = usePages<SuiteRun>(query, { toKey });
  const pages = { ...read, rows: read.rows.filter((run) => run.kind === "evals") };
  if (pages.rows.length === 0) return <p className="px-3.5 py-6 text-center text-mute">No runs yet.</p>;
  const choice: Column<EvalRunSummary> = {
    head: "Compare",
    headHidden: true,
    className: "pl-3.5",
    render: (run) => (
      <Checkbox
        checked={chosen.includes(run.id)}
        aria-label={`Compare the run with ${formatModel(run)} of ${new Date(run.startedAt).toISOString()}`}
        onChange={(isOn) => onChoose(isOn ? [...chosen, run.id].slice(-2) : chosen.filter((id) => id !== run.id))}
      />
    ),
  };
  const columns = pages.rows.length > 1 ? [choice, ...COLUMNS] : COLUMNS;
  return (
    <>
      <DataTable label="Runs" look="panel" columns={columns} rows={pages.rows} toKey={toKey} />
      <PanelListEnd pages={pages} className="px-3.5" />
    </>
  );
}
