import type { JsonSchema, JsonValue } from "@/lib/contract";
import { isPlainObject } from "@/lib/contract/json";
import { describeField, type FieldDescription, type FieldProperty } from "@/lib/json-schema/describe-field";
import { asSchema, ownKeyword } from "@/lib/json-schema/resolve-ref";
import { sameJson } from "@/lib/json-schema/value-at";

/** What is typed or picked: text, or the places of the picked options. */
export type FieldDraft = string | readonly number[];

export interface FieldOption {
  value: JsonValue;
  label: string;
}

/** One thing that a server wants to know. */
export interface QuestionField {
  name: string;
  title: string;
  description: string | null;
  /** What limits the value beyond its kind: `email`, `1–14`. */
  constraints: string | null;
  required: boolean;
  /** `choice` and `choices` pick from `options`; `json` is for what the protocol does not allow a server to ask. */
  kind: "text" | "lines" | "number" | "choice" | "choices" | "json";
  schema: JsonSchema;
  options: FieldOption[];
  /** What the field starts with: the server's default, else nothing. */
  initial: FieldDraft;
  /** The default as it is read; null where the server has none. */
  defaultText: string | null;
}

/** More than this nobody fills in; a server that asks for more is not served a frozen page. */
const MAX_FIELDS = 100;
const MAX_OPTIONS = 1_000;

const BOOLEANS: FieldOption[] = [
  { value: true, label: "true" },
  { value: false, label: "false" },
];

/**
 * The fields of a requested schema, in its order. The protocol allows flat objects of text, numbers, booleans and choices;
 * whatever else a server asks for is typed as JSON.
 */
export function questionFields(schema: JsonSchema): QuestionField[] {
  return describeField(schema, schema)
    .properties.slice(0, MAX_FIELDS)
    .map((property) => questionField(property, schema));
}

function questionField({ name, schema: node, required }: FieldProperty, root: JsonSchema): QuestionField {
  const field = describeField(node, root);
  const schema = typeof field.schema === "boolean" ? {} : field.schema;
  const { kind, options } = kindOf(field, schema, root);
  return {
    name,
    title: field.title ?? name,
    description: field.description,
    constraints: field.constraints,
    required,
    kind,
    schema,
    options,
    initial: initialDraft(kind, options, field.defaultValue),
    defaultText: field.defaultValue === undefined ? null : defaultText(options, field.defaultValue),
  };
}

function kindOf(
  field: FieldDescription,
  schema: JsonSchema,
  root: JsonSchema,
): Pick<QuestionField, "kind" | "options"> {
  switch (field.kind) {
    case "string":
      return { kind: "text", options: [] };
    case "multiline":
      return { kind: "lines", options: [] };
    case "number":
    case "integer":
      return { kind: "number", options: [] };
    case "boolean":
      return { kind: "choice", options: BOOLEANS };
    case "enum":
    case "const":
      return { kind: "choice", options: named(field.options, schema) };
    case "array": {
      const items = describeField(field.items, root);
      if (items.kind !== "enum" && items.kind !== "const") return { kind: "json", options: [] };
      return { kind: "choices", options: named(items.options, asObject(items.schema)) };
    }
    default:
      return { kind: "json", options: [] };
  }
}

/** `enumNames` is how servers of older revisions name their options. */
function named(options: readonly FieldOption[], schema: JsonSchema): FieldOption[] {
  const names = ownKeyword(schema, "enumNames");
  return options.slice(0, MAX_OPTIONS).map(({ value, label }, index) => {
    const name: unknown = Array.isArray(names) ? names[index] : undefined;
    return { value, label: typeof name === "string" && name.trim() !== "" ? name : label };
  });
}

function asObject(node: FieldDescription["schema"]): JsonSchema {
  const schema = asSchema(node);
  return isPlainObject(schema) ? schema : {};
}

/** A default that does not fit its field is left out rather than bent. */
function initialDraft(
  kind: QuestionField["kind"],
  options: readonly FieldOption[],
  value: JsonValue | undefined,
): FieldDraft {
  const placeOf = (wanted: JsonValue) => options.findIndex((option) => sameJson(option.value, wanted));
  if (kind === "choice" || kind === "choices") {
    const wanted = value === undefined ? [] : kind === "choices" && Array.isArray(value) ? value : [value];
    return wanted.map(placeOf).filter((at) => at !== -1);
  }
  if (value === undefined) return "";
  if (kind === "json") return JSON.stringify(value, null, 2);
  if (kind === "number") return typeof value === "number" ? JSON.stringify(value) : "";
  return typeof value === "string" ? value : "";
}

function defaultText(options: readonly FieldOption[], value: JsonValue): string {
  const labelOf = (wanted: JsonValue) =>
    options.find((option) => sameJson(option.value, wanted))?.label ??
    (typeof wanted === "string" && wanted !== "" ? wanted : JSON.stringify(wanted));
  const text = Array.isArray(value) && options.length > 0 ? value.map(labelOf).join(", ") || "none" : labelOf(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
