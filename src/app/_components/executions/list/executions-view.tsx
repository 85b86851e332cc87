"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsArrayOf, parseAsString, useQueryState } from "nuqs";
import { type ReactNode, useDeferredValue, useMemo, useState } from "react";
import type { ChoiceCounts } from "@/app/_kit/list/filter-field";
import { ListBar } from "@/app/_kit/list/list-bar";
import { type RangeEnds, type TimeRange, toRangeEnds } from "@/app/_kit/list/time-range";
import { useList } from "@/app/_kit/list/use-list";
import { PauseButton } from "@/app/_kit/pause-button";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { cx } from "@/app/_ui/class-names";
import { onDemand } from "@/app/_ui/on-demand";
import { PageHeader } from "@/app/_ui/page-header";
import { useTimeZone } from "@/app/_ui/time-zone";
import type { ExecutionFilter } from "@/lib/contract/execution";
import type { ExecutionFacets, FacetCounts, FacetName } from "@/lib/contract/execution-facets";
import { formatCount } from "@/lib/format";
import { EXECUTION_FILTERS, toListInput } from "./execution-filters";
import { ExecutionsList } from "./executions-list";
import { Actions, Views } from "./list-menus";
import { concernsList } from "./live-match";
import { useThoroughAnswer } from "./use-thorough-answer";

/** The filters whose values are read with their counts. */
const NAMED = ["server", "toolset", "client", "tag"] as const satisfies FacetName[];

/** The list counts no further than this. */
const MOST = 10_000;

const ExecutionsChart = onDemand(() => import("./executions-chart"), "ExecutionsChart", {
  fallback: <div aria-hidden className="h-34 border-line border-b bg-panel" />,
});
const SelectionActions = onDemand(() => import("./selection-actions"), "SelectionActions");

interface ExecutionsViewProps {
  /** The time of the page's request, from which time ranges in the address count. */
  askedAt: number;
  /** While the list is read. Made by the page, so that no outline is part of the scripts. */
  skeleton?: ReactNode;
}

/** Executions: filters, live rows, a drawer for one call, selection for compare and replay. */
export function ExecutionsView({ askedAt, skeleton = null }: ExecutionsViewProps) {
  const list = useList(EXECUTION_FILTERS, "push");
  const { params, isFiltered } = list;
  const [selectedIds, setSelectedIds] = useQueryState("selected", parseAsArrayOf(parseAsString).withDefault([]));
  const [paused, setPaused] = useState(false);
  const [isChoosing, setIsChoosing] = useState(false);
  const { data: known } = useQuery(trpc.executions.facets.queryOptions());
  const ends = useRangeEnds(params.range, askedAt);
  const input = useMemo(() => toListInput(params, ends), [params, ends]);
  const shown = useDeferredValue(input);
  const isBusy = input !== shown;
  const select = (ids: readonly string[]): void => void setSelectedIds(ids.length === 0 ? null : [...ids]);

  const runTitle = useRunTitle(params.run);
  const rules = useQuery({ ...trpc.rules.list.queryOptions(), enabled: isChoosing || params.rule !== "" });
  const facets = useFacets(input.filter, isChoosing);
  const choices = {
    ...facets.choices,
    tool: facets.mergeNames("tool", known?.tools),
    actor: new Map(known?.actors.map(({ id, name }) => [id, name])),
    rule: rules.data === undefined ? null : new Map(rules.data.map(({ id, name }) => [id, name])),
    ...(runTitle && { run: new Map([[params.run, runTitle]]) }),
  };
  const matching = useMatchCount(shown.filter, { isFiltered, paused });
  const togglePaused = (): void => setPaused(!paused);
  const actions = (
    <>
      {matching !== null && <span className="text-mute text-xs tabular-nums">{matching}</span>}
      {selectedIds.length > 0 && <SelectionActions selectedIds={selectedIds} onClear={() => select([])} />}
      <Views />
      <Actions
        filter={shown.filter}
        selectedIds={selectedIds}
        matching={matching}
        paused={paused}
        onTogglePaused={togglePaused}
        onDeleted={() => select([])}
      />
      <span className={cx(!paused && "max-sm:hidden")}>
        <PauseButton paused={paused} onToggle={togglePaused} resumeLabel="Resume" />
      </span>
    </>
  );

  return (
    <div className="flex flex-col sm:h-full sm:min-h-0">
      <PageHeader title="Executions" actions={actions}>
        <div className="border-line border-b px-4 pt-1.5 pb-2.5">
          <ListBar
            list={list}
            className="items-start"
            choices={choices}
            counts={facets.counts}
            onChoosing={setIsChoosing}
          />
        </div>
      </PageHeader>
      <div className="max-sm:hidden">
        <ExecutionsChart filter={shown.filter} paused={paused} />
      </div>
      <div aria-busy={isBusy} className={cx("overflow-auto bg-panel sm:min-h-0 sm:flex-1", isBusy && "opacity-60")}>
        <QueryBoundary title="Couldn't load executions" skeleton={skeleton}>
          <ExecutionsList
            list={list}
            input={shown}
            paused={paused}
            selectedIds={selectedIds}
            onSelect={select}
            withCaller={(known?.actors.length ?? 0) > 1}
          />
        </QueryBoundary>
      </div>
    </div>
  );
}

