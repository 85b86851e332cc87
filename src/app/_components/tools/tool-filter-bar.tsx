"use client";

import { type ReactNode, type RefObject, useId } from "react";
import { ListSearch } from "@/app/_components/frame/list-search";
import { NativeSelect } from "@/app/_ui/field";
import type { ToolSummary } from "@/lib/contract";
import { implementationLabel } from "./implementation-label";
import { filterChoices, TOOL_ORIGINS, type ToolFilters } from "./tool-filters";

export interface ToolFilterBarProps {
  tools: readonly ToolSummary[];
  filters: ToolFilters;
  onChange: (part: Partial<ToolFilters>) => void;
  searchRef: RefObject<HTMLInputElement | null>;
}

export function ToolFilterBar({ tools, filters, onChange, searchRef }: ToolFilterBarProps) {
  const { types, servers, tags } = filterChoices(tools, filters);
  const problemsId = useId();
  return (
    <search className="flex flex-wrap items-center gap-2 border-line border-b px-4 py-2.5">
      <ListSearch
        label="Search tools"
        placeholder="Search name, description, tag"
        value={filters.q}
        onChange={(q) => onChange({ q })}
        searchRef={searchRef}
      />
      <Choice
        label="Type"
        value={filters.type}
        onChange={(type) => onChange({ type })}
        options={types}
        labelOf={implementationLabel}
      />
      <Choice
        label="Origin"
        value={filters.origin ?? ""}
        onChange={(value) => onChange({ origin: asOneOf(TOOL_ORIGINS, value) })}
        options={TOOL_ORIGINS}
      />
      {servers.length > 0 && (
        <Choice label="Server" value={filters.server} onChange={(server) => onChange({ server })} options={servers} />
      )}
      {tags.length > 0 && (
        <Choice label="Tag" value={filters.tag} onChange={(tag) => onChange({ tag })} options={tags} />
      )}
      <Choice
        label="State"
        value={filters.state ?? ""}
        onChange={(value) => onChange({ state: asOneOf(["enabled", "disabled"], value) })}
        options={["enabled", "disabled"]}
      />
      <Choice
        label="Approval"
        value={filters.approval ?? ""}
        onChange={(value) => onChange({ approval: asOneOf(["asks", "free"], value) })}
        options={["asks", "free"]}
        labelOf={(option) => (option === "asks" ? "asks first" : "does not ask")}
      />
      <label htmlFor={problemsId} className="flex h-8 items-center gap-1.5 text-mute">
        <input
          id={problemsId}
          type="checkbox"
          checked={filters.problems}
          onChange={(event) => onChange({ problems: event.target.checked })}
          className="accent-accent"
        />
        Has problems
      </label>
    </search>
  );
}

function asOneOf<const T extends string>(allowed: readonly T[], value: string): T | null {
  return allowed.find((each) => each === value) ?? null;
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly string[];
  /** How an option reads; as it is where absent. */
  labelOf?: (option: string) => string;
  onChange: (value: string) => void;
}

function Choice({ label, value, options, labelOf = String, onChange }: ChoiceProps): ReactNode {
  return (
    <NativeSelect
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className="max-w-40 sm:w-auto"
    >
      <option value="">{label}: any</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {labelOf(option)}
        </option>
      ))}
    </NativeSelect>
  );
}
