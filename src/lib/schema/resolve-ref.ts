import { isPlainObject, type JsonSchema } from "../contract/json";
import { arrayIndex, unescapeToken } from "../json/json-pointer";
import { absoluteUri, type DocumentIndex, documentIndex } from "./document-index";

/** An object, or `true` (anything) or `false` (nothing). */
export type SchemaNode = JsonSchema | boolean;

/** A value that is not a schema sets no limits, like `true`. */
export function asSchema(node: unknown): SchemaNode {
  if (typeof node === "boolean") return node;
  return isPlainObject(node) ? node : true;
}

export function ownKeyword(schema: unknown, keyword: string): unknown {
  return isPlainObject(schema) && Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
}

/** A keyword's list; empty for a value that is not a list. */
export function ownList(schema: unknown, keyword: string): unknown[] {
  const value = ownKeyword(schema, keyword);
  return Array.isArray(value) ? value : [];
}

/** A keyword's names and values; empty for a value that is not an object. */
export function ownMap(schema: unknown, keyword: string): JsonSchema {
  const value = ownKeyword(schema, keyword);
  return isPlainObject(value) ? value : {};
}

/** The schemas of the first elements of a list, and of those after them, as any draft writes them. */
export function readItems(schema: unknown): { prefix: unknown[]; rest: unknown } {
  const items = ownKeyword(schema, "items");
  const prefix = ownKeyword(schema, "prefixItems") ?? items;
  if (!Array.isArray(prefix)) return { prefix: [], rest: items };
  return { prefix, rest: Array.isArray(items) ? ownKeyword(schema, "additionalItems") : items };
}

export function listRequired(schema: unknown): string[] {
  return ownList(schema, "required").filter((name): name is string => typeof name === "string");
}

/** A stray percent sign means itself. */
function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Tokens of a pointer as a reference has it, each percent-encoded or not. A slash alone is the root, as validators read it. */
export function parseFragment(fragment: string): string[] {
  if (!fragment.startsWith("/") || fragment === "/") return [];
  const tokens = fragment.slice(1).split("/");
  return tokens.map((token) => unescapeToken(decodeFragment(token)));
}

/** The part of a document that the fragment of a reference points to, such as `/$defs/Node`; null where there is no schema. */
export function followPointer(start: unknown, fragment: string): SchemaNode | null {
  let current: unknown = start;
  for (const token of parseFragment(fragment)) {
    if (Array.isArray(current)) {
      const index = arrayIndex(token);
      current = index === null ? undefined : current[index];
    } else current = ownKeyword(current, token);
  }
  return typeof current === "boolean" || isPlainObject(current) ? current : null;
}

/** The address and node of the resource that a reference without a fragment targets. */
function findResource(index: DocumentIndex, root: JsonSchema, base: string, from: object): [string, JsonSchema] | null {
  const own = index.uriOf.get(from) ?? index.rootUri;
  if (base === "") return [own, index.resources.get(own) ?? root];
  const uri = absoluteUri(base, own);
  if (uri === index.rootUri) return [uri, root];
  const resource = index.resources.get(uri);
  return resource === undefined ? null : [uri, resource];
}

/**
 * The subschema that a `$ref` names inside the same document: `#`, `#/pointer` (percent-encoded or not), `#anchor`, a
 * `$id` of the document with or without a fragment. Null for what the document does not hold; nothing is fetched.
 * @param from the schema that holds the reference: `$id` above it decides what the reference is relative to
 */
export function resolveRef(root: JsonSchema, ref: string, from: JsonSchema = root): SchemaNode | null {
  const hash = ref.indexOf("#");
  const base = hash === -1 ? ref : ref.slice(0, hash);
  const fragment = hash === -1 ? "" : ref.slice(hash + 1);
  const index = documentIndex(root);
  const found = findResource(index, root, base, from);
  if (found === null) return null;
  const [uri, resource] = found;
  if (fragment === "") return resource;
  if (fragment.startsWith("/")) return followPointer(resource, fragment);
  return index.anchors.get(`${uri}#${decodeFragment(fragment)}`) ?? null;
}

/** `$dynamicRef` and `$recursiveRef`: the outermost target is the root's, if it declares one. */
function resolveDynamic(root: JsonSchema, ref: string, from: JsonSchema): SchemaNode | null {
  const target = resolveRef(root, ref, from);
  if (target === null || typeof target === "boolean") return target;
  const { rootUri, dynamicAnchors } = documentIndex(root);
  const anchor = ownKeyword(target, "$dynamicAnchor");
  if (typeof anchor === "string" && ref.endsWith(`#${anchor}`)) {
    return dynamicAnchors.get(`${rootUri}#${anchor}`) ?? target;
  }
  return target;
}

export interface SchemaReference {
  text: string;
  /** Null if it is not in the document. */
  target: SchemaNode | null;
}

export const REFERENCE_KEYWORDS = ["$ref", "$dynamicRef", "$recursiveRef"] as const;

export function findReference(schema: JsonSchema, root: JsonSchema): SchemaReference | null {
  const ref = ownKeyword(schema, "$ref");
  if (typeof ref === "string") return { text: ref, target: resolveRef(root, ref, schema) };
  const dynamic = ownKeyword(schema, "$dynamicRef");
  if (typeof dynamic === "string") return { text: dynamic, target: resolveDynamic(root, dynamic, schema) };
  const recursive = ownKeyword(schema, "$recursiveRef");
  if (typeof recursive !== "string") return null;
  const target = resolveRef(root, recursive, schema);
  const open = target !== null && typeof target !== "boolean" && ownKeyword(target, "$recursiveAnchor") === true;
  return { text: recursive, target: open && ownKeyword(root, "$recursiveAnchor") === true ? root : target };
}
