import { isPlainObject, type JsonSchema, type JsonValue } from "../contract/json";
import { effectiveSchema } from "./effective-schema";
import { typeList } from "./merge-schemas";
import { asSchema, ownKeyword, type SchemaNode } from "./resolve-ref";
import { isJsonObject, ownValue, sameJson } from "./value-at";

const IMPOSSIBLE = Number.NEGATIVE_INFINITY;
const MAX_DEPTH = 6;
const MAX_SCORED_ITEMS = 20;

function jsonTypeOf(value: JsonValue): "null" | "array" | "object" | "string" | "number" | "boolean" {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

function hasType(value: JsonValue, types: readonly string[]): boolean {
  if (types.length === 0) return true;
  const type = jsonTypeOf(value);
  return types.includes(type) || (types.includes("integer") && Number.isInteger(value));
}

function objectScore(value: { [key: string]: JsonValue }, schema: JsonSchema, root: JsonSchema, depth: number): number {
  const properties = ownKeyword(schema, "properties");
  const required = ownKeyword(schema, "required");
  const known = isPlainObject(properties) ? properties : {};
  let score = 0;
  for (const [name, node] of Object.entries(known)) {
    const part = ownValue(value, name);
    if (part === undefined) continue;
    const fit = scoreOf(part, asSchema(node), root, depth + 1);
    score += fit === IMPOSSIBLE ? -4 : 1 + Math.min(fit, 4);
  }
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name === "string" && !Object.hasOwn(value, name)) score -= 2;
  }
  const strange = Object.keys(value).filter((name) => !Object.hasOwn(known, name)).length;
  return score - strange * (ownKeyword(schema, "additionalProperties") === false ? 2 : 0.5);
}

function arrayScore(value: JsonValue[], schema: JsonSchema, root: JsonSchema, depth: number): number {
  const prefix = ownKeyword(schema, "prefixItems");
  const items = ownKeyword(schema, "items");
  const positions: unknown[] = Array.isArray(prefix) ? prefix : Array.isArray(items) ? items : [];
  let score = 0;
  for (const [index, item] of value.slice(0, MAX_SCORED_ITEMS).entries()) {
    const node = positions[index] ?? (Array.isArray(items) ? true : items);
    score += scoreOf(item, asSchema(node), root, depth + 1) === IMPOSSIBLE ? -2 : 0.5;
  }
  return score;
}

function limitsScore(value: JsonValue, schema: JsonSchema): number {
  const outside = (keyword: string, size: number, sign: 1 | -1) => {
    const limit = ownKeyword(schema, keyword);
    return typeof limit === "number" && sign * (size - limit) > 0;
  };
  if (typeof value === "number") return outside("minimum", value, -1) || outside("maximum", value, 1) ? -1 : 0;
  if (typeof value === "string") {
    return outside("minLength", value.length, -1) || outside("maxLength", value.length, 1) ? -1 : 0;
  }
  return 0;
}

function scoreOf(value: JsonValue, node: SchemaNode, root: JsonSchema, depth: number): number {
  const { schema, branches, nullable } = effectiveSchema(node, root);
  if (schema === false) return IMPOSSIBLE;
  if (nullable && value === null) return 2;
  if (schema === true || depth > MAX_DEPTH) return 0;
  if (Object.hasOwn(schema, "const")) return sameJson(value, schema.const as JsonValue) ? 6 : IMPOSSIBLE;
  const values = ownKeyword(schema, "enum");
  if (Array.isArray(values)) return values.some((option: JsonValue) => sameJson(option, value)) ? 5 : IMPOSSIBLE;
  if (branches !== null) return Math.max(...branches.map((branch) => scoreOf(value, branch, root, depth + 1)));
  const types = typeList(ownKeyword(schema, "type"));
  if (!hasType(value, types)) return IMPOSSIBLE;
  // An integer is told from a number, and both from a schema that takes anything.
  const exact = types.length === 0 ? 0 : types.includes("integer") ? 2.5 : 2;
  if (isJsonObject(value)) return exact + objectScore(value, schema, root, depth);
  if (Array.isArray(value)) return exact + arrayScore(value, schema, root, depth);
  return exact + limitsScore(value, schema);
}

/** How well a value fits a schema; null when its type, `const` or `enum` rules the schema out. Not a validation. */
export function fitScore(value: JsonValue, node: SchemaNode, root: JsonSchema): number | null {
  const score = scoreOf(value, node, root, 0);
  return score === IMPOSSIBLE ? null : score;
}

/** The branch that a value fits best, the first of equals; -1 when it fits none. */
export function matchBranch(value: JsonValue, branches: readonly SchemaNode[], root: JsonSchema): number {
  let best = -1;
  let bestScore = IMPOSSIBLE;
  for (const [index, branch] of branches.entries()) {
    const score = scoreOf(value, branch, root, 0);
    if (score > bestScore) {
      best = index;
      bestScore = score;
    }
  }
  return best;
}
