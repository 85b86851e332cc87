/** The address holds their ids, which limits their number. */
const MAX_SELECTED = 50;

/** Adds a call to the selected ones, or removes it. The older come first: before and after. */
export function toggleSelected(
  ids: readonly string[],
  id: string,
  rows: readonly { id: string; seq: number }[],
): string[] {
  if (ids.includes(id)) return ids.filter((each) => each !== id);
  const order = (each: string): number => rows.find((row) => row.id === each)?.seq ?? 0;
  if (ids.length >= MAX_SELECTED) return [...ids];
  return [...ids, id].sort((a, b) => order(a) - order(b));
}

/** The comparison of two calls; null unless there are exactly two. */
export function toComparePath(ids: readonly string[]): string | null {
  const [left, right] = ids;
  if (left === undefined || right === undefined || ids.length > 2) return null;
  return `/compare?left=${encodeURIComponent(left)}&right=${encodeURIComponent(right)}`;
}
