"use client";

import type { RefObject } from "react";
import {
  CONNECTION_STATUSES,
  STATUS_WORDS,
  TRANSPORT_WORDS,
  TRANSPORTS,
} from "@/app/_components/servers/summary/server-words";
import { FilterBar, FilterSelect, FilterToggle } from "@/app/_kit/filter-bar";
import { ListSearch } from "@/app/_kit/list-search";
import type { ServerFilters } from "./server-filters";

const SELECT = "max-sm:max-w-none max-w-44 max-sm:grow max-sm:basis-32 sm:w-auto";

export interface ServerFilterBarProps {
  filters: ServerFilters;
  onChange: (part: Partial<ServerFilters>) => void;
  searchRef: RefObject<HTMLInputElement | null>;
}

export function ServerFilterBar({ filters, onChange, searchRef }: ServerFilterBarProps) {
  return (
    <FilterBar className="items-center border-line border-b bg-panel px-4 py-2.5">
      <ListSearch
        label="Search servers"
        placeholder="Search name, command, address"
        value={filters.q}
        onChange={(q) => onChange({ q })}
        searchRef={searchRef}
      />
      <FilterSelect
        label="State"
        className={SELECT}
        value={filters.state}
        options={CONNECTION_STATUSES}
        textOf={(status) => STATUS_WORDS[status]}
        onChange={(state) => onChange({ state })}
      />
      <FilterSelect
        label="Transport"
        className={SELECT}
        value={filters.transport}
        options={TRANSPORTS}
        textOf={(transport) => TRANSPORT_WORDS[transport]}
        onChange={(transport) => onChange({ transport })}
      />
      <FilterToggle
        label="Needs attention"
        checked={filters.attention}
        onChange={(attention) => onChange({ attention })}
      />
    </FilterBar>
  );
}
