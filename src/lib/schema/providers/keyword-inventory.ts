import { isPlainObject, type JsonSchema } from "../../contract/json";
import { getHolding } from "../keywords";

/** How often a schema has each keyword with each value; of a keyword that holds schemas, only their names or number count. */
export type KeywordInventory = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Schemas looked at; those behind references count where they are written. */
const MAX_SCHEMAS = 20_000;
const MAX_VALUE_CHARS = 2_000;

export function listKeywords(schema: JsonSchema): KeywordInventory {
  const found = new Map<string, Map<string, number>>();
  const pending: unknown[] = [schema];
  for (let at = 0; at < pending.length && at < MAX_SCHEMAS; at += 1) {
    const node = pending[at];
    if (!isPlainObject(node)) continue;
    for (const [keyword, value] of Object.entries(node)) {
      const counts = found.get(keyword) ?? new Map<string, number>();
      const text = valueText(keyword, value, pending);
      found.set(keyword, counts.set(text, (counts.get(text) ?? 0) + 1));
    }
  }
  return found;
}

/** Returns the compared text of a keyword's value; schemas in it are queued. */
function valueText(keyword: string, value: unknown, pending: unknown[]): string {
  const holding = typeof value === "object" ? getHolding(keyword, value) : null;
  if (holding === "schema") {
    pending.push(value);
    return "schema";
  }
  if (holding !== null) {
    const names = Object.keys(value as object);
    for (const inner of Object.values(value as object)) pending.push(inner);
    return holding === "list" ? `list of ${names.length}` : JSON.stringify(names.sort());
  }
  return (JSON.stringify(value) ?? "").slice(0, MAX_VALUE_CHARS);
}

/** Keywords of the first that the second has less often, or with other values. */
export function missingKeywords(written: KeywordInventory, sent: KeywordInventory): string[] {
  return [...written].flatMap(([keyword, values]) => {
    const kept = sent.get(keyword);
    return [...values].every(([value, count]) => (kept?.get(value) ?? 0) >= count) ? [] : [keyword];
  });
}
