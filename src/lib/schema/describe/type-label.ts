import { isPlainObject, type JsonSchema, type JsonValue } from "../../contract/json";
import { effectiveSchema } from "../effective-schema";
import { listTypes } from "../keywords";
import { asSchema, ownKeyword, type SchemaNode } from "../resolve-ref";
import { shortJson } from "../short-json";
import { StepBudget } from "../step-budget";

const MAX_DEPTH = 3;
const MAX_ALTERNATIVES = 4;
const MAX_VALUES = 6;

const MAX_VALUE_CHARS = 80;
/** Schemas that are visited for one label. */
const MAX_STEPS = 200;

interface Labeling {
  root: JsonSchema;
  budget: StepBudget;
}

/** Joins the first distinct texts; the rest of a long list is not computed. */
function shortList<T>(parts: readonly T[], formatPart: (part: T) => string, limit: number): string {
  const unique = new Set<string>();
  for (const part of parts) {
    unique.add(formatPart(part));
    if (unique.size > limit) return `${[...unique].slice(0, limit).join(" | ")} | …`;
  }
  return [...unique].join(" | ");
}

function elementLabel(items: unknown, labeling: Labeling, depth: number): string {
  const inner = labelAt(asSchema(items), labeling, depth + 1);
  return inner.includes(" ") ? `(${inner})[]` : `${inner}[]`;
}

function labelAt(node: SchemaNode, labeling: Labeling, depth: number): string {
  if (depth > MAX_DEPTH || !labeling.budget.spend()) return "…";
  const { schema, branches, nullable } = effectiveSchema(node, labeling.root);
  if (schema === false) return "never";
  const orNull = (label: string) => (nullable ? `${label} | null` : label);
  if (branches !== null) {
    return orNull(shortList(branches, (branch) => labelAt(branch, labeling, depth + 1), MAX_ALTERNATIVES));
  }
  if (schema === true) return orNull("any");
  if (Object.hasOwn(schema, "const")) return orNull("const");
  if (Array.isArray(ownKeyword(schema, "enum"))) return orNull("enum");
  const [type] = listTypes(schema);
  const prefix = ownKeyword(schema, "prefixItems");
  const items = ownKeyword(schema, "items");
  if (Array.isArray(prefix) || Array.isArray(items)) return orNull("tuple");
  if (type === "array" || (type === undefined && isPlainObject(items)))
    return orNull(elementLabel(items, labeling, depth));
  if (type !== undefined) return orNull(type);
  return orNull(isPlainObject(ownKeyword(schema, "properties")) ? "object" : "any");
}

/** `integer`, `string | null`, `object[]`, `enum`. */
export function describeType(node: SchemaNode, root: JsonSchema): string {
  return labelAt(node, { root, budget: new StepBudget(MAX_STEPS) }, 0);
}

/** Describes a type like `describeType`, with the values of an enum or const: `"celsius" | "fahrenheit"`. */
export function describeTypeWithValues(node: SchemaNode, root: JsonSchema): string {
  const { schema, nullable } = effectiveSchema(node, root);
  if (typeof schema === "boolean") return describeType(node, root);
  const values: unknown = Object.hasOwn(schema, "const") ? [schema.const] : ownKeyword(schema, "enum");
  if (!Array.isArray(values)) return describeType(node, root);
  const text = shortList(values, (value: JsonValue) => shortJson(value, MAX_VALUE_CHARS), MAX_VALUES);
  return nullable ? `${text} | null` : text;
}
