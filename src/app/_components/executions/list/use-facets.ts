import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ChoiceCounts } from "@/app/_kit/list/filter-field";
import { useTRPC } from "@/app/_trpc/client";
import type { ExecutionFilter } from "@/lib/contract/execution";
import type { ExecutionFacets, FacetCounts, FacetName } from "@/lib/contract/execution-facets";
import { formatCount } from "@/lib/format";

/** The filters whose values are read with their counts. */
const NAMED = ["server", "toolset", "client", "tag"] as const satisfies FacetName[];

/** As much as the list itself is counted up to. */
const MOST = 10_000;

/** How many calls each choice of a filter would find, and the choices that only calls know. Read while a filter is chosen. */
export function useFacets(filter: ExecutionFilter, isChoosing: boolean) {
  const options = useTRPC().executions.facetCounts.queryOptions({ filter });
  const { data } = useQuery({ ...options, enabled: isChoosing, placeholderData: keepPreviousData });
  const listNames = (name: FacetName): string[] | null => data?.[name].values.map(({ value }) => value) ?? null;
  return {
    choices: Object.fromEntries(NAMED.map((name) => [name, listNames(name)])),
    counts: data === undefined ? undefined : toCounts(data),
    /** The names with most calls first, then the others that are known. */
    mergeNames: (name: FacetName, others: readonly string[] = []) => [
      ...new Set([...(listNames(name) ?? []), ...others]),
    ],
  };
}

const toCounts = (facets: ExecutionFacets): ChoiceCounts =>
  Object.fromEntries(
    Object.entries(facets).map(([name, { values, more }]) => {
      const counts = new Map(values.map(({ value, count }) => [value, formatUpTo(count, more)]));
      return [name, (value: string) => counts.get(value) ?? (more ? undefined : "0")];
    }),
  );

/** `12`, `12+` where counting stopped, and `10,000+` for all above. */
function formatUpTo(count: number, more: FacetCounts["more"]): string {
  return `${formatCount(Math.min(count, MOST))}${more || count > MOST ? "+" : ""}`;
}
