"use client";

import { useQuery, useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { ACTIVE_TIME_HINT, ActiveTime } from "@/app/_components/runs/summary/active-time";
import { RunBadge } from "@/app/_components/runs/summary/run-badge";
import { describeTokens, formatCost, formatShortCount } from "@/app/_components/runs/summary/run-figure-words";
import { RUN_SOURCE_LABELS } from "@/app/_components/runs/summary/run-labels";
import type { Column } from "@/app/_kit/data-table";
import { FilterSelect } from "@/app/_kit/filter-bar";
import { type ListDeclaration, ResourceList } from "@/app/_kit/list/resource-list";
import { useList } from "@/app/_kit/list/use-list";
import { usePages } from "@/app/_kit/use-pages";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { useTRPC } from "@/app/_trpc/client";
import { buttonClass } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { RunSummary } from "@/lib/contract/run";
import { formatCount } from "@/lib/format";
import { RUN_FILTERS, RUN_PAGE_ROWS } from "./run-filters";

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

const toId = ({ id }: RunSummary): string => id;

const RUN_LIST: ListDeclaration<RunSummary> = {
  label: "Runs",
  look: "log",
  toKey: toId,
  noMatch: { title: "No matching runs", text: "New matches appear automatically." },
  empty: (
    <EmptyState
      heading="h2"
      title="No runs yet"
      action={
        <Link href="/playground" className={buttonClass({ variant: "primary", size: "md" })}>
          Open the Playground
        </Link>
      }
    >
      Let a model use your tools. Every message, call and result is recorded here; you can resume or rerun it. The demo
      model needs no key.
    </EmptyState>
  ),
};

/** Every run from any source, newest first. */
export function RunsView() {
  const trpc = useTRPC();
  const list = useList(RUN_FILTERS);
  const query = useSuspenseInfiniteQuery(
    trpc.runs.list.infiniteQueryOptions({ filter: list.filter, limit: RUN_PAGE_ROWS }, BY_CURSOR),
  );
  const pages = usePages(query, { toKey: toId, isStale: (event) => event.type === "run", intervalMs: 500 });
  return (
    <ResourceList
      {...RUN_LIST}
      columns={COLUMNS}
      rowProps={rowProps}
      list={list}
      rows={pages}
      tools={<ModelSelect chosen={list.params} rows={pages.rows} onChange={list.change} />}
    />
  );
}

interface ModelSelectProps {
  chosen: NamedModel;
  /** The visible rows: their models can be chosen. */
  rows: readonly RunSummary[];
  onChange: (chosen: NamedModel) => void;
}

/** A model and its provider are one choice, and two parameters of the address. */
function ModelSelect({ chosen, rows, onChange }: ModelSelectProps) {
  const models = useModelChoices(chosen, rows);
  return (
    <FilterSelect
      label="Model"
      any="Any model"
      className="w-auto! max-w-56"
      value={chosen.model === "" ? null : modelKey(chosen)}
      options={[...models.keys()]}
      readText={(key) => formatModel(models.get(key))}
      onChange={(key) => onChange((key !== null && models.get(key)) || { provider: "", model: "" })}
    />
  );
}

interface NamedModel {
  provider: string;
  model: string;
}

function modelKey({ provider, model }: NamedModel): string {
  return `${provider}/${model}`;
}

function formatModel({ provider, model }: NamedModel = { provider: "", model: "" }): string {
  return provider === "" ? model : `${provider} / ${model}`;
}

/** Configured models, those in the rows, and the selected one, which a link may name. */
function useModelChoices({ provider, model }: NamedModel, rows: readonly RunSummary[]): Map<string, NamedModel> {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.models.choices.queryOptions());
  const all: NamedModel[] = [...(data?.items ?? []), ...rows];
  if (model !== "") all.push({ provider, model });
  return new Map(all.map((each) => [modelKey(each), { provider: each.provider, model: each.model }]));
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
