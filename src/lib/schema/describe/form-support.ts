import { isPlainObject, type JsonSchema } from "../../contract/json";
import { childPointer } from "../../json/json-pointer";
import { getHolding } from "../keywords";
import { findReference } from "../resolve-ref";
import { TOO_LARGE_FOR_FORM } from "../step-budget";
import { describeField } from "./describe-field";

export interface UnsupportedPart {
  /** JSON pointer into the schema. */
  pointer: string;
  reason: string;
}

/** Keywords without fields, and the reason; one of a condition is enough. */
const NOT_SHOWN = new Map<string, string | null>([
  ["then", null],
  ["else", null],
  ["if", "the form does not show conditions (if/then/else); they are validated"],
  ["not", "the form does not show excluded values (not); they are validated"],
  ["dependentSchemas", "the form does not show schemas that depend on another property; they are validated"],
  ["dependencies", "the form does not show what depends on another property; it is validated"],
  ["dependentRequired", "the form does not mark properties that another property requires; they are validated"],
  ["contains", "the form does not show what an array must contain; it is validated"],
]);

const MAX_NODES = 10_000;

/** The schemas directly inside a schema, but for those in keywords that are not shown. */
function listChildren(schema: JsonSchema, pointer: string): { node: unknown; pointer: string }[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const holding = NOT_SHOWN.has(keyword) ? null : getHolding(keyword, value);
    const at = childPointer(pointer, keyword);
    if (holding === null) return [];
    if (holding === "schema") return [{ node: value, pointer: at }];
    return Object.entries(value as object).map(([name, node]) => ({ node, pointer: childPointer(at, name) }));
  });
}

function findFaults(schema: JsonSchema, root: JsonSchema): string[] {
  const reference = findReference(schema, root);
  const missing =
    reference !== null && reference.target === null
      ? [`${reference.text} is not in this schema; edit this value as JSON`]
      : [];
  const hidden = [...NOT_SHOWN].filter(([keyword, reason]) => reason !== null && Object.hasOwn(schema, keyword));
  return [...missing, ...hidden.map(([, reason]) => String(reason))];
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
