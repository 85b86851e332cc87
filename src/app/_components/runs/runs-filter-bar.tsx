"use client";

import { useQuery } from "@tanstack/react-query";
import type { RefObject } from "react";
import { MultiSelect } from "@/app/_components/executions/multi-select";
import { ListSearch } from "@/app/_components/frame/list-search";
import { usePausedDraft } from "@/app/_components/frame/use-paused-draft";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { NativeSelect } from "@/app/_ui/field";
import type { RunSummary } from "@/lib/contract/run";
import { type RunFilterParams, toRunFilter } from "./run-filter-params";
import { RUN_SOURCE_LABELS, RUN_SOURCES, RUN_STATUS_LABELS, RUN_STATUSES } from "./run-labels";

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
  const chosen = params.model === "" ? "" : modelKey(params.provider, params.model);
  return (
    <search
      aria-label="Filter runs"
      className="flex flex-wrap items-start gap-2 border-line border-b bg-panel px-4 py-2.5"
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
      <NativeSelect
        aria-label="Model"
        className="w-auto! max-w-56"
        value={chosen}
        onChange={(event) => {
          const model = models.find((each) => modelKey(each.provider, each.model) === event.target.value);
          onChange(model ?? { provider: "", model: "" });
        }}
      >
        <option value="">Any model</option>
        {models.map(({ provider, model }) => (
          <option key={modelKey(provider, model)} value={modelKey(provider, model)}>
            {provider === "" ? model : `${provider} / ${model}`}
          </option>
        ))}
      </NativeSelect>
      {Object.keys(toRunFilter(params)).length > 0 && (
        <Button size="md" variant="ghost" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

interface NamedModel {
  provider: string;
  model: string;
}

function modelKey(provider: string, model: string): string {
  return `${provider}/${model}`;
}

/** Configured models, those in sight, and the one that is chosen, which a link may name. */
function useModelChoices({ provider, model }: RunFilterParams, rows: readonly RunSummary[]): NamedModel[] {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.models.choices.queryOptions());
  const all: NamedModel[] = [...(data?.items ?? []), ...rows];
  if (model !== "") all.push({ provider, model });
  const byKey = new Map(all.map((each) => [modelKey(each.provider, each.model), each]));
  return [...byKey.values()].map((each) => ({ provider: each.provider, model: each.model }));
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
