import { isPlainObject, type JsonSchema } from "../../contract/json";
import { listTypes, own, typeKeyword } from "./schema-keywords";

const TIGHTER_WHEN_LARGER = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]);
const TIGHTER_WHEN_SMALLER = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]);
const CLOSING = ["additionalProperties", "unevaluatedProperties", "unevaluatedItems"];

/** A schema that takes every value that both take, and perhaps more: what does not go together is left out. */
export function mergeBoth(one: JsonSchema, other: JsonSchema): JsonSchema {
  if (Object.keys(one).length === 0) return other;
  if (Object.keys(other).length === 0) return one;
  // The target of a reference is not known here.
  if (Object.hasOwn(one, "$ref") || Object.hasOwn(other, "$ref")) return { allOf: [one, other] };
  const merged = new Map(Object.entries(one));
  for (const [keyword, value] of Object.entries(other)) {
    merged.set(keyword, merged.has(keyword) ? bothValues(keyword, merged.get(keyword), value) : value);
  }
  for (const keyword of CLOSING) {
    // It speaks of the properties beside it, which are others now.
    if (merged.has(keyword) && (listsMore(one) || listsMore(other))) merged.delete(keyword);
  }
  if (Object.hasOwn(one, "if") && Object.hasOwn(other, "if"))
    for (const word of ["if", "then", "else"]) merged.delete(word);
  if (Object.hasOwn(one, "prefixItems") !== Object.hasOwn(other, "prefixItems")) merged.delete("items");
  const types = bothTypes(listTypes(one), listTypes(other));
  merged.delete("type");
  return { ...typeKeyword(types), ...Object.fromEntries(merged) };
}

function listsMore(schema: JsonSchema): boolean {
  return ["properties", "patternProperties", "prefixItems", "items"].some((keyword) => Object.hasOwn(schema, keyword));
}

function bothTypes(one: string[], other: string[]): string[] {
  if (one.length === 0 || other.length === 0) return [...one, ...other];
  const common = one.filter((type) => other.includes(type) || (type === "integer" && other.includes("number")));
  if (one.includes("number") && !one.includes("integer") && other.includes("integer")) common.push("integer");
  return [...new Set(common)];
}

function bothValues(keyword: string, one: unknown, other: unknown): unknown {
  if (keyword === "required") return [...new Set([...(one as string[]), ...(other as string[])])];
  if (keyword === "description") return one === other ? one : `${one} ${other}`;
  if (keyword === "properties") return bothMaps(one as JsonSchema, other as JsonSchema);
  if (keyword === "enum") return bothEnums(one as unknown[], other as unknown[]);
  if (keyword === "items" && isPlainObject(one) && isPlainObject(other)) return mergeBoth(one, other);
  if (TIGHTER_WHEN_LARGER.has(keyword)) return Math.max(one as number, other as number);
  if (TIGHTER_WHEN_SMALLER.has(keyword)) return Math.min(one as number, other as number);
  return one;
}

function bothMaps(one: JsonSchema, other: JsonSchema): JsonSchema {
  const merged = new Map(Object.entries(one));
  for (const [name, schema] of Object.entries(other)) {
    const present = merged.get(name);
    merged.set(name, present === undefined ? schema : mergeBoth(present as JsonSchema, schema as JsonSchema));
  }
  return Object.fromEntries(merged);
}

function bothEnums(one: unknown[], other: unknown[]): unknown[] {
  const texts = new Set(other.map((value) => JSON.stringify(value)));
  const common = one.filter((value) => texts.has(JSON.stringify(value)));
  return common.length > 0 ? common : one;
}

/** One object schema for several: every form's properties, required what all forms require. Each takes what its form took. */
export function mergeForms(forms: readonly JsonSchema[]): JsonSchema {
  const [first, ...rest] = forms;
  if (!first) return {};
  if (rest.length === 0) return first;
  const properties = new Map<string, JsonSchema[]>();
  for (const form of forms) {
    for (const [name, schema] of Object.entries((own(form, "properties") as JsonSchema | undefined) ?? {})) {
      properties.set(name, [...(properties.get(name) ?? []), schema as JsonSchema]);
    }
  }
  const required = listRequired(first).filter((name) => rest.every((form) => listRequired(form).includes(name)));
  return {
    type: "object",
    properties: Object.fromEntries([...properties].map(([name, schemas]) => [name, mergeAlternatives(schemas)])),
    ...(required.length > 0 && { required }),
  };
}

export function listRequired(schema: JsonSchema): string[] {
  return (own(schema, "required") as string[] | undefined) ?? [];
}

/** `{enum: [a]}` and `{enum: [b]}` are `{enum: [a, b]}`, as with the property that tells forms apart. */
function mergeAlternatives(schemas: readonly JsonSchema[]): JsonSchema {
  const unique = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  const [first] = unique;
  if (unique.length === 1 && first) return first;
  const values = unique.map(fixedValues);
  if (!values.every((list) => list !== null)) return { anyOf: unique };
  const types = [...new Set(unique.flatMap(listTypes))];
  const allTyped = unique.every((schema) => listTypes(schema).length > 0);
  return { ...(allTyped && typeKeyword(types)), enum: [...new Set(values.flat())] };
}

/** The values of a schema that says nothing else; null for others. */
function fixedValues(schema: JsonSchema): unknown[] | null {
  const says = Object.keys(schema).filter((keyword) => !["type", "description", "title"].includes(keyword));
  const [keyword] = says;
  if (says.length !== 1 || keyword === undefined) return null;
  const values = keyword === "const" ? [schema.const] : keyword === "enum" ? schema.enum : null;
  if (!Array.isArray(values) || values.some((value) => typeof value === "object")) return null;
  return values;
}
