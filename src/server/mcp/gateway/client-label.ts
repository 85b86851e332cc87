const MAX_CHARS = 100;
const OUTSIDE_PRINTABLE = /[^\x20-\x7e]/g;

/** `claude-code/1.2.3` from what a client says of itself: printable, short, null where it says nothing. */
export function clientLabel(info: unknown): string | null {
  if (typeof info !== "object" || info === null) return null;
  const { name, version } = info as { name?: unknown; version?: unknown };
  const parts = [name, version].map((part) =>
    typeof part === "string" ? part.replace(OUTSIDE_PRINTABLE, "?").trim().slice(0, MAX_CHARS) : "",
  );
  const said = parts.filter((part) => part !== "");
  return said.length === 0 ? null : said.join("/");
}
