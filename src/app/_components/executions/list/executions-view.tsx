"use client";

import dynamic from "next/dynamic";
import { parseAsArrayOf, parseAsString, useQueryState, useQueryStates } from "nuqs";
import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from "react";
import { PauseButton } from "@/app/_kit/pause-button";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { useDenial } from "@/app/_ui/access";
import { cx } from "@/app/_ui/class-names";
import { PageHeader } from "@/app/_ui/page-header";
import { DeleteButton } from "./delete-button";
import { ExecutionFilterBar } from "./execution-filter-bar";
import {
  FILTER_PARAMS,
  type FilterParams,
  isFiltered,
  SORTS,
  toListInput,
  toRangeStart,
} from "./execution-filter-params";
import { ExecutionsList } from "./executions-list";
import { MatchCount } from "./match-count";

// Most visits select nothing.
const CompareLink = dynamic(() => import("./compare-link").then((module) => module.CompareLink));

/** Every filter absent; the order of the rows stays. */
const NO_FILTER = Object.fromEntries(
  Object.keys(FILTER_PARAMS).flatMap((key) => (key === "sort" ? [] : [[key, null]])),
);

export interface ExecutionsViewProps {
  /** When the page was asked for: time ranges in the address count from here. */
  askedAt: number;
  /** While the list is read. Made by the page, so that no outline is part of the scripts. */
  skeleton?: ReactNode;
  /** Shows this tool's calls only, inside its page: without a page header of its own. */
  tool?: string;
}

/** Executions: filters, rows that follow what happens, a drawer for one of them, two of them to compare. */
export function ExecutionsView({ askedAt, tool, skeleton = null }: ExecutionsViewProps) {
  const [params, setParams] = useQueryStates(FILTER_PARAMS);
  const [peekedId, setPeekedId] = useQueryState("peek", parseAsString.withOptions({ history: "push" }));
  const [selectedIds, setSelectedIds] = useQueryState("selected", parseAsArrayOf(parseAsString).withDefault([]));
  const [paused, setPaused] = useState(false);
  const searchRef = useRef<HTMLInputElement>(null);
  const since = useRangeStart(params.range, askedAt);
  const input = useMemo(
    () => toListInput(tool === undefined ? params : { ...params, tool: [tool] }, since),
    [params, tool, since],
  );
  const shown = useDeferredValue(input);

  const clear = (): void => {
    void setParams(NO_FILTER, { history: "push" });
  };
  // Back undoes a filter, but not a search letter by letter.
  const change = (part: Partial<FilterParams>): void => {
    const refined = part.q !== undefined && part.q !== "" && params.q !== "";
    const dated = part.range === undefined && ("since" in part || "until" in part);
    void setParams(part, { history: refined || dated ? "replace" : "push" });
  };
  const bar = (
    <ExecutionFilterBar
      params={params}
      onChange={change}
      onClear={clear}
      searchRef={searchRef}
      withoutTool={tool !== undefined}
    />
  );
  const mayDelete = useDenial("administer") === null;
  const actions = (
    <>
      <MatchCount filter={shown.filter} filtered={isFiltered(params)} paused={paused} />
      {selectedIds.length > 0 && <CompareLink selectedIds={selectedIds} onClear={() => void setSelectedIds(null)} />}
      {mayDelete && (
        <DeleteButton filter={shown.filter} selectedIds={selectedIds} onDeleted={() => void setSelectedIds(null)} />
      )}
      <PauseButton paused={paused} onToggle={() => setPaused(!paused)} resumeLabel="Resume" />
    </>
  );

  return (
    <div className="flex h-full min-h-0 flex-col">
      <Head embedded={tool !== undefined} bar={bar} actions={actions} />
      <div
        aria-busy={input !== shown}
        className={cx("min-h-0 flex-1 overflow-auto bg-panel", input !== shown && "opacity-60")}
      >
        <QueryBoundary title="Couldn't load executions" skeleton={skeleton}>
          <ExecutionsList
            input={shown}
            sort={params.sort}
            onSort={(sort) =>
              void setParams({ sort: SORTS.find((each) => each === sort) ?? null }, { history: "push" })
            }
            filtered={isFiltered(params)}
            onClearFilters={clear}
            paused={paused}
            peekedId={peekedId}
            // From one call to the next is no step of its own: Back closes the drawer.
            onPeek={(id) => void setPeekedId(id, { history: peekedId === null ? "push" : "replace" })}
            selectedIds={selectedIds}
            onSelect={(ids) => void setSelectedIds(ids.length === 0 ? null : ids)}
            searchRef={searchRef}
            withoutTool={tool !== undefined}
          />
        </QueryBoundary>
      </div>
    </div>
  );
}

function Head({ embedded, bar, actions }: { embedded: boolean; bar: ReactNode; actions: ReactNode }) {
  if (!embedded) {
    return (
      <PageHeader title="Executions" actions={actions}>
        <div className="border-line border-b px-4 pt-1.5 pb-2.5">{bar}</div>
      </PageHeader>
    );
  }
  return (
    <div className="flex flex-wrap items-start gap-2 border-line border-b bg-panel px-4 py-2.5">
      <div className="min-w-0 flex-1">{bar}</div>
      <div className="flex items-center gap-2">{actions}</div>
    </div>
  );
}

/** The range's start is fixed when it is chosen: a question that moved with the clock would be asked without end. */
function useRangeStart(range: FilterParams["range"], askedAt: number): number | null {
  const [chosen, setChosen] = useState({ range, since: toRangeStart(range, askedAt) });
  if (chosen.range === range) return chosen.since;
  const next = { range, since: toRangeStart(range, Date.now()) };
  setChosen(next);
  return next.since;
}
