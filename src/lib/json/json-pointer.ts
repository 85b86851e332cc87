/** RFC 6901 pointers, and paths in a form for users: `items[2].price`. */

export function escapeToken(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}

export function unescapeToken(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Tokens of a pointer; a text that does not begin with a slash has none. */
export function parsePointer(pointer: string): string[] {
  if (!pointer.startsWith("/")) return [];
  return pointer.slice(1).split("/").map(unescapeToken);
}

export function childPointer(pointer: string, token: string | number): string {
  return `${pointer}/${escapeToken(String(token))}`;
}

/** The pointer one level up; null for the root. */
export function parentPointer(pointer: string): string | null {
  const slash = pointer.lastIndexOf("/");
  return slash === -1 ? null : pointer.slice(0, slash);
}

/** Whether `pointer` is `ancestor` or lies beneath it. */
export function isWithin(pointer: string, ancestor: string): boolean {
  return pointer === ancestor || pointer.startsWith(`${ancestor}/`);
}

const INDEX = /^(?:0|[1-9]\d*)$/;

/** An array index as a pointer spells it; null for anything else, `01` and `-` included. */
export function arrayIndex(token: string | number): number | null {
  const text = String(token);
  if (!INDEX.test(text)) return null;
  const index = Number(text);
  return Number.isSafeInteger(index) ? index : null;
}

function pathSegment(token: string, first: boolean): string {
  // A parameter's name is shown unchanged.
  if (first) return token;
  if (INDEX.test(token)) return `[${token}]`;
  return token === "" || /[.[\]"\s]/.test(token) ? `[${JSON.stringify(token)}]` : `.${token}`;
}

/** `/items/2/price` → `items[2].price`. A key of digits looks like an index, except at the root. */
export function pointerToPath(pointer: string): string {
  return parsePointer(pointer)
    .map((token, position) => pathSegment(token, position === 0))
    .join("");
}
