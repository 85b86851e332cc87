import type { EvalItem, EvalRunDetail } from "../../../lib/contract/eval";
import type { StoredEvalRun } from "./suite-store";

/** A stored run with its attempts in the order of its evals. */
export function orderAttempts({ items: own, attempts, ...run }: StoredEvalRun): EvalRunDetail {
  const items = own ?? [...new Set(attempts.map(({ item }) => item))].map(toFormerItem);
  const positions = new Map(items.map(({ id }, at) => [id, at]));
  const positionOf = (item: string): number => positions.get(item) ?? items.length;
  const sorted = attempts.toSorted(
    (one, other) => positionOf(one.item) - positionOf(other.item) || one.round - other.round,
  );
  return { ...run, items, attempts: sorted };
}

/** A scenario of the suite that earlier versions brought along: its texts were not stored. */
const toFormerItem = (id: string): EvalItem => ({ id, title: id, description: "", expected: [] });
