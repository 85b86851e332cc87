import type { JsonSchema } from "../../contract/json";
import { commonTypes, listTypes, typeKeyword } from "../keywords";
import { mergeSchemas } from "../merge-schemas";
import { listRequired, ownKeyword, ownMap } from "../resolve-ref";

const CLOSING = ["additionalProperties", "unevaluatedProperties", "unevaluatedItems"];

/** A schema that takes every value that both take, and perhaps more: what does not go together is left out. */
export function mergeBoth(one: JsonSchema, other: JsonSchema): JsonSchema {
  if (Object.keys(one).length === 0) return other;
  if (Object.keys(other).length === 0) return one;
  // The target of a reference is unknown here.
  if (Object.hasOwn(one, "$ref") || Object.hasOwn(other, "$ref")) return { allOf: [one, other] };
  const { type: _, ...merged } = mergeSchemas(one, other, mergeBoth);
  const texts = new Set([one, other].map((schema) => ownKeyword(schema, "description")).filter(Boolean));
  if (texts.size > 0) merged.description = [...texts].join(" ");
  for (const keyword of CLOSING) {
    // The keyword depends on the properties beside it, which have changed.
    if (listsMore(one) || listsMore(other)) delete merged[keyword];
  }
  if (Object.hasOwn(one, "if") && Object.hasOwn(other, "if")) for (const word of CONDITION) delete merged[word];
  if (Object.hasOwn(one, "prefixItems") !== Object.hasOwn(other, "prefixItems")) delete merged.items;
  const left = listTypes(one);
  const right = listTypes(other);
  const types = left.length === 0 || right.length === 0 ? [...left, ...right] : [...commonTypes(left, right)];
  return { ...typeKeyword(types), ...merged };
}

const CONDITION = ["if", "then", "else"];

function listsMore(schema: JsonSchema): boolean {
  return ["properties", "patternProperties", "prefixItems", "items"].some((keyword) => Object.hasOwn(schema, keyword));
}

/**
 * One object schema for several: every form's properties, with those required that all forms require. It accepts what
 * each form accepted.
 */
export function mergeForms(forms: readonly JsonSchema[]): JsonSchema {
  const [first, ...rest] = forms;
  if (!first) return {};
  if (rest.length === 0) return first;
  const properties = new Map<string, JsonSchema[]>();
  for (const form of forms) {
    for (const [name, schema] of Object.entries(ownMap(form, "properties"))) {
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

/** The values of a schema without other keywords; null for others. */
function fixedValues(schema: JsonSchema): unknown[] | null {
  const says = Object.keys(schema).filter((keyword) => !["type", "description", "title"].includes(keyword));
  const [keyword] = says;
  if (says.length !== 1 || keyword === undefined) return null;
  const values = keyword === "const" ? [schema.const] : keyword === "enum" ? schema.enum : null;
  if (!Array.isArray(values) || values.some((value) => typeof value === "object")) return null;
  return values;
}
