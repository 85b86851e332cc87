"use client";

import { useQuery } from "@tanstack/react-query";
import type { RefObject } from "react";
import {
  RUN_SOURCE_LABELS,
  RUN_SOURCES,
  RUN_STATUS_LABELS,
  RUN_STATUSES,
} from "@/app/_components/runs/summary/run-labels";
import { FilterBar, FilterSelect } from "@/app/_kit/filter-bar";
import { ListSearch } from "@/app/_kit/list-search";
import { MultiSelect } from "@/app/_kit/multi-select";
import { usePausedDraft } from "@/app/_kit/use-paused-draft";
import { useTRPC } from "@/app/_trpc/client";
import type { RunSummary } from "@/lib/contract/run";
import { type RunFilterParams, toRunFilter } from "./run-filter-params";

const STATUS_OPTIONS = RUN_STATUSES.map((value) => ({ value, label: RUN_STATUS_LABELS[value] }));
const SOURCE_OPTIONS = RUN_SOURCES.map((value) => ({ value, label: RUN_SOURCE_LABELS[value] }));

export interface RunsFilterBarProps {
  params: RunFilterParams;
  /** What is in sight: its models can be chosen. */
  rows: readonly RunSummary[];
  onChange: (part: Partial<RunFilterParams>) => void;
  onClear: () => void;
  searchRef: RefObject<HTMLInputElement | null>;
}

export function RunsFilterBar({ params, rows, onChange, onClear, searchRef }: RunsFilterBarProps) {
  const models = useModelChoices(params, rows);
  return (
    <FilterBar
      label="Filter runs"
      className="items-start border-line border-b bg-panel px-4 py-2.5"
      onClear={Object.keys(toRunFilter(params)).length > 0 ? onClear : undefined}
    >
      <TitleSearch value={params.q} onChange={(q) => onChange({ q })} searchRef={searchRef} />
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
        label="Model"
        any="Any model"
        className="w-auto! max-w-56"
        value={params.model === "" ? null : modelKey(params)}
        options={[...models.keys()]}
        textOf={(key) => formatModel(models.get(key))}
        onChange={(key) => onChange((key !== null && models.get(key)) || { provider: "", model: "" })}
      />
    </FilterBar>
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
function useModelChoices({ provider, model }: RunFilterParams, rows: readonly RunSummary[]): Map<string, NamedModel> {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.models.choices.queryOptions());
  const all: NamedModel[] = [...(data?.items ?? []), ...rows];
  if (model !== "") all.push({ provider, model });
  return new Map(all.map((each) => [modelKey(each), { provider: each.provider, model: each.model }]));
}

interface TitleSearchProps {
  value: string;
  onChange: (value: string) => void;
  searchRef: RefObject<HTMLInputElement | null>;
}

/** Asks once typing pauses. */
function TitleSearch({ value, onChange, searchRef }: TitleSearchProps) {
  const { shown, type } = usePausedDraft(value, onChange);
  return (
    <ListSearch label="Search runs" placeholder="Search titles" value={shown} searchRef={searchRef} onChange={type} />
  );
}
