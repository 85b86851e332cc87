import { isPlainObject } from "../contract/json";
import { childPointer } from "../json/json-pointer";
import { findDifferences } from "./find-differences";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[1-9a-f][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const INSTANT = /\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;
/** Names whose last word shows that the value belongs to one call only. */
const VOLATILE_KEY =
  /(?:^|[_-])(?:timestamp|duration|elapsed|took|latency|nonce|etag|cursor|uptime|now)(?:[_-](?:ms|s|at))?$|(?:request|trace|session|span|correlation)[_-]?id$|(?:created|updated|modified|generated|fetched|expires|started|finished)[_-]?(?:at|on|time)$/i;
/** Seconds and milliseconds from 2001 to 2100. */
const EPOCHS = [
  [1_000_000_000, 4_102_444_800],
  [1_000_000_000_000, 4_102_444_800_000],
] as const;
const EPOCH_KEY = /(?:time|date|_at|At|ts|epoch|now)$/i;
const MAX_PATHS = 100;
const MAX_DEPTH = 100;

/**
 * Pointers of values that another call is likely to return differently: what looks like an instant, an id of one call or a
 * measured time, and what differed in other results of the same call. Items of lists are `*`.
 */
export function findVolatile(value: unknown, others: readonly unknown[] = []): string[] {
  const found = new Set<string>();
  collect(value, "", "", found, 0);
  for (const other of others) {
    for (const { pointer } of findDifferences(value, other, { ignore: [...found], most: MAX_PATHS })) {
      found.add(generalize(pointer, value));
    }
  }
  return dropCovered([...found]).slice(0, MAX_PATHS);
}

function collect(value: unknown, key: string, pointer: string, found: Set<string>, depth: number): void {
  if (depth > MAX_DEPTH || found.size >= MAX_PATHS) return;
  if (Array.isArray(value)) {
    for (const item of value) collect(item, key, `${pointer}/*`, found, depth + 1);
  } else if (isPlainObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      collect(member, name, childPointer(pointer, name), found, depth + 1);
    }
  } else if (isVolatile(key, value)) found.add(pointer);
}

function isVolatile(key: string, value: unknown): boolean {
  if (typeof value === "string") return UUID.test(value) || INSTANT.test(value) || VOLATILE_KEY.test(toSnake(key));
  if (typeof value !== "number") return false;
  const isEpoch = EPOCHS.some(([from, to]) => value >= from && value < to);
  return VOLATILE_KEY.test(toSnake(key)) || (isEpoch && EPOCH_KEY.test(key));
}

const toSnake = (key: string): string => key.replace(/([a-z0-9])([A-Z])/g, "$1_$2");

/** Replaces indexes of lists by `*`. */
function generalize(pointer: string, value: unknown): string {
  let at: unknown = value;
  const parts = pointer.split("/").slice(1);
  return parts
    .map((part) => {
      const isItem = Array.isArray(at);
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      at =
        typeof at === "object" && at !== null && Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : null;
      return `/${isItem ? "*" : part}`;
    })
    .join("");
}

/** Drops paths below another one, which add nothing. */
function dropCovered(paths: readonly string[]): string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && path.startsWith(`${other}/`)));
}
