import type { ChatTool, JsonSchema, JsonValue } from "../../../../lib/contract";
import { describeField, type FieldDescription } from "../../../../lib/json-schema/describe-field";
import { sampleValue } from "../../../../lib/json-schema/sample-value";
import { normalName } from "./words";

export interface Parameter {
  name: string;
  /** One kind of separator, lower case. */
  normal: string;
  required: boolean;
  field: FieldDescription;
}

const TRUE = new Set(["true", "yes", "on"]);
const FALSE = new Set(["false", "no", "off"]);

/** A tool's parameters, the required ones first, in the order of its schema otherwise. */
export function parametersOf({ parameters }: ChatTool): Parameter[] {
  const all = describeField(parameters, parameters).properties.map(({ name, required, schema }) => ({
    name,
    normal: normalName(name),
    required,
    field: describeField(schema, parameters),
  }));
  return [...all.filter(({ required }) => required), ...all.filter(({ required }) => !required)];
}

export function isNumeric({ field }: Parameter): boolean {
  return field.kind === "number" || field.kind === "integer";
}

/** Any text fits it. */
export function isFreeText({ field }: Parameter): boolean {
  return field.kind === "string" || field.kind === "multiline" || field.kind === "any";
}

/** Example, default, first option or the least that the schema allows. */
export function inventedValue({ field }: Parameter, root: JsonSchema): JsonValue {
  return sampleValue(field.schema, root);
}

/** A word as a value of the parameter's type; the word itself where it does not fit: the tool's check says why. */
export function wordValue(word: string, { field }: Parameter): JsonValue {
  const lower = word.toLowerCase();
  if (lower === "null" && field.allowsNull) return null;
  switch (field.kind) {
    case "number":
    case "integer":
      return /^-?\d+(?:\.\d+)?$/.test(word) ? Number(word) : word;
    case "boolean":
      return TRUE.has(lower) ? true : FALSE.has(lower) ? false : word;
    case "enum":
    case "const":
      return optionOf(word, field) ?? word;
    case "array":
      return word.split(",").map((item) => item.trim());
    case "any":
      return /^-?\d+(?:\.\d+)?$/.test(word) ? Number(word) : TRUE.has(lower) ? true : FALSE.has(lower) ? false : word;
    default:
      return word;
  }
}

export function optionOf(word: string, field: FieldDescription): JsonValue | undefined {
  const wanted = word.toLowerCase();
  return field.options.find(({ value }) => String(value).toLowerCase() === wanted)?.value;
}
