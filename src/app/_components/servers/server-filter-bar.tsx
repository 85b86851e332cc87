"use client";

import { type RefObject, useId } from "react";
import { ListSearch } from "@/app/_components/frame/list-search";
import { NativeSelect } from "@/app/_ui/field";
import type { ServerFilters } from "./server-filters";
import { CONNECTION_STATUSES, STATUS_WORDS, TRANSPORT_WORDS, TRANSPORTS } from "./server-words";

export interface ServerFilterBarProps {
  filters: ServerFilters;
  onChange: (part: Partial<ServerFilters>) => void;
  searchRef: RefObject<HTMLInputElement | null>;
}

export function ServerFilterBar({ filters, onChange, searchRef }: ServerFilterBarProps) {
  const attentionId = useId();
  return (
    <search className="flex flex-wrap items-center gap-2 border-line border-b bg-panel px-4 py-2.5">
      <ListSearch
        label="Search servers"
        placeholder="Search name, command, address"
        value={filters.q}
        onChange={(q) => onChange({ q })}
        searchRef={searchRef}
      />
      <Choice
        label="State"
        value={filters.state}
        options={CONNECTION_STATUSES}
        words={STATUS_WORDS}
        onChange={(state) => onChange({ state })}
      />
      <Choice
        label="Transport"
        value={filters.transport}
        options={TRANSPORTS}
        words={TRANSPORT_WORDS}
        onChange={(transport) => onChange({ transport })}
      />
      <label htmlFor={attentionId} className="flex h-8 items-center gap-1.5 text-mute">
        <input
          id={attentionId}
          type="checkbox"
          checked={filters.attention}
          onChange={(event) => onChange({ attention: event.target.checked })}
          className="accent-accent"
        />
        Needs attention
      </label>
    </search>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  value: T | null;
  options: readonly T[];
  words: Record<T, string>;
  onChange: (value: T | null) => void;
}

function Choice<T extends string>({ label, value, options, words, onChange }: ChoiceProps<T>) {
  return (
    <NativeSelect
      aria-label={label}
      value={value ?? ""}
      onChange={(event) => onChange(options.find((each) => each === event.target.value) ?? null)}
      className="max-sm:max-w-none max-w-44 max-sm:grow max-sm:basis-32 sm:w-auto"
    >
      <option value="">{label}: any</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {words[option]}
        </option>
      ))}
    </NativeSelect>
  );
}
