import { isPlainObject, type JsonSchema } from "../../contract/json";
import { inheritDigits } from "../../json/number-digits";
import { listTypes, typeKeyword } from "../keywords";
import { listRequired, ownMap } from "../resolve-ref";
import { joinNotes, noteOn } from "./schema-notes";

/** A schema for strict mode, or what keeps it from being one. */
export type StrictSchema = { schema: JsonSchema; notes: string[] } | { schema: null; reasons: string[] };

/** Keywords that stay unchanged. */
const KEPT = new Set([
  "title",
  "enum",
  "const",
  "pattern",
  "multipleOf",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minItems",
  "maxItems",
]);
const FORMATS = new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]);
/** Rules that strict mode has no words for and that may not be dropped. */
const UNSUPPORTED = [
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "patternProperties",
  "prefixItems",
  "contains",
  "propertyNames",
];
/** OpenAI's limits of one schema. */
const LIMITS = { properties: 5000, levels: 10, values: 1000 };
const MAX_REASONS = 12;
const MAX_DESCRIPTION_CHARS = 4000;

/**
 * Parameters as OpenAI's strict mode takes them, from those that OpenAI takes otherwise: objects are closed and all of their
 * properties required; optional ones may be null instead.
 */
export function toStrictSchema(schema: JsonSchema): StrictSchema {
  const writer = new StrictWriter();
  const { $defs, definitions, ...root } = schema;
  const strict = writer.convert(root, "parameters", 1);
  for (const [group, given] of Object.entries({ $defs, definitions })) {
    if (!isPlainObject(given)) continue;
    const entries = Object.entries(given).map(([name, inner]) => [name, writer.convert(inner, name, 1)]);
    strict[group] = Object.fromEntries(entries);
  }
  const reasons = writer.listReasons();
  if (reasons.length > 0) return { schema: null, reasons };
  const notes = writer.optional
    ? [
        "Every property is required; optional ones may be null. Remove nulls from the arguments before you call the tool.",
      ]
    : [];
  return { schema: strict, notes };
}

class StrictWriter {
  optional = false;
  readonly #reasons = new Set<string>();
  #properties = 0;
  #values = 0;

  listReasons(): string[] {
    if (this.#properties > LIMITS.properties) this.#reasons.add(`it has more than ${LIMITS.properties} properties`);
    if (this.#values > LIMITS.values) this.#reasons.add(`it has more than ${LIMITS.values} enum values`);
    return [...this.#reasons].slice(0, MAX_REASONS);
  }

  convert(schema: unknown, path: string, level: number): JsonSchema {
    if (level > LIMITS.levels) this.#reasons.add(`it is nested deeper than ${LIMITS.levels} levels`);
    if (!isPlainObject(schema) || level > LIMITS.levels) return {};
    const { type: _, description, ...keywords } = schema;
    if (typeof keywords.$ref === "string") {
      return { $ref: keywords.$ref, ...(typeof description === "string" && { description }) };
    }
    const choices = keywords.anyOf ?? keywords.oneOf;
    if (Array.isArray(choices)) return this.#convertChoice(choices, description, path, level);
    for (const keyword of UNSUPPORTED) {
      if (Object.hasOwn(keywords, keyword)) this.#reasons.add(`${path} has \`${keyword}\``);
    }
    const types = readTypes(schema);
    if (types.length === 0) this.#reasons.add(`${path} has no type`);
    if (Array.isArray(keywords.enum)) this.#values += keywords.enum.length;
    const written: JsonSchema = typeKeyword(types);
    const notes = [typeof description === "string" ? description : null];
    for (const [keyword, value] of Object.entries(keywords)) {
      if (KEPT.has(keyword) || (keyword === "format" && FORMATS.has(String(value)))) written[keyword] = value;
      else if (!HANDLED.has(keyword)) notes.push(noteOn(keyword, value));
    }
    inheritDigits(schema, written);
    const text = joinNotes(notes, MAX_DESCRIPTION_CHARS);
    if (text !== undefined) written.description = text;
    if (types.includes("object")) this.#convertObject(schema, written, path, level);
    if (types.includes("array")) {
      if (!isPlainObject(keywords.items)) this.#reasons.add(`${path} does not say what its items are`);
      written.items = this.convert(keywords.items, `${path}[]`, level + 1);
    }
    return written;
  }

  #convertChoice(choices: unknown[], description: unknown, path: string, level: number): JsonSchema {
    // The root of parameters has no `anyOf`: a reduction merges its forms.
    const anyOf = choices.map((choice) => this.convert(choice, path, level + 1));
    return { ...(typeof description === "string" && { description }), anyOf };
  }

  #convertObject(schema: JsonSchema, written: JsonSchema, path: string, level: number): void {
    const properties = ownMap(schema, "properties");
    const { additionalProperties: more } = schema;
    const names = Object.keys(properties);
    const isOpen = isPlainObject(more) || more === true || (more === undefined && names.length === 0 && level > 1);
    if (isOpen) this.#reasons.add(`${path} takes properties of any name`);
    const required = new Set(listRequired(schema));
    for (const name of required) {
      if (!Object.hasOwn(properties, name)) this.#reasons.add(`${path} does not describe its property \`${name}\``);
    }
    this.#properties += names.length;
    const entries = names.map((name) => {
      const inner = this.convert(properties[name], name, level + 1);
      return [name, required.has(name) ? inner : this.#allowNull(inner)];
    });
    written.properties = Object.fromEntries(entries);
    written.required = names;
    written.additionalProperties = false;
  }

  #allowNull(schema: JsonSchema): JsonSchema {
    this.optional = true;
    const types = listTypes(schema);
    if (types.includes("null")) return schema;
    if (types.length > 0 && !Object.hasOwn(schema, "enum") && !Object.hasOwn(schema, "const")) {
      return { ...schema, type: [...types, "null"] };
    }
    const { description, ...rest } = schema;
    const anyOf = [...(Array.isArray(rest.anyOf) ? (rest.anyOf as JsonSchema[]) : [rest]), { type: "null" }];
    return { ...(typeof description === "string" && { description }), anyOf };
  }
}

/** Keywords that have their own treatment. */
const HANDLED = new Set(["properties", "required", "additionalProperties", "items", "$schema", "$id", ...UNSUPPORTED]);

/** The types that a schema names, or those of its fixed values. */
function readTypes(schema: JsonSchema): string[] {
  const types = listTypes(schema);
  if (types.length > 0) return [...types];
  const values: unknown[] = Array.isArray(schema.enum)
    ? schema.enum
    : Object.hasOwn(schema, "const")
      ? [schema.const]
      : [];
  const found = new Set(values.map((value) => (value === null ? "null" : typeof value)));
  return [...found].every((type) => ["null", "string", "number", "boolean"].includes(type)) ? [...found] : [];
}
