"use client";

import { useQuery } from "@tanstack/react-query";
import { Pin, X } from "lucide-react";
import type { RefObject } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { NativeSelect } from "@/app/_ui/field";
import { SOURCE_LABELS, SOURCES, STATUS_LABELS, STATUSES } from "./execution-labels";
import { type FilterParams, isFiltered, TIME_RANGE_LABELS, TIME_RANGES } from "./filter-params";
import { MultiSelect } from "./multi-select";
import { SearchBox } from "./search-box";

const STATUS_OPTIONS = STATUSES.map((value) => ({ value, label: STATUS_LABELS[value] }));
const SOURCE_OPTIONS = SOURCES.map((value) => ({ value, label: SOURCE_LABELS[value] }));

export interface FilterBarProps {
  params: FilterParams;
  onChange: (part: Partial<FilterParams>) => void;
  onClear: () => void;
  searchRef: RefObject<HTMLInputElement | null>;
  /** The list is one tool's: there is nothing to choose. */
  withoutTool?: boolean;
}

export function FilterBar({ params, onChange, onClear, searchRef, withoutTool = false }: FilterBarProps) {
  const trpc = useTRPC();
  const facets = useQuery(trpc.executions.facets.queryOptions());
  const tools = [...new Set([...(facets.data?.tools ?? []), ...params.tool])];
  return (
    <search className="flex flex-wrap items-start gap-2" aria-label="Filter executions">
      <SearchBox value={params.q} onChange={(q) => onChange({ q })} inputRef={searchRef} />
      {!withoutTool && (
        <MultiSelect
          label="Tool"
          options={tools.map((name) => ({ value: name, label: name, mono: true }))}
          value={params.tool}
          onChange={(tool) => onChange({ tool })}
        />
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
      <NativeSelect
        aria-label="Who"
        className="w-auto! max-w-40"
        value={params.actor}
        onChange={(event) => onChange({ actor: event.target.value })}
      >
        <option value="">Anyone</option>
        {actorOptions(facets.data?.actors ?? [], params.actor).map((actor) => (
          <option key={actor.id} value={actor.id}>
            {actor.name}
          </option>
        ))}
      </NativeSelect>
      <NativeSelect
        aria-label="When"
        className="w-auto!"
        value={params.range ?? ""}
        onChange={(event) => onChange({ range: TIME_RANGES.find((range) => range === event.target.value) ?? null })}
      >
        <option value="">Any time</option>
        {TIME_RANGES.map((range) => (
          <option key={range} value={range}>
            {TIME_RANGE_LABELS[range]}
          </option>
        ))}
      </NativeSelect>
      <Button
        size="md"
        aria-pressed={params.pinned}
        className={cx("border-edge! font-normal", params.pinned ? "text-accent" : "text-mute")}
        onClick={() => onChange({ pinned: !params.pinned })}
      >
        <Pin aria-hidden size={15} strokeWidth={1.6} />
        Pinned
      </Button>
      {params.run !== "" && (
        <Button
          size="md"
          title={params.run}
          className="border-edge! font-normal text-accent"
          onClick={() => onChange({ run: "" })}
        >
          <span className="max-w-52 truncate">
            Run <span className="font-mono text-xs">{params.run}</span>
          </span>
          <X aria-hidden size={13} strokeWidth={1.6} />
          <span className="sr-only">, show every run</span>
        </Button>
      )}
      {isFiltered(params) && (
        <Button size="md" variant="ghost" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

/** A link may name someone who has not called anything here yet. */
function actorOptions(known: readonly { id: string; name: string }[], chosen: string): { id: string; name: string }[] {
  const missing = chosen !== "" && !known.some((actor) => actor.id === chosen);
  return missing ? [...known, { id: chosen, name: chosen }] : [...known];
}
