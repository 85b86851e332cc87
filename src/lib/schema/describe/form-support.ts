import { isPlainObject, type JsonSchema } from "../../contract/json";
import { childPointer } from "../../json/json-pointer";
import { findReference, ownKeyword } from "../resolve-ref";
import { TOO_LARGE_FOR_FORM } from "../step-budget";
import { describeField } from "./describe-field";

export interface UnsupportedPart {
  /** JSON pointer into the schema. */
  pointer: string;
  reason: string;
}

const NOT_SHOWN = new Map([
  ["if", "the form does not show conditions (if/then/else); they are validated"],
  ["not", "the form does not show excluded values (not); they are validated"],
  ["dependentSchemas", "the form does not show schemas that depend on another property; they are validated"],
  ["dependencies", "the form does not show what depends on another property; it is validated"],
  ["dependentRequired", "the form does not mark properties that another property requires; they are validated"],
  ["contains", "the form does not show what an array must contain; it is validated"],
]);

const SCHEMA_MAPS = ["properties", "patternProperties", "$defs", "definitions"];
const SCHEMA_LISTS = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const SCHEMAS = ["items", "additionalProperties", "additionalItems", "propertyNames"];
const MAX_NODES = 10_000;

function listChildren(schema: JsonSchema, pointer: string): { node: unknown; pointer: string }[] {
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

function findFaults(schema: JsonSchema, root: JsonSchema): string[] {
  const reference = findReference(schema, root);
  const missing =
    reference !== null && reference.target === null
      ? [`${reference.text} is not in this schema; edit this value as JSON`]
      : [];
  const keywords = [...NOT_SHOWN].filter(([keyword]) => Object.hasOwn(schema, keyword));
  return [...missing, ...keywords.map(([, reason]) => reason)];
}

const cache = new WeakMap<JsonSchema, UnsupportedPart[]>();

/** The parts of a schema that a form cannot show. Their values can be entered as JSON, which the server validates. */
export function unsupportedByForm(schema: JsonSchema): UnsupportedPart[] {
  const known = cache.get(schema);
  if (known) return known;
  const found = findUnsupported(schema);
  cache.set(schema, found);
  return found;
}

function findUnsupported(schema: JsonSchema): UnsupportedPart[] {
  const found: UnsupportedPart[] = [];
  const seen = new Set<object>();
  const pending: { node: unknown; pointer: string }[] = [{ node: schema, pointer: "" }];
  for (let at = 0; at < pending.length && seen.size < MAX_NODES; at += 1) {
    const next = pending[at];
    if (next === undefined || !isPlainObject(next.node) || seen.has(next.node)) continue;
    seen.add(next.node);
    for (const reason of findFaults(next.node, schema)) found.push({ pointer: next.pointer, reason });
    for (const child of listChildren(next.node, next.pointer)) pending.push(child);
  }
  return found;
}

/** Rendering more fields at once would block the page. */
const MAX_FORM_FIELDS = 1_000;

/** Why the arguments are edited as JSON; null if there is a form. */
export function formLimit(schema: JsonSchema): string | null {
  const { problem, properties } = describeField(schema, schema);
  if (problem !== TOO_LARGE_FOR_FORM && properties.length <= MAX_FORM_FIELDS) return null;
  return "Too large to show as a form. Edit the arguments as JSON.";
}
