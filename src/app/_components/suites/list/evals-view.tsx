"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { RunBadge } from "@/app/_components/suites/summary/eval-run-badge";
import { formatInterval, formatModel, toEvalRunPath, toSuitePath } from "@/app/_components/suites/summary/eval-words";
import { useLiveEvals } from "@/app/_components/suites/summary/use-live-evals";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { useTRPC } from "@/app/_trpc/client";
import { Button, ButtonLink } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { PageBody } from "@/app/_ui/page-body";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { EvalSuite } from "@/lib/contract/eval";
import { formatCount } from "@/lib/format";

const EvalDialog = onDemand(() => import("../eval-suite/eval-dialog").then((module) => module.EvalDialog));

const FIGURE = "font-mono text-xs tabular-nums whitespace-nowrap";

const COLUMNS: readonly Column<EvalSuite>[] = [
  {
    head: "Suite",
    className: "pl-3.5",
    cellClass: "min-w-40",
    render: ({ name }) => (
      <Link
        href={toSuitePath(name)}
        data-row=""
        className="rounded-xs font-medium font-mono text-xs hover:underline [overflow-wrap:anywhere]"
      >
        {name}
      </Link>
    ),
  },
  { head: "Evals", className: "text-right", cellClass: FIGURE, render: ({ evals }) => formatCount(evals) },
  {
    head: "Last run",
    cellClass: "w-full",
    render: ({ lastRun }) =>
      lastRun === null ? (
        <span className="text-mute">Never</span>
      ) : (
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            href={toEvalRunPath(lastRun.id)}
            className="rounded-xs font-mono text-xs hover:underline max-sm:py-2.75"
          >
            {formatModel(lastRun)}
          </Link>
          <RunBadge run={lastRun} />
        </span>
      ),
  },
  {
    head: "Passed",
    className: "text-right max-sm:hidden",
    cellClass: FIGURE,
    render: ({ lastRun }) => (lastRun === null ? "" : formatInterval(lastRun.passed, lastRun.done)),
  },
  {
    head: "Started",
    className: "pr-3.5 text-right max-sm:hidden",
    cellClass: "whitespace-nowrap text-mute text-xs",
    render: ({ lastRun }) => lastRun !== null && <RelativeTime at={lastRun.startedAt} />,
  },
];

/** Lists suites of evals with their last run. */
export function EvalsView() {
  const trpc = useTRPC();
  const { data: suites } = useSuspenseQuery(trpc.evals.suites.queryOptions());
  const [dialog, setDialog] = useQueryState("eval", parseAsStringLiteral(["new"]));
  useLiveEvals();
  const isFirst = suites.length === 0;
  return (
    <PageBody>
      <Card
        title="Suites"
        about="Does a model pick the right tool? Nothing is executed. Rates have their 95% interval in parentheses."
        action={
          <Button
            icon={Plus}
            needs="edit"
            variant={isFirst ? "primary" : "secondary"}
            onClick={() => void setDialog("new")}
            aria-haspopup="dialog"
          >
            Add eval
          </Button>
        }
      >
        {isFirst && (
          <p className="flex flex-wrap items-center gap-2 border-line border-b px-3.5 py-2.5 text-mute">
            <span className="min-w-0 flex-1 basis-72">
              You have no evals yet. Add one, or confirm what models decided in recorded runs.
            </span>
            <ButtonLink href="/evals/candidates">See candidates</ButtonLink>
          </p>
        )}
        {!isFirst && (
          <DataTable label="Suites" look="panel" columns={COLUMNS} rows={suites} toKey={({ name }) => name} />
        )}
      </Card>
      {dialog === "new" && <EvalDialog start={null} onClose={() => void setDialog(null)} />}
    </PageBody>
  );
}
