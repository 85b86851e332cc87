import { isPlainObject } from "../contract/json";
import { childPointer, parsePointer } from "../json/json-pointer";
import { hasMask } from "../masked-value";

export interface Difference {
  /** JSON pointer, `""` for the whole. */
  pointer: string;
  kind: "changed" | "missing" | "unexpected";
  /** Absent where one side has nothing there. */
  expected?: unknown;
  actual?: unknown;
}

export interface CompareOptions {
  /** Members that are not expected may be there, and items between those that are. */
  isSubset?: boolean;
  /** Pointers of what may differ; `*` matches any member or item. */
  ignore?: readonly string[];
  /** The number of differences to find; 20 when absent. */
  most?: number;
}

const MOST = 20;
const MAX_DEPTH = 200;

interface Search {
  ignored: readonly string[][];
  isSubset: boolean;
  most: number;
  found: Difference[];
}

/** The paths where two JSON values differ. A masked value equals any value, since its value is not known. */
export function findDifferences(expected: unknown, actual: unknown, options: CompareOptions = {}): Difference[] {
  const { ignore = [], isSubset = false, most = MOST } = options;
  const search: Search = { ignored: ignore.map(parsePointer), isSubset, most, found: [] };
  // The empty pointer ignores everything.
  if (!ignore.includes("")) compare(expected, actual, [], "", search);
  return search.found;
}

function isIgnored(path: readonly string[], { ignored }: Search): boolean {
  return ignored.some(
    (pattern) => pattern.length === path.length && pattern.every((part, at) => part === "*" || part === path[at]),
  );
}

function add(search: Search, difference: Difference): void {
  if (search.found.length < search.most) search.found.push(difference);
}

function compare(expected: unknown, actual: unknown, path: string[], pointer: string, search: Search): void {
  if (search.found.length >= search.most || isIgnored(path, search) || isMasked(expected) || isMasked(actual)) return;
  const isDeep = path.length >= MAX_DEPTH;
  if (!isDeep && Array.isArray(expected) && Array.isArray(actual)) {
    if (search.isSubset) findItems(expected, actual, path, pointer, search);
    else compareItems(expected, actual, path, pointer, search);
  } else if (!isDeep && isPlainObject(expected) && isPlainObject(actual)) {
    compareMembers(expected, actual, path, pointer, search);
  } else if (expected !== actual || typeof expected === "object") {
    // Two nulls are equal; values that are nested too deeply are not.
    if (expected !== null || actual !== null) add(search, { pointer, kind: "changed", expected, actual });
  }
}

const isMasked = (value: unknown): boolean => typeof value === "string" && hasMask(value);

function compareItems(expected: unknown[], actual: unknown[], path: string[], pointer: string, search: Search): void {
  for (let at = 0; at < Math.max(expected.length, actual.length); at += 1) {
    if (search.found.length >= search.most) return;
    compareChild(expected, actual, String(at), { path, pointer }, search);
  }
}

function compareMembers(
  expected: Record<string, unknown>,
  actual: Record<string, unknown>,
  path: string[],
  pointer: string,
  search: Search,
): void {
  for (const key of Object.keys(expected)) compareChild(expected, actual, key, { path, pointer }, search);
  if (search.isSubset) return;
  for (const key of Object.keys(actual)) {
    if (!Object.hasOwn(expected, key)) compareChild(expected, actual, key, { path, pointer }, search);
  }
}

function compareChild(
  expected: object,
  actual: object,
  key: string,
  at: { path: string[]; pointer: string },
  search: Search,
): void {
  const path = [...at.path, key];
  const pointer = childPointer(at.pointer, key);
  const [left, right] = [expected, actual] as Record<string, unknown>[];
  if (!Object.hasOwn(actual, key)) {
    if (!isIgnored(path, search)) add(search, { pointer, kind: "missing", expected: left?.[key] });
  } else if (!Object.hasOwn(expected, key)) {
    if (!isIgnored(path, search)) add(search, { pointer, kind: "unexpected", actual: right?.[key] });
  } else compare(left?.[key], right?.[key], path, pointer, search);
}

/** Finds, for each expected item, a separate actual one, in the same order. */
function findItems(expected: unknown[], actual: unknown[], path: string[], pointer: string, search: Search): void {
  let from = 0;
  for (const [at, item] of expected.entries()) {
    const itemPath = [...path, String(at)];
    let found = from;
    while (found < actual.length && !matches(item, actual[found], itemPath, search)) found += 1;
    if (found === actual.length) add(search, { pointer: childPointer(pointer, at), kind: "missing", expected: item });
    else from = found + 1;
  }
}

function matches(expected: unknown, actual: unknown, path: string[], search: Search): boolean {
  const inner: Search = { ...search, found: [], most: 1 };
  compare(expected, actual, path, "", inner);
  return inner.found.length === 0;
}
