import {
  type GenericParserBuilder,
  type inferParserType,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";

/** How the filter bar shows a filter. One without a label is set by links and other fields alone. */
export interface FilterLook {
  label?: string;
  /** The option for no filter; `Label: any` where absent. */
  any?: string;
  /** The labels of values that are not shown literally. */
  words?: Readonly<Record<string, string>>;
  /** The values are identifiers, shown in a monospace font. */
  mono?: boolean;
  className?: string;
}

type FilterControl = "search" | "many" | "one" | "toggle" | "range" | "none";

/** One filter: its parameter in the address, its field, and its value for the server. */
export interface ListFilter extends FilterLook {
  control: FilterControl;
  // biome-ignore lint/suspicious/noExplicitAny: the functions below bind the value of parser and `toSent`.
  parser: GenericParserBuilder<any>;
  /** The choices of a field that the address limits. */
  values?: readonly string[];
  /** Returns the server's filter; undefined where nothing is chosen, or for a filter that the server does not have. */
  toSent: (value: never) => unknown;
  placeholder?: string;
  /** Shorter texts are not searched for. */
  least?: number;
  /** The list is filtered in the browser, with every letter. */
  instant?: boolean;
  /** A time range's start is fixed when it is chosen, and stands in the address. */
  startInAddress?: boolean;
  /** An order of the rows: clearing the filters keeps it. */
  isOrder?: boolean;
}

/** Longest search text that a server takes. */
const MAX_SEARCH_CHARS = 200;

interface SearchLook {
  label: string;
  placeholder: string;
  least?: number;
  instant?: boolean;
}

/** Free text. A longer one than the server takes is cut, so that a long address is no error. */
export function searchText(look: SearchLook) {
  const toSent = (value: string): string | undefined => {
    const text = value.trim().slice(0, MAX_SEARCH_CHARS);
    return text.length >= (look.least ?? 1) ? text : undefined;
  };
  return { ...look, control: "search", parser: parseAsString.withDefault(""), toSent } as const;
}

/** Any of the values; none chosen means all. */
export function manyOf<const Value extends string>(values: readonly Value[], look: FilterLook) {
  const parser = parseAsArrayOf(parseAsStringLiteral(values)).withDefault([]);
  const toSent = (chosen: Value[]): Value[] | undefined => (chosen.length > 0 ? chosen : undefined);
  return { ...look, control: "many", parser, values, toSent } as const;
}

/** Any of several names that only the server knows; cut to the number that it accepts. */
export function manyNames({ most, maxChars, ...look }: FilterLook & { most: number; maxChars: number }) {
  const parser = parseAsArrayOf(parseAsString).withDefault([]);
  const toSent = (chosen: string[]): string[] | undefined =>
    chosen.length > 0 ? chosen.slice(0, most).map((name) => name.slice(0, maxChars)) : undefined;
  return { ...look, control: "many", parser, toSent } as const;
}

export function oneOf<const Value extends string>(values: readonly Value[], look: FilterLook) {
  const toSent = (chosen: Value | null): Value | undefined => chosen ?? undefined;
  return { ...look, control: "one", parser: parseAsStringLiteral(values), values, toSent } as const;
}

/** One of a few numbers, as the least that is shown. A link may set another. */
export function leastNumber<const Value extends string>(values: readonly Value[], look: FilterLook) {
  const toSent = (chosen: string): number | undefined => (Number(chosen) > 0 ? Number(chosen) : undefined);
  return { ...look, control: "one", parser: parseAsString.withDefault(""), values, toSent } as const;
}

/** One name that only the server knows; cut to the length that it accepts. */
export function oneName(maxChars: number, look: FilterLook = {}) {
  const toSent = (name: string): string | undefined => (name === "" ? undefined : name.slice(0, maxChars));
  return { ...look, control: "one", parser: parseAsString.withDefault(""), toSent } as const;
}

export function toggle(look: FilterLook = {}) {
  const toSent = (on: boolean): true | undefined => (on ? true : undefined);
  return { ...look, control: "toggle", parser: parseAsBoolean.withDefault(false), toSent } as const;
}

/** Epoch milliseconds: an end of a time range. */
export function instant() {
  const toSent = (at: number | null): number | undefined => at ?? undefined;
  return { control: "none", parser: parseAsInteger, toSent } as const;
}

/** The order of the rows, which is no filter; `-` in front is descending. */
export function order<const Value extends string>(values: readonly Value[], look: FilterLook) {
  const parser = parseAsStringLiteral(values);
  return { ...look, control: "one", parser, values, toSent: toNothing, isOrder: true } as const;
}

export const toNothing = (): undefined => undefined;

type Filters = Record<string, ListFilter>;
type Parsers<Of extends Filters> = { [Name in keyof Of]: Of[Name]["parser"] };
/** The values of the filters in the address. */
export type Params<Of extends Filters> = inferParserType<Parsers<Of>>;
export type Sent<Of extends Filters> = { [Name in keyof Of]?: NonNullable<ReturnType<Of[Name]["toSent"]>> };

export interface FilterSet<Of extends Filters = Filters> {
  /** Accessible name of the filter bar. */
  label: string | undefined;
  filters: Of;
  parsers: Parsers<Of>;
  /** Returns the filter of the request. */
  toFilter: (params: Params<Of>) => Sent<Of>;
  isFiltered: (params: Params<Of>) => boolean;
  /** Every filter absent; the order of the rows stays. */
  none: { [Name in keyof Of]?: null };
}

/** The filters of one list, in the order of their fields. Without zod and React: the page on the server reads the address with them too. */
export function defineFilters<Of extends Filters>(filters: Of, label?: string): FilterSet<Of> {
  const entries = Object.entries(filters);
  const toFilter = (params: Params<Of>): Sent<Of> =>
    Object.fromEntries(
      entries.flatMap(([name, { toSent }]) => {
        const sent = toSent((params as Record<string, never>)[name] as never);
        return sent === undefined ? [] : [[name, sent]];
      }),
    ) as Sent<Of>;
  return {
    label,
    filters,
    parsers: Object.fromEntries(entries.map(([name, { parser }]) => [name, parser])) as Parsers<Of>,
    toFilter,
    isFiltered: (params) => Object.keys(toFilter(params)).length > 0,
    none: Object.fromEntries(entries.flatMap(([name, { isOrder }]) => (isOrder ? [] : [[name, null]]))) as {
      [Name in keyof Of]?: null;
    },
  };
}
