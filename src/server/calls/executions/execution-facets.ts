import type { ExecutionCount, ExecutionFilter } from "../../../lib/contract/execution";
import {
  type ExecutionFacets,
  type ExecutionTimeline,
  FACET_NAMES,
  type FacetCounts,
  type FacetName,
} from "../../../lib/contract/execution-facets";
import type { ExecutionServicePorts } from "./execution-ports";
import type { CountEffort, ExecutionStore, StoredFacet, StoredFilter } from "./execution-store";
import { createRollupCounts } from "./rollup-counts";

type ReadFilter = ExecutionFilter & Pick<StoredFilter, "readableBy">;

interface FacetPorts {
  store: Pick<ExecutionStore, "facetCounts" | "timeline" | "count" | "statistics" | "isAlias">;
  toStored: (filter: ReadFilter) => Promise<StoredFilter>;
  listTags: NonNullable<ExecutionServicePorts["listTags"]>;
}

const STORED: readonly StoredFacet[] = [...FACET_NAMES.filter((name) => name !== "tag"), "ownTool"];
/** The limit of offered values of a filter. */
const MAX_VALUES = 200;
const NONE: FacetCounts = { values: [], more: false };

/** The filter for the values of a stored facet. */
const toFilterName = (facet: StoredFacet): FacetName => (facet === "ownTool" ? "tag" : facet);

/** How many calls of a list have each value of its filters, and when they were made. */
export function createExecutionFacets({ store, toStored, listTags }: FacetPorts) {
  const rollups = createRollupCounts(store, Date.now);

  const isSet = (filter: ReadFilter, name: FacetName): boolean => {
    const value = filter[name];
    return value !== undefined && value.length > 0;
  };

  /** The values of a set filter are counted without it, so that they show the result of another choice. */
  async function countStored(filter: ReadFilter, facets: readonly StoredFacet[], { isThorough }: CountEffort) {
    const counts = new Map<StoredFacet, FacetCounts>();
    const uncounted = new Map<ReadFilter, StoredFacet[]>();
    const others = new Map<FacetName, ReadFilter>();
    const known = new Map<ReadFilter, Awaited<ReturnType<typeof rollups.facets>>>();
    for (const facet of facets) {
      const name = toFilterName(facet);
      if (isSet(filter, name) && !others.has(name)) others.set(name, { ...filter, [name]: undefined });
      const own = others.get(name) ?? filter;
      if (!known.has(own)) known.set(own, await rollups.facets(own));
      const found = known.get(own)?.get(facet);
      if (found === undefined) uncounted.set(own, [...(uncounted.get(own) ?? []), facet]);
      else counts.set(facet, found);
    }
    for (const [own, names] of uncounted) {
      const effort = { isThorough, parts: uncounted.size };
      for (const [name, found] of await store.facetCounts(await toStored(own), names, effort)) counts.set(name, found);
    }
    return counts;
  }

  /** Calls whose servers wait for a user are among the running ones. */
  async function addAwaiting(filter: ReadFilter, status: FacetCounts): Promise<FacetCounts> {
    const { count } = await store.count(await toStored({ ...filter, status: ["input"] }));
    return count === 0 ? status : { ...status, values: [...status.values, { value: "input", count }] };
  }

  function countTags({ values, more }: FacetCounts): FacetCounts {
    const calls = new Map(values.map(({ value, count }) => [value, count]));
    const counts = new Map<string, number>();
    for (const [tool, tags] of listTags()) {
      for (const tag of new Set(tags)) counts.set(tag, (counts.get(tag) ?? 0) + (calls.get(tool) ?? 0));
    }
    const found = [...counts].flatMap(([value, count]) => (count > 0 ? [{ value, count }] : []));
    return { more, values: found.sort((left, right) => right.count - left.count) };
  }

  return {
    /** @param readableBy who reads: sizes of private calls of other users are not counted */
    async facetCounts(
      filter: ReadFilter,
      effort: CountEffort = {},
      readableBy?: StoredFilter["readableBy"],
    ): Promise<ExecutionFacets> {
      const counts = await countStored(
        filter,
        STORED.filter((name) => name !== "size" || readableBy === undefined),
        effort,
      );
      const own = readableBy && (await countStored({ ...filter, readableBy }, ["size"], effort));
      const get = (name: StoredFacet): FacetCounts => counts.get(name) ?? own?.get(name) ?? NONE;
      const found = FACET_NAMES.map((name) => {
        const { values, more } = name === "tag" ? countTags(get("ownTool")) : get(name);
        return [name, { values: values.slice(0, MAX_VALUES), more }] as const;
      });
      const facets = Object.fromEntries(found) as ExecutionFacets;
      return { ...facets, status: await addAwaiting(filter, facets.status) };
    },
    timeline: async (filter: ReadFilter, zone: string, effort?: CountEffort): Promise<ExecutionTimeline> =>
      (await rollups.timeline(filter, zone)) ?? store.timeline(await toStored(filter), zone, effort),
    count: async (filter: ReadFilter, effort?: CountEffort): Promise<ExecutionCount> =>
      (await rollups.count(filter)) ?? store.count(await toStored(filter), effort),
  };
}