/** The title of a run as its calls have it. */
function useRunTitle(id: string): string | null | undefined {
  const options = trpc.executions.list.queryOptions({ filter: { runId: id.slice(0, 100) }, limit: 1 });
  return useQuery({ ...options, enabled: id !== "" }).data?.items[0]?.runTitle;
}

/** Counting reads more than the list does, so it follows at a distance. */
const INTERVAL_MS = 5_000;

/** `12 matches`: how many calls match; null until it is known. */
function useMatchCount(
  filter: ExecutionFilter,
  { isFiltered, paused }: { isFiltered: boolean; paused: boolean },
): string | null {
  const options = trpc.executions.count.queryOptions({ filter });
  const { data, refetch, isPlaceholderData } = useQuery({ ...options, placeholderData: keepPreviousData });
  useLiveRefresh(refetch, (event) => !paused && concernsList(filter, event), { intervalMs: INTERVAL_MS });
  const whole = useThoroughAnswer(
    data,
    !isPlaceholderData && data?.more === true,
    trpc.executions.count.queryOptions({ filter, thorough: true }),
  );
  if (whole === undefined) return null;
  const { count, more } = whole;
  const noun = isFiltered ? ["match", "matches"] : ["execution", "executions"];
  return `${formatCount(count)}${more ? "+" : ""} ${count === 1 && !more ? noun[0] : noun[1]}`;
}

/** The range's ends are fixed when it is chosen: a question that moved with the clock would be asked without end. */
function useRangeEnds(range: TimeRange | null, askedAt: number): RangeEnds {
  const zone = useTimeZone();
  const [chosen, setChosen] = useState({ range, zone, ends: toRangeEnds(range, askedAt, zone) });
  if (chosen.range === range && chosen.zone === zone) return chosen.ends;
  const next = { range, zone, ends: toRangeEnds(range, Date.now(), zone) };
  setChosen(next);
  return next.ends;
}

/** How many calls each choice of a filter would find, and the choices that only calls know. Read while a filter is chosen. */
function useFacets(filter: ExecutionFilter, isChoosing: boolean) {
  const options = trpc.executions.facetCounts.queryOptions({ filter });
  const quick = useQuery({ ...options, enabled: isChoosing, placeholderData: keepPreviousData });
  const data = useThoroughAnswer(
    quick.data,
    isChoosing && !quick.isPlaceholderData && Object.values(quick.data ?? {}).some(({ more }) => more),
    trpc.executions.facetCounts.queryOptions({ filter, thorough: true }),
  );
  const listNames = (name: FacetName): string[] | null => data?.[name].values.map(({ value }) => value) ?? null;
  return {
    choices: Object.fromEntries(NAMED.map((name) => [name, listNames(name)])),
    counts: data === undefined ? undefined : toCounts(data),
    /** The names with most calls first, then the others that are known. */
    mergeNames: (name: FacetName, others: readonly string[] = []) => [
      ...new Set([...(listNames(name) ?? []), ...others]),
    ],
  };
}

const toCounts = (facets: ExecutionFacets): ChoiceCounts =>
  Object.fromEntries(
    Object.entries(facets).map(([name, { values, more }]) => {
      const counts = new Map(values.map(({ value, count }) => [value, formatUpTo(count, more)]));
      return [name, (value: string) => counts.get(value) ?? (more ? undefined : "0")];
    }),
  );

/** `12`, `12+` where counting stopped, and `10,000+` for all above. */
function formatUpTo(count: number, more: FacetCounts["more"]): string {
  return `${formatCount(Math.min(count, MOST))}${more || count > MOST ? "+" : ""}`;
}
