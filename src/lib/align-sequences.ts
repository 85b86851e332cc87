import type { Aligned } from "./json-diff/align";
import { findCommonPairs } from "./json-diff/common-pairs";

/** The keys by which elements of two sequences match. */
export interface AlignedKeys {
  /** Equal elements differ in nothing. */
  whole: string;
  /** The key of a strong match. */
  strong: string;
  /** The key of a weak match; elements with different keys are never paired. */
  weak: string;
}

/** A strong match costs as much as an element without a partner, a weak one more, and less than two of these. */
const UNPAIRED = 10;
const STRONG = 10;
const WEAK = 14;
const NEVER = 1_000_000_000;

/** More pairs of elements are not all weighed: equal ones divide the sequences first. */
const MAX_CELLS = 4_000_000;
const MAX_EDITS = 2_000;

type Bounds = readonly [leftFrom: number, leftTo: number, rightFrom: number, rightTo: number];

/** The cheapest alignment of two sequences (Needleman–Wunsch); of long ones that differ in much, a cheap one. */
export function alignSequences(left: readonly AlignedKeys[], right: readonly AlignedKeys[]): Aligned[] {
  let from = 0;
  let leftTo = left.length;
  let rightTo = right.length;
  while (from < leftTo && from < rightTo && left[from]?.whole === right[from]?.whole) from += 1;
  while (leftTo > from && rightTo > from && left[leftTo - 1]?.whole === right[rightTo - 1]?.whole) {
    leftTo -= 1;
    rightTo -= 1;
  }
  const aligned: Aligned[] = Array.from({ length: from }, (_, at) => ({ left: at, right: at }));
  const push = (places: readonly Aligned[]): void => {
    for (const place of places) aligned.push(place);
  };
  const price = priceWith(left, right);
  const bounds: Bounds = [from, leftTo, from, rightTo];
  if (countCells(bounds) <= MAX_CELLS) push(alignWithin(bounds, price));
  else {
    const [strongLeft, strongRight] = [left.slice(from, leftTo), right.slice(from, rightTo)].map((part) =>
      part.map(({ strong }) => strong),
    );
    let nextLeft = from;
    let nextRight = from;
    for (const pair of findCommonPairs(strongLeft ?? [], strongRight ?? [], MAX_EDITS) ?? []) {
      const atLeft = pair.left + from;
      const atRight = pair.right + from;
      push(alignWithin([nextLeft, atLeft, nextRight, atRight], price));
      aligned.push({ left: atLeft, right: atRight });
      [nextLeft, nextRight] = [atLeft + 1, atRight + 1];
    }
    push(alignWithin([nextLeft, leftTo, nextRight, rightTo], price));
  }
  push(Array.from({ length: left.length - leftTo }, (_, at) => ({ left: leftTo + at, right: rightTo + at })));
  return aligned;
}

const countCells = ([leftFrom, leftTo, rightFrom, rightTo]: Bounds): number =>
  (leftTo - leftFrom + 1) * (rightTo - rightFrom + 1);

type Price = (left: number, right: number) => number;

/** Uses numbers in place of texts, since they are compared millions of times. */
function priceWith(left: readonly AlignedKeys[], right: readonly AlignedKeys[]): Price {
  const ids = new Map<string, number>();
  const toId = (key: string): number => ids.get(key) ?? ids.set(key, ids.size).size - 1;
  const [one, other] = [left, right].map((elements) => ({
    whole: Int32Array.from(elements, ({ whole }) => toId(whole)),
    strong: Int32Array.from(elements, ({ strong }) => toId(strong)),
    weak: Int32Array.from(elements, ({ weak }) => toId(weak)),
  }));
  return (i, j) => {
    if (one?.whole[i] === other?.whole[j]) return 0;
    if (one?.strong[i] === other?.strong[j]) return STRONG;
    return one?.weak[i] === other?.weak[j] ? WEAK : NEVER;
  };
}

/**
 * Aligns the elements between two pairs; elements without a partner come as late as possible, those of the left first.
 */
function alignWithin(bounds: Bounds, price: Price): Aligned[] {
  const [leftFrom, leftTo, rightFrom, rightTo] = bounds;
  const rows = leftTo - leftFrom;
  const width = rightTo - rightFrom + 1;
  if (countCells(bounds) > MAX_CELLS) return alignInOrder(bounds, price);
  const steps = new Uint8Array((rows + 1) * width);
  let below = Int32Array.from({ length: width }, (_, j) => (width - 1 - j) * UNPAIRED);
  let costs = new Int32Array(width);
  steps.fill(3, rows * width);
  for (let i = rows - 1; i >= 0; i -= 1) {
    costs[width - 1] = (rows - i) * UNPAIRED;
    steps[i * width + width - 1] = 2;
    for (let j = width - 2; j >= 0; j -= 1) {
      const paired = price(leftFrom + i, rightFrom + j) + (below[j + 1] ?? 0);
      const removed = UNPAIRED + (below[j] ?? 0);
      const added = UNPAIRED + (costs[j + 1] ?? 0);
      const least = Math.min(paired, removed, added);
      costs[j] = least;
      steps[i * width + j] = paired === least ? 1 : removed === least ? 2 : 3;
    }
    [below, costs] = [costs, below];
  }
  const aligned: Aligned[] = [];
  let i = leftFrom;
  let j = rightFrom;
  while (i < leftTo || j < rightTo) {
    const step = steps[(i - leftFrom) * width + (j - rightFrom)];
    if (step === 1) aligned.push({ left: i++, right: j++ });
    else aligned.push(step === 2 ? { left: i++ } : { right: j++ });
  }
  return aligned;
}

function alignInOrder([leftFrom, leftTo, rightFrom, rightTo]: Bounds, price: Price): Aligned[] {
  const aligned: Aligned[] = [];
  for (let at = 0; leftFrom + at < leftTo || rightFrom + at < rightTo; at += 1) {
    const left = leftFrom + at;
    const right = rightFrom + at;
    if (left < leftTo && right < rightTo && price(left, right) < NEVER) aligned.push({ left, right });
    else {
      if (left < leftTo) aligned.push({ left });
      if (right < rightTo) aligned.push({ right });
    }
  }
  return aligned;
}
