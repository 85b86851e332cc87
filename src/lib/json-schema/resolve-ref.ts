import { isPlainObject, type JsonSchema } from "../contract/json";
import { arrayIndex, parsePointer } from "./json-pointer";

/** A schema where one may stand: an object, or `true` (anything) and `false` (nothing). */
export type SchemaNode = JsonSchema | boolean;

/** Anything that is no schema puts no limit on the value, so it reads as `true`. */
export function asSchema(node: unknown): SchemaNode {
  if (typeof node === "boolean") return node;
  return isPlainObject(node) ? node : true;
}

export function ownKeyword(schema: JsonSchema, keyword: string): unknown {
  return Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
}

/** More places than this are not searched for anchors and identifiers. */
const MAX_INDEXED_NODES = 20_000;

const indexes = new WeakMap<JsonSchema, Map<string, JsonSchema>>();

/** `$anchor`, `$id` and draft 4's `id` of every subschema, by the text that refers to it. */
function identifiersOf(root: JsonSchema): Map<string, JsonSchema> {
  const known = indexes.get(root);
  if (known) return known;
  const found = new Map<string, JsonSchema>();
  const seen = new Set<object>();
  const pending: unknown[] = [root];
  while (pending.length > 0 && seen.size < MAX_INDEXED_NODES) {
    const node = pending.pop();
    if (typeof node !== "object" || node === null || seen.has(node)) continue;
    seen.add(node);
    if (Array.isArray(node)) pending.push(...node);
    else if (isPlainObject(node)) {
      for (const keyword of ["$anchor", "$dynamicAnchor"]) {
        const anchor = ownKeyword(node, keyword);
        if (typeof anchor === "string" && !found.has(`#${anchor}`)) found.set(`#${anchor}`, node);
      }
      const id = ownKeyword(node, "$id");
      if (typeof id === "string" && !found.has(id)) found.set(id, node);
      pending.push(...Object.values(node));
    }
  }
  indexes.set(root, found);
  return found;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function followPointer(start: unknown, pointer: string): SchemaNode | null {
  let current: unknown = start;
  for (const token of parsePointer(pointer)) {
    if (Array.isArray(current)) {
      const index = arrayIndex(token);
      current = index === null ? undefined : current[index];
    } else if (isPlainObject(current)) current = ownKeyword(current, token);
    else return null;
  }
  if (typeof current === "boolean") return current;
  return isPlainObject(current) ? current : null;
}

/**
 * The subschema that a `$ref` names inside the same document: `#`, `#/pointer` (percent-encoded or not), `#anchor`, a
 * `$id` of the document with or without a fragment. Null for what the document does not hold; nothing is fetched.
 */
export function resolveRef(root: JsonSchema, ref: string): SchemaNode | null {
  const hash = ref.indexOf("#");
  const base = hash === -1 ? ref : ref.slice(0, hash);
  const fragment = hash === -1 ? "" : decodeFragment(ref.slice(hash + 1));
  const start = base === "" ? root : (identifiersOf(root).get(base) ?? identifiersOf(root).get(`${base}#`));
  if (start === undefined) return null;
  if (fragment === "") return start;
  if (fragment.startsWith("/")) return followPointer(start, fragment);
  return identifiersOf(root).get(`#${fragment}`) ?? null;
}
