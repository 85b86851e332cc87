"use client";

import type { RefObject } from "react";
import { formatImplementation } from "@/app/_components/tools/summary/implementation-label";
import { FilterBar, FilterSelect, FilterToggle } from "@/app/_kit/filter-bar";
import { ListSearch } from "@/app/_kit/list-search";
import { useHasAccounts } from "@/app/_ui/access";
import type { ToolSummary } from "@/lib/contract/catalogue-tool";
import { listFilterChoices, TOOL_APPROVALS, TOOL_ORIGINS, TOOL_STATES, type ToolFilters } from "./tool-filters";
import { TOOL_SORT_LABELS, TOOL_SORTS, type ToolSort } from "./tool-order";

const SELECT = { className: "max-w-40 sm:w-auto" } as const;

export interface ToolFilterBarProps {
  tools: readonly ToolSummary[];
  filters: ToolFilters;
  onChange: (part: Partial<ToolFilters>) => void;
  sort: ToolSort | null;
  onSort: (sort: ToolSort | null) => void;
  searchRef: RefObject<HTMLInputElement | null>;
}

export function ToolFilterBar({ tools, filters, onChange, sort, onSort, searchRef }: ToolFilterBarProps) {
  const hasAccounts = useHasAccounts();
  const { types, servers, tags } = listFilterChoices(tools, filters);
  return (
    <FilterBar className="items-center border-line border-b px-4 py-2.5">
      <ListSearch
        label="Search tools"
        placeholder="Search name, description, tag"
        value={filters.q}
        onChange={(q) => onChange({ q })}
        searchRef={searchRef}
      />
      <FilterSelect
        {...SELECT}
        label="Type"
        value={filters.type}
        options={types}
        textOf={formatImplementation}
        onChange={(type) => onChange({ type: type ?? "" })}
      />
      <FilterSelect
        {...SELECT}
        label="Origin"
        value={filters.origin}
        options={TOOL_ORIGINS}
        onChange={(origin) => onChange({ origin })}
      />
      {servers.length > 0 && (
        <FilterSelect
          {...SELECT}
          label="Server"
          value={filters.server}
          options={servers}
          onChange={(server) => onChange({ server: server ?? "" })}
        />
      )}
      {tags.length > 0 && (
        <FilterSelect
          {...SELECT}
          label="Tag"
          value={filters.tag}
          options={tags}
          onChange={(tag) => onChange({ tag: tag ?? "" })}
        />
      )}
      <FilterSelect
        {...SELECT}
        label="State"
        value={filters.state}
        options={TOOL_STATES}
        onChange={(state) => onChange({ state })}
      />
      <FilterSelect
        {...SELECT}
        label="Approval"
        value={filters.approval}
        options={TOOL_APPROVALS}
        textOf={(approval) => (approval === "asks" ? "required" : "not required")}
        onChange={(approval) => onChange({ approval })}
      />
      <FilterSelect
        label="Sort"
        any="Sort: none"
        className="max-w-44 sm:w-auto"
        value={sort}
        options={TOOL_SORTS}
        textOf={(each) => TOOL_SORT_LABELS[each]}
        onChange={onSort}
      />
      <FilterToggle label="Favorites" checked={filters.favorites} onChange={(favorites) => onChange({ favorites })} />
      {hasAccounts && <FilterToggle label="Mine" checked={filters.mine} onChange={(mine) => onChange({ mine })} />}
      <FilterToggle label="Has problems" checked={filters.problems} onChange={(problems) => onChange({ problems })} />
    </FilterBar>
  );
}
