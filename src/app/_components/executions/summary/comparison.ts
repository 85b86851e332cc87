/** Adds a call to those chosen for a comparison, or removes it. Two at most, the older first: before and after. */
export function toggleSelected(
  ids: readonly string[],
  id: string,
  rows: readonly { id: string; seq: number }[],
): string[] {
  if (ids.includes(id)) return ids.filter((each) => each !== id);
  const order = (each: string): number => rows.find((row) => row.id === each)?.seq ?? 0;
  return [...ids.slice(-1), id].sort((a, b) => order(a) - order(b));
}

/** The comparison of two calls; null unless there are two. */
export function toComparePath(ids: readonly string[]): string | null {
  const [left, right] = ids;
  if (left === undefined || right === undefined) return null;
  return `/compare?left=${encodeURIComponent(left)}&right=${encodeURIComponent(right)}`;
}
