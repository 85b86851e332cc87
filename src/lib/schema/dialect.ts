import type { JsonSchema } from "../contract/json";
import { ownKeyword } from "./resolve-ref";

export type Dialect = "draft-04" | "draft-06" | "draft-07" | "2019-09" | "2020-12";

const DIALECT_URI = /^https?:\/\/json-schema\.org\/(?:draft\/(2020-12|2019-09)\/schema|(draft-0[467])\/schema)#?$/;
/** For a schema that declares no dialect, or an unknown one. */
export const DEFAULT_DIALECT = "2020-12";

/** The dialect that a document declares; null for one that is not known here. */
export function declaredDialect(root: JsonSchema): Dialect | null {
  const declared = ownKeyword(root, "$schema");
  if (declared === undefined) return DEFAULT_DIALECT;
  const found = typeof declared === "string" ? DIALECT_URI.exec(declared) : null;
  return ((found?.[1] ?? found?.[2]) as Dialect | undefined) ?? null;
}

export const getDialect = (root: JsonSchema): Dialect => declaredDialect(root) ?? DEFAULT_DIALECT;

/** Keywords that some dialects lack, or define differently. */
const DIFFERING: ReadonlySet<string> = new Set([
  "prefixItems",
  "additionalItems",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "$anchor",
  "unevaluatedItems",
  "unevaluatedProperties",
  "minContains",
  "maxContains",
  "$dynamicRef",
  "$recursiveRef",
]);
/** Keywords from before draft-07. */
const OLD: ReadonlySet<string> = new Set([
  "if",
  "const",
  "contains",
  "propertyNames",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "$id",
  "id",
]);
const MAX_VALUES = 20_000;

/** Why equal keywords may mean different things in the two documents; null where they mean the same. */
export function findDialectDoubt(before: JsonSchema, after: JsonSchema): string | null {
  const was = getDialect(before);
  const is = getDialect(after);
  if (was === is) return null;
  const isOld = [was, is].some((dialect) => dialect === "draft-04" || dialect === "draft-06");
  const pending: unknown[] = [before, after];
  const change = `the dialect changed from ${was} to ${is}`;
  for (let at = 0; at < pending.length; at += 1) {
    const value = pending[at];
    if (at > MAX_VALUES) return change;
    if (typeof value !== "object" || value === null) continue;
    // A name that looks like a keyword counts as one: the doubt is on the safe side.
    for (const [key, inner] of Object.entries(value)) {
      const isDiffering = DIFFERING.has(key) || (key === "items" && Array.isArray(inner)) || (isOld && OLD.has(key));
      if (isDiffering) return `${change}, where '${key}' has another meaning`;
      pending.push(inner);
    }
  }
  return null;
}
