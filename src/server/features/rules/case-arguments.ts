import { isPlainObject, type JsonObject } from "../../../lib/contract/json";
import { inheritDigits } from "../../../lib/json/number-digits";
import { hasMask, REDACTED } from "../../../lib/masked-value";

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_PATHS = 20;

const isHidden = (text: string): boolean => hasMask(text) || text.includes(REDACTED);

/** The place of a value that is left out. */
const LEFT = Symbol("left");

/** Arguments as they were recorded, without what is masked, and the paths of what was left out. */
export function leaveOutHidden(args: JsonObject): { args: JsonObject; left: string[] } {
  const left: string[] = [];
  const clean = clear(args, "call.arguments", left) as JsonObject;
  return { args: clean, left: left.slice(0, MAX_PATHS) };
}

/** @returns `LEFT` for a text with a mask, and for a list with one: without an item, others would have its place */
function clear(value: unknown, path: string, left: string[]): unknown {
  if (typeof value === "string") return isHidden(value) ? leave(path, left) : value;
  if (Array.isArray(value)) {
    const found: string[] = [];
    const items = value.map((item, index) => clear(item, `${path}[${index}]`, found));
    return found.length > 0 || items.includes(LEFT) ? leave(path, left) : inheritDigits(value, items);
  }
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).flatMap(([key, member]) => {
    const inside = IDENTIFIER.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
    const kept = isHidden(key) ? leave(path, left) : clear(member, inside, left);
    return kept === LEFT ? [] : [[key, kept] as const];
  });
  return inheritDigits(value, Object.fromEntries(members));
}

function leave(path: string, left: string[]): typeof LEFT {
  left.push(path);
  return LEFT;
}
