import { toOutcomeCounts } from "../../../lib/contract/call-class";
import type { FacetCounts } from "../../../lib/contract/execution-facets";
import type { StoredFacet } from "./execution-store";

/** @param counts those of the facet `status` are by class */
export function toFacetCounts(facet: StoredFacet, counts: ReadonlyMap<string, number>, isWhole: boolean): FacetCounts {
  const values = [...(facet === "status" ? toOutcomeCounts(counts) : counts)].map(([value, count]) => ({
    value,
    count,
  }));
  values.sort((left, right) => right.count - left.count || (left.value < right.value ? -1 : 1));
  return { values, more: !isWhole };
}
