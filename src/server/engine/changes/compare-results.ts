import { isPlainObject } from "../../../lib/contract/json";

const MAX_VALUES = 20_000;
const MAX_PATHS = 50;
const MAX_TEXT_CHARS = 1_000_000;

/**
 * The paths at which two results of a tool differ, without positions in lists: `content[].text.at`. A text block that
 * is JSON is compared by its parts.
 */
export function findDifferences(left: unknown, right: unknown): Set<string> {
  const found = new Set<string>();
  let budget = MAX_VALUES;
  const pending: [left: unknown, right: unknown, path: string][] = [[left, right, ""]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [one, other, path] = next;
    if (found.size >= MAX_PATHS) return found;
    if (budget-- <= 0) {
      found.add(path);
      return found;
    }
    if (Object.is(one, other)) continue;
    if (Array.isArray(one) && Array.isArray(other)) {
      if (one.length !== other.length) found.add(`${path}.length`);
      for (let index = 0; index < Math.min(one.length, other.length); index += 1) {
        pending.push([one[index], other[index], `${path}[]`]);
      }
    } else if (isPlainObject(one) && isPlainObject(other)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
        const memberPath = path === "" ? key : `${path}.${key}`;
        if (Object.hasOwn(one, key) !== Object.hasOwn(other, key)) found.add(memberPath);
        else pending.push([one[key], other[key], memberPath]);
      }
    } else if (typeof one === "string" && typeof other === "string") {
      const parsed = parseJson(one);
      const parsedOther = parseJson(other);
      if (parsed !== undefined && parsedOther !== undefined) pending.push([parsed, parsedOther, path]);
      else found.add(path);
    } else found.add(path);
  }
  return found;
}

function parseJson(text: string): unknown {
  const first = text.trimStart()[0];
  if ((first !== "{" && first !== "[") || text.length > MAX_TEXT_CHARS) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
