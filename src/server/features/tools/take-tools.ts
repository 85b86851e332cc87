/**
 * One page of a list in memory. The cursor is the position and name of the last tool of the page before: a tool that came, went
 * or moved meanwhile hides no other.
 */
export function takeTools<Tool extends { name: string }>(
  tools: readonly Tool[],
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): { items: Tool[]; nextCursor: string | null } {
  const start = cursor === undefined ? 0 : findStart(tools, cursor);
  const items = tools.slice(start, start + limit);
  const end = start + items.length;
  const last = tools[end - 1];
  return { items, nextCursor: last === undefined || end >= tools.length ? null : `${end} ${last.name}` };
}

function findStart(tools: readonly { name: string }[], cursor: string): number {
  const [position = ""] = cursor.split(" ", 1);
  const name = cursor.slice(position.length + 1);
  const at = tools.findIndex((tool) => tool.name === name);
  return at === -1 ? Math.max(0, Number(position) - 1) : at + 1;
}
