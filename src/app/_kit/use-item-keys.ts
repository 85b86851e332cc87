import { useCallback, useState } from "react";

export type ItemChange =
  | { type: "insert"; index: number }
  | { type: "remove"; index: number }
  | { type: "move"; from: number; to: number };

interface ItemKeys {
  keys: readonly number[];
  next: number;
}

function changed({ keys, next }: ItemKeys, change: ItemChange): ItemKeys {
  if (change.type === "insert") return { keys: keys.toSpliced(change.index, 0, next), next: next + 1 };
  if (change.type === "remove") return { keys: keys.toSpliced(change.index, 1), next };
  const key = keys[change.from];
  return key === undefined
    ? { keys, next }
    : { keys: keys.toSpliced(change.from, 1).toSpliced(change.to, 0, key), next };
}

function renewed(next: number, length: number): ItemKeys {
  return { keys: Array.from({ length }, (_, index) => next + index), next: next + length };
}

/** React keys that follow the elements of an array, so that what a field keeps for itself moves with its element. */
export function useItemKeys(length: number): readonly [readonly number[], (change: ItemChange) => void] {
  const [current, setCurrent] = useState(() => renewed(0, length));
  const change = useCallback((item: ItemChange) => setCurrent((before) => changed(before, item)), []);
  if (current.keys.length === length) return [current.keys, change];
  // The array was replaced as a whole, by a default for one: every element is new.
  const fresh = renewed(current.next, length);
  setCurrent(fresh);
  return [fresh.keys, change];
}
