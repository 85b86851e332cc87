"use client";

import { useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useDeferredValue, useMemo, useRef } from "react";
import { ListEnd } from "@/app/_kit/list-end";
import { useListKeys } from "@/app/_kit/use-list-keys";
import { usePages } from "@/app/_kit/use-pages";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { useTRPC } from "@/app/_trpc/client";
import { Button, buttonClass } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import type { RunFilter, RunSummary } from "@/lib/contract/run";
import { RUN_FILTER_PARAMS, RUN_PAGE_ROWS, type RunFilterParams, toRunFilter } from "./run-filter-params";
import { RunsFilterBar } from "./runs-filter-bar";
import { RunsTable } from "./runs-table";

/** Every run from any source; `j` and `k` move, Enter opens. */
export function RunsView() {
  const [params, setParams] = useQueryStates(RUN_FILTER_PARAMS);
  const filter = useMemo(() => toRunFilter(params), [params]);
  const shownFilter = useDeferredValue(filter);
  const pages = useRunPages(shownFilter);
  const list = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  useListKeys({ list, search });
  const { rows } = pages;
  const filtered = Object.keys(filter).length > 0;
  const clear = (): void => void setParams(null);
  const change = (part: Partial<RunFilterParams>): void => void setParams(part);
  return (
    <>
      {(filtered || rows.length > 0) && (
        <RunsFilterBar params={params} rows={rows} onChange={change} onClear={clear} searchRef={search} />
      )}
      <div
        ref={list}
        aria-busy={filter !== shownFilter}
        className={cx("min-h-0 flex-1 overflow-auto bg-panel", filter !== shownFilter && "opacity-60")}
      >
        {rows.length > 0 ? <RunsTable rows={rows} /> : <NoRuns filtered={filtered} onClear={clear} />}
        <ListEnd pages={pages} beginning="End of list" />
      </div>
    </>
  );
}

function NoRuns({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (filtered) {
    return (
      <EmptyState heading="h2" title="No matching runs" action={<Button onClick={onClear}>Clear filters</Button>}>
        New matches appear automatically.
      </EmptyState>
    );
  }
  return (
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
  );
}

const keyOf = ({ id }: RunSummary): string => id;

/** Runs under a filter, newest first. */
function useRunPages(filter: RunFilter) {
  const trpc = useTRPC();
  const query = useSuspenseInfiniteQuery(
    trpc.runs.list.infiniteQueryOptions({ filter, limit: RUN_PAGE_ROWS }, BY_CURSOR),
  );
  return usePages(query, { keyOf, isStale: (event) => event.type === "run", intervalMs: 500 });
}
