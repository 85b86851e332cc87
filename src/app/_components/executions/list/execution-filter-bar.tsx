"use client";

import { useQuery } from "@tanstack/react-query";
import { Pin } from "lucide-react";
import dynamic from "next/dynamic";
import type { RefObject } from "react";
import {
  KIND_LABELS,
  OUTCOME_LABELS,
  OUTCOMES,
  SOURCE_LABELS,
  SOURCES,
} from "@/app/_components/executions/summary/execution-labels";
import { FilterBar, FilterSelect } from "@/app/_kit/filter-bar";
import { MultiSelect } from "@/app/_kit/multi-select";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { EXECUTION_KINDS } from "@/lib/contract/execution-kind";
import {
  type FilterParams,
  isFiltered,
  SORT_LABELS,
  SORTS,
  TIME_RANGE_LABELS,
  TIME_RANGES,
} from "./execution-filter-params";
import { SearchBox } from "./execution-search";

// Most visits come by no such link, and filter by no time of their own.
const LinkedFilters = dynamic(() => import("./linked-filters").then((module) => module.LinkedFilters));
// Only the browser knows the time zone of its user.
const CustomRange = dynamic(() => import("./custom-range").then((module) => module.CustomRange), { ssr: false });

const STATUS_OPTIONS = OUTCOMES.map((value) => ({ value, label: OUTCOME_LABELS[value] }));
const KIND_OPTIONS = EXECUTION_KINDS.map((value) => ({ value, label: KIND_LABELS[value] }));
const SOURCE_OPTIONS = SOURCES.map((value) => ({ value, label: SOURCE_LABELS[value] }));

export interface ExecutionFilterBarProps {
  params: FilterParams;
  onChange: (part: Partial<FilterParams>) => void;
  onClear: () => void;
  searchRef: RefObject<HTMLInputElement | null>;
  /** The list is one tool's: there is nothing to choose. */
  withoutTool?: boolean;
}

export function ExecutionFilterBar({
  params,
  onChange,
  onClear,
  searchRef,
  withoutTool = false,
}: ExecutionFilterBarProps) {
  const trpc = useTRPC();
  const facets = useQuery(trpc.executions.facets.queryOptions());
  const tools = [...new Set([...(facets.data?.tools ?? []), ...params.tool])];
  const actors = new Map(facets.data?.actors.map(({ id, name }) => [id, name]));
  // A link may name an actor without executions.
  if (params.actor !== "" && !actors.has(params.actor)) actors.set(params.actor, params.actor);
  return (
    <FilterBar label="Filter executions" className="items-start" onClear={isFiltered(params) ? onClear : undefined}>
      <SearchBox value={params.q} onChange={(q) => onChange({ q })} inputRef={searchRef} />
      {!withoutTool && (
        <MultiSelect
          label="Tool"
          options={tools.map((name) => ({ value: name, label: name, mono: true }))}
          value={params.tool}
          onChange={(tool) => onChange({ tool })}
        />
      )}
      {!withoutTool && (
        <MultiSelect label="Kind" options={KIND_OPTIONS} value={params.kind} onChange={(kind) => onChange({ kind })} />
      )}
      <MultiSelect
        label="Status"
        options={STATUS_OPTIONS}
        value={params.status}
        onChange={(status) => onChange({ status })}
      />
      <MultiSelect
        label="Source"
        options={SOURCE_OPTIONS}
        value={params.source}
        onChange={(source) => onChange({ source })}
      />
      <FilterSelect
        label="Caller"
        any="All users"
        className="w-auto! max-w-40"
        value={params.actor === "" ? null : params.actor}
        options={[...actors.keys()]}
        textOf={(id) => actors.get(id) ?? id}
        onChange={(actor) => onChange({ actor: actor ?? "" })}
      />
      <FilterSelect
        label="Time range"
        any="All time"
        className="w-auto!"
        value={params.range}
        options={TIME_RANGES}
        textOf={(range) => TIME_RANGE_LABELS[range]}
        onChange={(range) => onChange({ range, since: null, until: null })}
      />
      {params.range === "custom" && <CustomRange since={params.since} until={params.until} onChange={onChange} />}
      <FilterSelect
        label="Sort"
        any="Newest first"
        className="w-auto! md:hidden"
        value={params.sort}
        options={SORTS}
        textOf={(sort) => SORT_LABELS[sort]}
        onChange={(sort) => onChange({ sort })}
      />
      <Button
        size="md"
        aria-pressed={params.pinned}
        className={cx("border-edge! font-normal", params.pinned ? "text-accent" : "text-mute")}
        onClick={() => onChange({ pinned: !params.pinned })}
      >
        <Pin aria-hidden size={15} strokeWidth={1.6} />
        Pinned
      </Button>
      {(params.lensFailed || params.definition + params.toolset + params.run !== "") && (
        <LinkedFilters params={params} onChange={onChange} />
      )}
    </FilterBar>
  );
}
