import type { ExecutionFilter } from "../../../lib/contract/execution";
import {
  type ExecutionFacets,
  type ExecutionTimeline,
  FACET_NAMES,
  type FacetCounts,
  type FacetName,
} from "../../../lib/contract/execution-facets";
import type { ExecutionServicePorts } from "./execution-ports";
import type { ExecutionStore, StoredFacet, StoredFilter } from "./execution-store";
import { createRollupCounts } from "./rollup-counts";

type ReadFilter = ExecutionFilter & Pick<StoredFilter, "readableBy">;

interface FacetPorts {
  store: Pick<ExecutionStore, "facetCounts" | "timeline" | "count" | "statistics" | "isAlias">;
  toStored: (filter: ReadFilter) => Promise<StoredFilter>;
  listTags: NonNullable<ExecutionServicePorts["listTags"]>;
}

const STORED: readonly StoredFacet[] = [...FACET_NAMES.filter((name) => name !== "tag"), "ownTool"];
/** Values of a filter that are offered at most. */
const MAX_VALUES = 200;
const NONE: FacetCounts = { values: [], more: false };

/** Which filter a stored facet offers the values of. */
const toFilterName = (facet: StoredFacet): FacetName => (facet === "ownTool" ? "tag" : facet);

/** How many calls of a list have each value of its filters, and when they were made. */
export function createExecutionFacets({ store, toStored, listTags }: FacetPorts) {
  const rollups = createRollupCounts(store, Date.now);

  const isSet = (filter: ReadFilter, name: FacetName): boolean => {
    const value = filter[name];
    return value !== undefined && value.length > 0;
  };

  /** The values of a set filter are counted without it, so that they show the result of another choice. */
  async function countStored(filter: ReadFilter, facets: readonly StoredFacet[]) {
    const counts = new Map<StoredFacet, FacetCounts>();
    const read = async (own: ReadFilter, names: readonly StoredFacet[]): Promise<void> => {
      if (names.length === 0) return;
      for (const [name, found] of await store.facetCounts(await toStored(own), names)) counts.set(name, found);
    };
    const rolledUp = await rollups.facets(filter);
    for (const facet of facets) {
      const found = rolledUp?.get(facet);
      if (found !== undefined && !isSet(filter, toFilterName(facet))) counts.set(facet, found);
    }
    await read(
      filter,
      facets.filter((facet) => !counts.has(facet) && !isSet(filter, toFilterName(facet))),
    );
    for (const facet of facets) {
      const name = toFilterName(facet);
      if (!isSet(filter, name)) continue;
      const others = { ...filter, [name]: undefined };
      const found = (await rollups.facets(others))?.get(facet);
      if (found === undefined) await read(others, [facet]);
      else counts.set(facet, found);
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
    async facetCounts(filter: ReadFilter, readableBy?: StoredFilter["readableBy"]): Promise<ExecutionFacets> {
      const counts = await countStored(
        filter,
        STORED.filter((name) => name !== "size" || readableBy === undefined),
      );
      const own = readableBy && (await countStored({ ...filter, readableBy }, ["size"]));
      const get = (name: StoredFacet): FacetCounts => counts.get(name) ?? own?.get(name) ?? NONE;
      const found = FACET_NAMES.map((name) => {
        const { values, more } = name === "tag" ? countTags(get("ownTool")) : get(name);
        return [name, { values: values.slice(0, MAX_VALUES), more }] as const;
      });
      const facets = Object.fromEntries(found) as ExecutionFacets;
      return { ...facets, status: await addAwaiting(filter, facets.status) };
    },
    timeline: async (filter: ReadFilter, zone: string): Promise<ExecutionTimeline> =>
      (await rollups.timeline(filter, zone)) ?? store.timeline(await toStored(filter), zone),
  };
}
