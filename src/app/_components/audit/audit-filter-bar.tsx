"use client";

import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import dynamic from "next/dynamic";
import type { RefObject } from "react";
import { FilterBar, FilterSelect } from "@/app/_kit/filter-bar";
import { ListSearch } from "@/app/_kit/list-search";
import { MultiSelect } from "@/app/_kit/multi-select";
import { usePausedDraft } from "@/app/_kit/use-paused-draft";
import { useTRPC } from "@/app/_trpc/client";
import { buttonClass } from "@/app/_ui/button";
import { AUDIT_OUTCOMES } from "@/lib/contract/audit";
import {
  AUDIT_RANGES,
  type AuditFilterParams,
  type AuditRange,
  exportAddress,
  startRange,
  toAuditFilter,
} from "./audit-filter-params";
import { OUTCOME_LABELS } from "./audit-labels";

// Most visits filter by no time of their own.
const CustomRange = dynamic(
  () => import("@/app/_components/executions/list/custom-range").then((module) => module.CustomRange),
  { ssr: false },
);

const RANGE_LABELS: Record<AuditRange, string> = {
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  custom: "Custom range",
};

export interface AuditFilterBarProps {
  params: AuditFilterParams;
  onChange: (part: Partial<AuditFilterParams>) => void;
  onClear: () => void;
  searchRef: RefObject<HTMLInputElement | null>;
}

export function AuditFilterBar({ params, onChange, onClear, searchRef }: AuditFilterBarProps) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.audit.facets.queryOptions());
  const search = usePausedDraft(params.q, (q) => onChange({ q }));
  const names = new Map(data?.actors.map(({ id, name }) => [id, name]));
  return (
    <FilterBar
      label="Filter the audit log"
      className="items-start border-line border-b bg-panel px-4 py-2.5"
      onClear={Object.keys(toAuditFilter(params)).length > 0 ? onClear : undefined}
    >
      <ListSearch
        label="Search the audit log"
        placeholder="Search targets, errors, states"
        value={search.shown}
        onChange={search.type}
        searchRef={searchRef}
      />
      <MultiSelect
        label="Actor"
        options={withChosen([...names.keys()], params.actor).map((value) => ({
          value,
          label: names.get(value) ?? value,
        }))}
        value={params.actor}
        onChange={(actor) => onChange({ actor })}
      />
      <MultiSelect
        label="Action"
        options={withChosen(data?.actions ?? [], params.action).map((value) => ({ value, label: value, mono: true }))}
        value={params.action}
        onChange={(action) => onChange({ action })}
      />
      <MultiSelect
        label="Target"
        options={withChosen(data?.targets ?? [], params.target).map((value) => ({ value, label: value }))}
        value={params.target}
        onChange={(target) => onChange({ target })}
      />
      <FilterSelect
        label="Outcome"
        any="Any outcome"
        className="w-auto!"
        value={params.outcome}
        options={AUDIT_OUTCOMES}
        textOf={(outcome) => OUTCOME_LABELS[outcome]}
        onChange={(outcome) => onChange({ outcome })}
      />
      <FilterSelect
        label="Time range"
        any="All time"
        className="w-auto!"
        value={params.range}
        options={AUDIT_RANGES}
        textOf={(range) => RANGE_LABELS[range]}
        onChange={(range) => onChange(startRange(range, Date.now()))}
      />
      {params.range === "custom" && <CustomRange since={params.since} until={params.until} onChange={onChange} />}
      <ExportLink format="jsonl" params={params} />
      <ExportLink format="csv" params={params} />
    </FilterBar>
  );
}

/** Of all matching entries; browsers save what it leads to. */
function ExportLink({ format, params }: { format: "csv" | "jsonl"; params: AuditFilterParams }) {
  const name = format === "csv" ? "CSV" : "JSON Lines";
  return (
    <a
      href={exportAddress(toAuditFilter(params), format)}
      download
      aria-label={`Export as ${name}`}
      className={buttonClass({ size: "md" })}
    >
      <Download aria-hidden size={13} strokeWidth={1.6} />
      {name}
    </a>
  );
}

/** A link may name what has no entries. */
function withChosen(known: readonly string[], chosen: readonly string[]): string[] {
  return [...new Set([...known, ...chosen])];
}
