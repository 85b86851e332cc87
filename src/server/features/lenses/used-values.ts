import { isPlainObject } from "../../../lib/contract/json";
import type { UsedValue } from "../../../lib/contract/lens";
import type { LaterCall } from "./lens-store";

/** Shorter values are in arguments by chance. */
const MIN_CHARS = 4;
const MAX_CHARS = 200;
const MAX_LEAVES = 20_000;
const MAX_DEPTH = 50;
/** The separators of an address or a sentence. */
const SEPARATORS = /[\s/,:;?&=#|()[\]"']+/;

type Found = Pick<UsedValue, "path" | "laterId" | "laterTool" | "argument">;

/**
 * Values of a result that a projection lacks and that arguments of later calls have. Values that the call itself was made
 * with do not count: the caller had them.
 */
export function findUsedValues(
  data: unknown,
  projectedText: string,
  ownArguments: unknown,
  later: readonly LaterCall[],
): Found[] {
  if (later.length === 0) return [];
  const known = new Set(listLeaves(ownArguments).flatMap(({ value }) => splitParts(value)));
  const removed = new Map<string, string>();
  for (const { path, value } of listLeaves(data)) {
    if (isSpecific(value) && !known.has(value) && !removed.has(value)) removed.set(value, path);
  }
  const found: Found[] = [];
  for (const { id, toolName, argumentsText } of later) {
    for (const { path: argument, value } of listLeaves(parse(argumentsText))) {
      const used = splitParts(value).find((part) => removed.has(part) && !projectedText.includes(part));
      if (used === undefined) continue;
      found.push({ path: removed.get(used) ?? "", laterId: id, laterTool: toolName, argument });
    }
  }
  return found;
}

const isSpecific = (value: string): boolean => value.length >= MIN_CHARS && value.length <= MAX_CHARS;

function splitParts(value: string): string[] {
  return [value, ...value.split(SEPARATORS)].filter(isSpecific);
}

/** Texts and numbers with their paths; items of a list share one. */
function listLeaves(root: unknown): { path: string; value: string }[] {
  const leaves: { path: string; value: string }[] = [];
  const visit = (value: unknown, path: string, depth: number): void => {
    if (leaves.length >= MAX_LEAVES || depth > MAX_DEPTH) return;
    if (typeof value === "string" || typeof value === "number") leaves.push({ path, value: String(value) });
    else if (Array.isArray(value)) for (const item of value) visit(item, `${path}[]`, depth + 1);
    else if (isPlainObject(value)) {
      for (const [key, part] of Object.entries(value)) visit(part, path === "" ? key : `${path}.${key}`, depth + 1);
    }
  };
  visit(root, "", 0);
  return leaves;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
