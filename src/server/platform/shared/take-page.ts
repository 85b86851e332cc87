interface NamedPage<Item> {
  items: Item[];
  nextCursor: string | null;
}

/**
 * One page of a list in memory. The cursor is the position and name of the last item of the page before: an item that came, went or moved between two pages
 * hides no other.
 */
export function takeNamedPage<Item extends { name: string }>(
  all: readonly Item[],
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): NamedPage<Item> {
  const start = cursor === undefined ? 0 : findStart(all, cursor);
  const items = all.slice(start, start + limit);
  const end = start + items.length;
  const last = all[end - 1];
  return { items, nextCursor: last === undefined || end >= all.length ? null : `${end} ${last.name}` };
}

function findStart(all: readonly { name: string }[], cursor: string): number {
  const [position = ""] = cursor.split(" ", 1);
  const name = cursor.slice(position.length + 1);
  const at = all.findIndex((item) => item.name === name);
  return at === -1 ? Math.max(0, Number(position) - 1) : at + 1;
}
