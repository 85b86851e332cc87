"use client";

import type { ReactNode } from "react";
import { FilterBar, FilterSelect, FilterToggle } from "@/app/_kit/filter-bar";
import { ListSearch, type ListSearchProps } from "@/app/_kit/list-search";
import { MultiSelect } from "@/app/_kit/multi-select";
import { usePausedDraft } from "@/app/_kit/use-paused-draft";
import { onDemand } from "@/app/_ui/on-demand";
import { useTimeZone } from "@/app/_ui/time-zone";
import type { FilterLook, FilterSet } from "./filters";
import { type TimeRange, toRangeEnds } from "./time-range";
import type { List } from "./use-list";

// Only the browser knows the time zone of its user, and most visits filter by no time of their own.
const CustomRange = onDemand(() => import("./custom-range").then((module) => module.CustomRange));

/** The choices of a field that only the server knows; with labels where they are ids. */
export type Choices = readonly string[] | ReadonlyMap<string, string>;

export interface ListBarProps {
  list: List;
  /** By the filter's name. A field without choices of its own takes them from here. */
  choices?: Record<string, Choices | undefined>;
  /** The filters whose fields are not shown. */
  hidden?: readonly (string | false)[];
  className?: string;
  /** After the fields. */
  children?: ReactNode;
}

/** The filters of a list as fields, in the order of their declaration: the search stays in the row on a phone. */
export function ListBar({ list, choices = {}, hidden = [], className, children }: ListBarProps) {
  const { filters, label, isFiltered, clear } = list;
  const names = Object.keys(filters).filter((name) => filters[name]?.label !== undefined && !hidden.includes(name));
  return (
    <FilterBar {...(label && { label })} {...(className && { className })} onClear={isFiltered ? clear : undefined}>
      {names.map((name) => (
        <Field key={name} name={name} list={list} choices={choices[name]} />
      ))}
      {children}
    </FilterBar>
  );
}

interface FieldProps {
  name: string;
  list: List;
  choices: Choices | undefined;
}

function Field({ name, list, choices }: FieldProps) {
  const filter = list.filters[name];
  if (filter?.label === undefined) return null;
  const { control, label, any, words, mono = false, className, values } = filter;
  const look = { label, ...(any !== undefined && { any }), ...(className !== undefined && { className }) };
  const value = list.params[name];
  const change = (next: unknown): void => list.change({ [name]: next });
  switch (control) {
    case "search":
      return filter.instant ? (
        <ListSearch
          label={label}
          placeholder={filter.placeholder ?? ""}
          value={String(value)}
          onChange={change}
          searchRef={list.searchRef}
        />
      ) : (
        <PausedSearch {...filter} label={label} value={String(value)} onChange={change} searchRef={list.searchRef} />
      );
    case "many": {
      const texts = listChoices(choices ?? values, value as string[], words);
      const options = [...texts].map(([each, text]) => ({ value: each, label: text, mono }));
      return <MultiSelect label={label} options={options} value={value as string[]} onChange={change} />;
    }
    case "one": {
      // A name is absent as the empty text, a choice as null.
      const absent = values === undefined ? "" : null;
      const chosen = value === absent ? null : String(value);
      const texts = listChoices(choices ?? values, chosen === null ? [] : [chosen], words);
      return (
        <FilterSelect
          {...look}
          value={chosen}
          options={[...texts.keys()]}
          readText={(each) => texts.get(each) ?? each}
          onChange={(next) => change(next ?? absent)}
        />
      );
    }
    case "range":
      return <TimeRangeField list={list} look={look} filter={filter} range={value as TimeRange | null} />;
    case "toggle":
      return <FilterToggle label={label} checked={value === true} onChange={change} />;
    default:
      return null;
  }
}

/** Values with their texts. A link may name what nothing has: it can be seen and removed. */
function listChoices(
  known: Choices = [],
  chosen: readonly string[],
  words: FilterLook["words"],
): ReadonlyMap<string, string> {
  const labels = known instanceof Map ? (known as ReadonlyMap<string, string>) : null;
  const values = [...(labels?.keys() ?? (known as readonly string[])), ...chosen];
  return new Map(values.map((value) => [value, labels?.get(value) ?? words?.[value] ?? value]));
}

interface PausedSearchProps extends Omit<ListSearchProps, "placeholder"> {
  placeholder?: string;
  least?: number;
}

/** Asks once typing pauses, or with Enter. */
function PausedSearch({ label, placeholder = "", least = 1, value, onChange, searchRef }: PausedSearchProps) {
  const { shown, type, commit } = usePausedDraft(value, onChange);
  const length = shown.trim().length;
  return (
    <ListSearch
      label={label}
      placeholder={placeholder}
      value={shown}
      onChange={type}
      onEnter={() => commit(shown)}
      hint={least > 1 && (length > 0 && length < least ? `Searches from ${least} characters on` : "")}
      searchRef={searchRef}
    />
  );
}

interface TimeRangeFieldProps {
  list: List;
  look: { label: string; any?: string; className?: string };
  filter: Pick<FilterSet["filters"][string], "values" | "words" | "startInAddress">;
  range: TimeRange | null;
}

function TimeRangeField({ list, look, filter, range }: TimeRangeFieldProps) {
  const { since, until } = list.params as { since: number | null; until: number | null };
  const zone = useTimeZone();
  return (
    <>
      <FilterSelect
        {...look}
        value={range}
        options={(filter.values ?? []) as TimeRange[]}
        readText={(each) => filter.words?.[each] ?? each}
        onChange={(next) => {
          // A custom range begins as the range before: there is something to edit.
          const chosen = next === "custom" ? (range ?? "today") : filter.startInAddress ? next : null;
          list.change({ range: next, ...toRangeEnds(chosen, Date.now(), zone) });
        }}
      />
      {range === "custom" && <CustomRange since={since} until={until} onChange={(part) => list.change(part)} />}
    </>
  );
}
