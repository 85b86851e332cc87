"use client";

import Link from "next/link";
import { useQueryStates } from "nuqs";
import { useDeferredValue, useMemo, useRef } from "react";
import { ListEnd } from "@/app/_components/frame/list-end";
import { useListKeys } from "@/app/_components/frame/use-list-keys";
import { Button, buttonClass } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { EmptyState } from "@/app/_ui/empty-state";
import { RUN_FILTER_PARAMS, type RunFilterParams, toRunFilter } from "./run-filter-params";
import { RunsFilterBar } from "./runs-filter-bar";
import { RunsTable } from "./runs-table";
import { useRunPages } from "./use-run-pages";

/** Every conversation with a model, whoever began it; `j` and `k` move, Enter opens. */
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
        <ListEnd pages={pages} beginning="This is the first run." />
      </div>
    </>
  );
}

function NoRuns({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (filtered) {
    return (
      <EmptyState heading="h2" title="No run matches" action={<Button onClick={onClear}>Clear filters</Button>}>
        Runs that match appear here as they begin.
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
      Let a model use your tools: every message, call and result is kept here, to be read, resumed and repeated. The
      demo model needs no key.
    </EmptyState>
  );
}
