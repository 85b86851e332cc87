"use client";

import { useSuspenseInfiniteQuery, useSuspenseQuery } from "@tanstack/react-query";
import { FlaskConical } from "lucide-react";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { toCheckPath } from "@/app/_components/models/summary/model-words";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { PanelListEnd } from "@/app/_kit/list-end";
import { usePages } from "@/app/_kit/use-pages";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ModelCheckSummary } from "@/lib/contract/model";
import { formatPlural, formatRate } from "@/lib/format";
import { CheckBadge } from "./check-badge";
import { runningPollMs } from "./running-poll";

const StartCheckDialog = onDemand(() => import("./start-check-dialog").then((module) => module.StartCheckDialog));

/** Whether a model calls tools well: tried out, not believed. */
export function ChecksSection() {
  const trpc = useTRPC();
  const { data: scenarios } = useSuspenseQuery(trpc.modelChecks.scenarios.queryOptions());
  const pages = useCheckPages();
  const [dialog, setDialog] = useQueryState("check", parseAsStringLiteral(["new"]));
  return (
    <Card
      title="Model check"
      about={`Lets a model use tools in ${formatPlural(scenarios.length, "scenario")}, several times each, and checks the calls it made. A model that passes 80% of all attempts is validated. Each attempt is a run with its transcript and costs tokens at the provider.`}
      action={
        <Button icon={FlaskConical} needs="run" onClick={() => void setDialog("new")} aria-haspopup="dialog">
          Check a model
        </Button>
      }
    >
      <details className="border-line border-b px-3.5 py-2">
        <summary className="cursor-pointer rounded-xs text-mute text-xs">Test scenarios</summary>
        <dl className="mt-2 grid gap-x-6 gap-y-1.5 text-xs sm:grid-cols-[14rem_minmax(0,1fr)]">
          {scenarios.map(({ id, title, description }) => (
            <div key={id} className="contents">
              <dt className="font-medium max-sm:mt-1">{title}</dt>
              <dd className="text-mute">{description}</dd>
            </div>
          ))}
        </dl>
      </details>
      {pages.rows.length === 0 ? (
        <p className="px-3.5 py-6 text-center text-mute">No model checks yet.</p>
      ) : (
        <CheckTable checks={pages.rows} />
      )}
      <PanelListEnd pages={pages} className="px-3.5" />
      {dialog === "new" && <StartCheckDialog scenarios={scenarios.length} onClose={() => void setDialog(null)} />}
    </Card>
  );
}

const toKey = ({ id }: ModelCheckSummary): string => id;

/** Model checks, newest first. `useLiveModels` keeps them current. */
function useCheckPages() {
  const trpc = useTRPC();
  const query = useSuspenseInfiniteQuery({
    ...trpc.modelChecks.list.infiniteQueryOptions({}, { getNextPageParam: BY_CURSOR.getNextPageParam }),
    refetchInterval: ({ state }) =>
      runningPollMs(state.data?.pages.some(({ items }) => items.some(({ status }) => status === "running")) ?? false),
  });
  return usePages(query, { toKey });
}

const FIGURE = "font-mono text-xs tabular-nums";

const COLUMNS: readonly Column<ModelCheckSummary>[] = [
  {
    head: "Model",
    className: "pl-3.5",
    cellClass: "w-full max-w-0 truncate font-mono text-xs",
    render: (check) => (
      <Link href={toCheckPath(check.id)} className="rounded-xs hover:underline" title={formatModel(check)}>
        {formatModel(check)}
      </Link>
    ),
  },
  { head: "Outcome", render: (check) => <CheckBadge check={check} /> },
  {
    head: "Passed",
    className: "text-right",
    cellClass: `${FIGURE} whitespace-nowrap`,
    render: ({ passed, total, status, done }) => (
      <>
        {passed} / {total}
        <span className="text-mute max-sm:hidden">
          {" "}
          {status === "running" ? `(${done} done)` : `(${formatRate(passed, total)})`}
        </span>
      </>
    ),
  },
  { head: "Rounds", className: "text-right max-sm:hidden", cellClass: FIGURE, render: ({ rounds }) => rounds },
  {
    head: "Started",
    newestFirst: true,
    className: "pr-3.5 text-right max-sm:hidden",
    cellClass: "whitespace-nowrap text-mute text-xs",
    render: ({ startedAt }) => <RelativeTime at={startedAt} clock />,
  },
];

function CheckTable({ checks }: { checks: readonly ModelCheckSummary[] }) {
  return <DataTable label="Model checks" look="panel" columns={COLUMNS} rows={checks} toKey={({ id }) => id} />;
}

function formatModel({ provider, model }: ModelCheckSummary): string {
  return provider === model ? model : `${provider} / ${model}`;
}
