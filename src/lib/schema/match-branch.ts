import type { JsonObject, JsonSchema, JsonValue } from "../contract/json";
import { equalJson } from "../json/equal-json";
import { effectiveSchema } from "./effective-schema";
import { listTypes } from "./keywords";
import { asSchema, listRequired, ownKeyword, ownMap, readItems, type SchemaNode } from "./resolve-ref";
import { StepBudget } from "./step-budget";
import { isJsonObject, ownValue } from "./value-at";

const IMPOSSIBLE = Number.NEGATIVE_INFINITY;
const MAX_DEPTH = 6;
const MAX_SCORED_ITEMS = 20;
/** Values and options that are scored for one match; the rest counts as neutral. */
const MAX_STEPS = 5_000;

interface Scoring {
  root: JsonSchema;
  budget: StepBudget;
}

function getJsonType(value: JsonValue): "null" | "array" | "object" | "string" | "number" | "boolean" {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

function hasType(value: JsonValue, types: readonly string[]): boolean {
  if (types.length === 0) return true;
  const type = getJsonType(value);
  return types.includes(type) || (types.includes("integer") && Number.isInteger(value));
}

function objectScore(value: JsonObject, schema: JsonSchema, scoring: Scoring, depth: number): number {
  const known = ownMap(schema, "properties");
  let score = 0;
  for (const [name, node] of Object.entries(known)) {
    const part = ownValue(value, name);
    if (part === undefined) continue;
    const fit = computeScore(part, asSchema(node), scoring, depth + 1);
    score += fit === IMPOSSIBLE ? -4 : 1 + Math.min(fit, 4);
  }
  for (const name of listRequired(schema)) if (!Object.hasOwn(value, name)) score -= 2;
  const strange = Object.keys(value).filter((name) => !Object.hasOwn(known, name)).length;
  return score - strange * (ownKeyword(schema, "additionalProperties") === false ? 2 : 0.5);
}

function arrayScore(value: JsonValue[], schema: JsonSchema, scoring: Scoring, depth: number): number {
  const { prefix, rest } = readItems(schema);
  let score = 0;
  for (const [index, item] of value.slice(0, MAX_SCORED_ITEMS).entries()) {
    score += computeScore(item, asSchema(prefix[index] ?? rest), scoring, depth + 1) === IMPOSSIBLE ? -2 : 0.5;
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

function computeScore(value: JsonValue, node: SchemaNode, scoring: Scoring, depth: number): number {
  const { root, budget } = scoring;
  if (!budget.spend()) return 0;
  const { schema, branches, nullable } = effectiveSchema(node, root);
  if (schema === false) return IMPOSSIBLE;
  if (nullable && value === null) return 2;
  if (schema === true || depth > MAX_DEPTH) return 0;
  if (Object.hasOwn(schema, "const")) return equalJson(value, schema.const as JsonValue) ? 6 : IMPOSSIBLE;
  const values = ownKeyword(schema, "enum");
  if (Array.isArray(values)) budget.spend(values.length);
  if (Array.isArray(values)) return values.some((option: JsonValue) => equalJson(option, value)) ? 5 : IMPOSSIBLE;
  if (branches !== null) return bestScore(value, branches, scoring, depth + 1);
  const types = listTypes(schema);
  if (!hasType(value, types)) return IMPOSSIBLE;
  // An integer scores above a number, and both above a schema that accepts any value.
  const exact = types.length === 0 ? 0 : types.includes("integer") ? 2.5 : 2;
  if (isJsonObject(value)) return exact + objectScore(value, schema, scoring, depth);
  if (Array.isArray(value)) return exact + arrayScore(value, schema, scoring, depth);
  return exact + limitsScore(value, schema);
}

function bestScore(value: JsonValue, branches: readonly SchemaNode[], scoring: Scoring, depth: number): number {
  let best = IMPOSSIBLE;
  for (const branch of branches) {
    if (scoring.budget.isSpent) return Math.max(best, 0);
    best = Math.max(best, computeScore(value, branch, scoring, depth));
  }
  return best;
}

/** How well a value fits a schema; null if its type, `const` or `enum` excludes it. Not a validation. */
export function fitScore(value: JsonValue, node: SchemaNode, root: JsonSchema): number | null {
  const score = computeScore(value, node, { root, budget: new StepBudget(MAX_STEPS) }, 0);
  return score === IMPOSSIBLE ? null : score;
}

/** The index of the branch that fits best, the first of equals; -1 if none fits. */
export function matchBranch(value: JsonValue, branches: readonly SchemaNode[], root: JsonSchema): number {
  // Each branch has its share of steps, so that a large one does not starve the others.
  const share = Math.max(20, Math.floor(MAX_STEPS / Math.max(branches.length, 1)));
  let best = -1;
  let bestScore = IMPOSSIBLE;
  for (const [index, branch] of branches.entries()) {
    const score = computeScore(value, branch, { root, budget: new StepBudget(share) }, 0);
    if (score > bestScore) {
      best = index;
      bestScore = score;
    }
  }
  return best;
}
