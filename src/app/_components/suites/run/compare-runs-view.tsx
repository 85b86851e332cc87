"use client";

import { useSuspenseQueries } from "@tanstack/react-query";
import {
  formatCost,
  formatInterval,
  formatModel,
  formatTokens,
  toRunPath,
} from "@/app/_components/suites/summary/run-words";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Card } from "@/app/_ui/card";
import { EmptyState } from "@/app/_ui/empty-state";
import { FactList } from "@/app/_ui/fact-list";
import { Link } from "@/app/_ui/link";
import { PageBody } from "@/app/_ui/page-body";
import { PageHeader } from "@/app/_ui/page-header";
import { RelativeTime } from "@/app/_ui/relative-time";
import { compareEvalRuns } from "@/lib/compare-eval-runs";
import type { ComparedEval, EvalComparison, EvalRunDetail } from "@/lib/contract/eval";
import { formatDuration } from "@/lib/format";

const FIGURE = "font-mono text-xs tabular-nums whitespace-nowrap";
const formatSide = (side: ComparedEval["before"]): string => (side === null ? "–" : `${side.passed} / ${side.done}`);

const COLUMNS: readonly Column<ComparedEval>[] = [
  {
    head: "Eval",
    className: "pl-3.5",
    cellClass: "w-full min-w-40 [overflow-wrap:anywhere]",
    render: ({ title, called }) => (
      <>
        <span dir="auto" className="line-clamp-3">
          {title}
        </span>
        {called !== null && (
          <span className="block text-mute text-xs">
            first called <span className="font-mono">{called.before || "nothing"}</span>, second{" "}
            <span className="font-mono">{called.after || "nothing"}</span>
          </span>
        )}
      </>
    ),
  },
  { head: "First", className: "text-right", cellClass: FIGURE, render: ({ before }) => formatSide(before) },
  { head: "Second", className: "text-right", cellClass: FIGURE, render: ({ after }) => formatSide(after) },
  {
    head: "Change",
    className: "pr-3.5 text-right",
    render: ({ change }) =>
      change === 0 ? (
        <span className="text-mute text-xs">same</span>
      ) : (
        <Badge tone={change > 0 ? "ok" : "bad"}>{change > 0 ? "better" : "worse"}</Badge>
      ),
  },
];

const VERDICTS: Record<EvalComparison["verdict"], string> = {
  better: "The second run is better by more than chance explains",
  worse: "The second run is worse by more than chance explains",
  chance: "The difference of the rates may be chance; more rounds narrow it",
};

/** Two runs side by side: rates, tokens, cost, and each eval that ended otherwise. */
export function CompareRunsView({ leftId, rightId }: { leftId: string; rightId: string }) {
  const [{ data: left }, { data: right }] = useSuspenseQueries({
    queries: [trpc.suites.getRun.queryOptions({ id: leftId }), trpc.suites.getRun.queryOptions({ id: rightId })],
  });
  if (left.kind !== "evals" || right.kind !== "evals") {
    return (
      <EmptyState heading="h1" title="Only runs of evals are compared" next={{ href: "/suites", text: "All suites" }}>
        Results of tests are compared call by call, from the page of their run.
      </EmptyState>
    );
  }
  const { items, verdict } = compareEvalRuns(left, right);
  return (
    <div className="flex flex-col">
      <PageHeader title="Compare runs" />
      <PageBody>
        <div className="grid gap-4 sm:grid-cols-2">
          <RunCard title="First" run={left} />
          <RunCard title="Second" run={right} />
        </div>
        <p role="status" className="text-mute">
          {VERDICTS[verdict]} (95% interval of the difference).
        </p>
        <Card title="Evals">
          <DataTable label="Evals" look="panel" columns={COLUMNS} rows={items} toKey={({ id }) => id} />
        </Card>
      </PageBody>
    </div>
  );
}

function RunCard({ title, run }: { title: string; run: EvalRunDetail }) {
  return (
    <Card
      title={title}
      action={
        <Link href={toRunPath(run.id)} className="rounded-xs text-xs underline">
          Open
        </Link>
      }
    >
      <FactList
        className="px-3.5 py-2.5 text-xs"
        facts={[
          ["Suite", run.suite],
          ["Model", formatModel(run)],
          ["Tools", run.offering === "direct" ? "list" : "discovery"],
          ["Edited", run.edited],
          ["Passed", `${run.passed} / ${run.done}, ${formatInterval(run.passed, run.done)}`],
          ["Tokens", formatTokens(run)],
          ["Cost", formatCost(run.cost)],
          ["Took", run.finishedAt === null ? "running" : formatDuration(run.finishedAt - run.startedAt)],
          ["Started", <RelativeTime key="at" at={run.startedAt} />],
        ]}
      />
    </Card>
  );
}
