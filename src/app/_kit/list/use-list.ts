import { useQueryStates } from "nuqs";
import { type RefObject, useDeferredValue, useMemo, useRef } from "react";
import type { FilterSet, Params, Sent } from "./filters";

/** A list's filters as the address has them. */
export interface List<Values = Record<string, unknown>> {
  label: string | undefined;
  filters: FilterSet["filters"];
  params: Values;
  change(part: Partial<Values>): void;
  clear: () => void;
  isFiltered: boolean;
  /** Whether the shown rows belong to the previous filter. */
  isBusy: boolean;
  /** The search field, for the key `/`. */
  searchRef: RefObject<HTMLInputElement | null>;
}

/**
 * The address of a list, and the filter whose rows are shown.
 * @param history `push` makes each filter a step of its own, which Back undoes
 */
export function useList<Of extends FilterSet["filters"]>(
  set: FilterSet<Of>,
  history: "push" | "replace" = "replace",
): List<Params<Of>> & { filter: Sent<Of> } {
  const [params, setParams] = useQueryStates(set.parsers) as unknown as [Params<Of>, SetParams];
  const searchRef = useRef<HTMLInputElement>(null);
  const filter = useMemo(() => set.toFilter(params), [set, params]);
  const shown = useDeferredValue(filter);
  function change(part: Partial<Params<Of>>): void {
    const { q = "", range, ...others } = part as { q?: string; range?: unknown };
    // A search letter by letter and the ends of a custom range are one step.
    const refined = q !== "" && (params as { q?: string }).q !== "";
    const dated = range === undefined && ("since" in others || "until" in others);
    const ordered = Object.keys(part).some((name) => set.filters[name]?.isOrder);
    void setParams(part, { history: ordered || (history === "push" && !refined && !dated) ? "push" : "replace" });
  }
  return {
    label: set.label,
    filters: set.filters,
    params,
    change,
    clear: () => void setParams(set.none, { history }),
    isFiltered: set.isFiltered(params),
    isBusy: filter !== shown,
    searchRef,
    filter: shown,
  };
}

type SetParams = (part: object, options: { history: "push" | "replace" }) => Promise<unknown>;
