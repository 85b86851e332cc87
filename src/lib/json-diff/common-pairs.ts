import { diffArrays } from "diff";

/** The work grows with the square of the elements that differ: for 2,000 it takes up to a third of a second. */
const MAX_EDITS = 2_000;

export interface Pair {
  left: number;
  right: number;
}

/**
 * The largest number of pairs of equal elements with rising indexes; null where more than `maxEdits` elements differ.
 */
export function findCommonPairs<T>(left: readonly T[], right: readonly T[], maxEdits = MAX_EDITS): Pair[] | null {
  const parts = diffArrays([...left], [...right], { maxEditLength: maxEdits });
  if (parts === undefined) return null;
  const pairs: Pair[] = [];
  const at = { left: 0, right: 0 };
  for (const { added, removed, count } of parts) {
    for (let index = 0; !added && !removed && index < count; index += 1) {
      pairs.push({ left: at.left + index, right: at.right + index });
    }
    if (!added) at.left += count;
    if (!removed) at.right += count;
  }
  return pairs;
}
