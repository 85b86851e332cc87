import { isPlainObject, type JsonSchema } from "../contract/json";
import { childPointer } from "./json-pointer";
import { ownKeyword, resolveRef } from "./resolve-ref";

export interface UnsupportedPart {
  /** JSON pointer into the schema. */
  pointer: string;
  reason: string;
}

const NOT_SHOWN = new Map([
  ["if", "conditions (if/then/else) are checked, but the form does not follow them"],
  ["not", "what must not match is checked, but not shown"],
  ["dependentSchemas", "schemas that depend on another property are checked, but not shown"],
  ["dependencies", "what depends on another property is checked, but not shown"],
  ["dependentRequired", "requirements that depend on another property are checked, but not marked"],
  ["contains", "what an array must contain is checked, but not shown"],
  ["$dynamicRef", "dynamic references are edited as JSON"],
  ["$recursiveRef", "recursive references of draft 2019-09 are edited as JSON"],
]);

const SCHEMA_MAPS = ["properties", "patternProperties", "$defs", "definitions"];
const SCHEMA_LISTS = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const SCHEMAS = ["items", "additionalProperties", "additionalItems", "propertyNames"];
const MAX_NODES = 10_000;

function childrenOf(schema: JsonSchema, pointer: string): { node: unknown; pointer: string }[] {
  const children: { node: unknown; pointer: string }[] = [];
  for (const keyword of SCHEMA_MAPS) {
    const map = ownKeyword(schema, keyword);
    if (!isPlainObject(map)) continue;
    for (const [name, node] of Object.entries(map)) {
      children.push({ node, pointer: childPointer(childPointer(pointer, keyword), name) });
    }
  }
  for (const keyword of SCHEMA_LISTS) {
    const list = ownKeyword(schema, keyword);
    if (!Array.isArray(list)) continue;
    for (const [index, node] of list.entries()) {
      children.push({ node, pointer: childPointer(childPointer(pointer, keyword), index) });
    }
  }
  for (const keyword of SCHEMAS) {
    const node = ownKeyword(schema, keyword);
    if (isPlainObject(node)) children.push({ node, pointer: childPointer(pointer, keyword) });
  }
  return children;
}

function faultsOf(schema: JsonSchema, root: JsonSchema): string[] {
  const ref = ownKeyword(schema, "$ref");
  const missing =
    typeof ref === "string" && resolveRef(root, ref) === null
      ? [`${ref} is not in this schema, so its place is edited as JSON`]
      : [];
  const keywords = [...NOT_SHOWN].filter(([keyword]) => Object.hasOwn(schema, keyword));
  return [...missing, ...keywords.map(([, reason]) => reason)];
}

/** The parts of a schema that a form cannot stand for. Everything can still be entered: as JSON, checked by the server. */
export function unsupportedByForm(schema: JsonSchema): UnsupportedPart[] {
  const found: UnsupportedPart[] = [];
  const seen = new Set<object>();
  const pending: { node: unknown; pointer: string }[] = [{ node: schema, pointer: "" }];
  while (pending.length > 0 && seen.size < MAX_NODES) {
    const next = pending.shift();
    if (next === undefined || !isPlainObject(next.node) || seen.has(next.node)) continue;
    seen.add(next.node);
    for (const reason of faultsOf(next.node, schema)) found.push({ pointer: next.pointer, reason });
    pending.push(...childrenOf(next.node, next.pointer));
  }
  return found;
}
