import type { Witness } from "../../contract/change-verdict";
import type { JsonSchema, JsonValue } from "../../contract/json";
import { arrayIndex, unescapeToken } from "../../json/json-pointer";
import { joinPath } from "../compare/change-list";
import type { Direction } from "../compare/schema-comparison";
import { ValueSampler } from "./value-sampler";

/** The path and the keyword of a validation error. */
export interface Refusal {
  /** A JSON pointer into the value. */
  pointer: string;
  keyword: string;
  /** The property that is missing, or that may not be there. */
  property: string | null;
}

/** Empty for a value that fits. Null where the schema, or a part of it, cannot be checked. */
export type CheckValue = (schema: JsonSchema, value: JsonValue) => readonly Refusal[] | null;

export interface FoundWitness extends Witness {
  /** The paths of the parts that are refused, as findings name them. */
  paths: string[];
}

/** The number of values checked after one was found, or at all. */
const MAX_AFTER_FOUND = 150;
const MAX_VALUES = 3_000;

/**
 * Values that prove that a schema broke: arguments that were accepted and are refused, or results that are possible and were not. The
 * caller takes as many as it needs. Without one nothing is proven.
 */
export function* findWitnesses(
  { before, after, direction }: { before: JsonSchema; after: JsonSchema; direction: Direction },
  check: CheckValue,
): Generator<FoundWitness> {
  const isSent = direction === "sent";
  const [inner, outer] = isSent ? [before, after] : [after, before];
  let left = MAX_VALUES;
  for (const value of new ValueSampler(inner, outer).list()) {
    left -= 1;
    if (left < 0) return;
    if (check(inner, value)?.length !== 0) continue;
    const refusals = check(outer, value);
    if (refusals === null || refusals.length === 0) continue;
    const paths = [...new Set(refusals.map((refusal) => locate(value, refusal)))];
    yield { value, effect: isSent ? "refused" : "impossible", paths };
    left = Math.min(left, MAX_AFTER_FOUND);
  }
}

/** For each path the first value of the schema that holds the part, where one was found. */
export function findHolding(schema: JsonSchema, paths: readonly string[], check: CheckValue): Map<string, Witness> {
  const found = new Map<string, Witness>();
  let left = MAX_VALUES;
  for (const value of new ValueSampler(schema, {}).list()) {
    const held = paths.filter((path) => !found.has(path) && hasPath(value, "", path));
    if (held.length > 0 && check(schema, value)?.length === 0)
      for (const path of held) found.set(path, { value, effect: "lost" });
    left -= 1;
    if (found.size === paths.length || left < 0) break;
  }
  return found;
}

/** Replaces positions of lists by one sign. */
export const toPattern = (path: string): string => path.replaceAll(/\[\d+\]/g, "[]");

function locate(value: JsonValue, { pointer, property }: Refusal): string {
  let path: string = "";
  let current: unknown = value;
  for (const token of pointer.split("/").slice(1).map(unescapeToken)) {
    const isList = Array.isArray(current);
    path = isList ? `${path}[]` : joinPath(path, token);
    current = isList ? (current as unknown[])[arrayIndex(token) ?? 0] : (current as Record<string, unknown>)[token];
  }
  return property === null ? path : joinPath(path, property);
}

function hasPath(value: unknown, at: string, path: string): boolean {
  if (at === toPattern(path)) return true;
  if (typeof value !== "object" || value === null || !toPattern(path).startsWith(at)) return false;
  if (Array.isArray(value)) return value.some((item) => hasPath(item, `${at}[]`, path));
  return Object.entries(value).some(([name, item]) => hasPath(item, joinPath(at, name), path));
}
