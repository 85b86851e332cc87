import type { CassetteDifference } from "../contract/cassette";
import { isPlainObject } from "../contract/json";
import { parsePointer } from "../json/json-pointer";
import { hasMask, replaceMasks } from "../masked-value";

const MAX_SHOWN_CHARS = 120;
const ANY = "*";
const SPLIT = "\u0000";

type Pointer = readonly string[];

/** The ignored paths that hold for a tool. */
export function toIgnored(paths: readonly string[], tool: string): Pointer[] {
  return paths.flatMap((path) => {
    const slash = path.indexOf("/");
    const owner = path.slice(0, Math.max(0, slash - 1));
    return owner === "" || owner === tool ? [parsePointer(path.slice(slash))] : [];
  });
}

/** Places where received arguments differ from recorded ones, at most `max`. A mask stands for any value. */
export function findDifferences(
  recorded: unknown,
  received: unknown,
  ignored: readonly Pointer[],
  max: number,
): CassetteDifference[] {
  const found: CassetteDifference[] = [];
  compare(recorded, received, [], { ignored, max, found });
  return found;
}

interface Comparison {
  ignored: readonly Pointer[];
  max: number;
  found: CassetteDifference[];
}

function compare(recorded: unknown, received: unknown, at: readonly string[], comparison: Comparison): void {
  const { ignored, max, found } = comparison;
  if (found.length >= max || ignored.some((pointer) => covers(pointer, at))) return;
  if (isPlainObject(recorded) && isPlainObject(received)) {
    const keys = new Set([...Object.keys(recorded), ...Object.keys(received)]);
    for (const key of keys) compare(member(recorded, key), member(received, key), [...at, key], comparison);
  } else if (Array.isArray(recorded) && Array.isArray(received)) {
    for (let index = 0; index < Math.max(recorded.length, received.length); index += 1) {
      compare(recorded[index], received[index], [...at, String(index)], comparison);
    }
  } else if (!areEqual(recorded, received)) {
    found.push({ path: toPath(at), recorded: show(recorded), received: show(received) });
  }
}

const member = (object: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

function covers(pointer: Pointer, at: readonly string[]): boolean {
  return pointer.length === at.length && pointer.every((token, index) => token === ANY || token === at[index]);
}

/** A text may hold masks beside other characters, which have to be the same. */
function areEqual(recorded: unknown, received: unknown): boolean {
  if (recorded === received) return true;
  if (typeof recorded !== "string" || received === undefined || !hasMask(recorded)) return false;
  const parts = replaceMasks(recorded, () => SPLIT).split(SPLIT);
  if (parts.every((part) => part === "")) return true;
  if (typeof received !== "string") return false;
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (received.length < first.length + last.length || !received.startsWith(first) || !received.endsWith(last))
    return false;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const next = received.indexOf(part, from);
    if (next < 0 || next + part.length > received.length - last.length) return false;
    from = next + part.length;
  }
  return true;
}

const toPath = (at: readonly string[]): string =>
  at.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

function show(value: unknown): string | null {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return null;
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}
