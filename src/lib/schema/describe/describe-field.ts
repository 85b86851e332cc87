import type { JsonSchema, JsonValue } from "../../contract/json";
import { type EffectiveSchema, effectiveSchema } from "../effective-schema";
import { listTypes } from "../keywords";
import { asSchema, listRequired, ownKeyword, ownMap, readItems, type SchemaNode } from "../resolve-ref";
import { TOO_LARGE_FOR_FORM } from "../step-budget";
import { describeType } from "./type-label";

const MAX_PATTERN_CHARS = 60;

export type FieldKind =
  | "string"
  | "multiline"
  | "number"
  | "integer"
  | "boolean"
  | "enum"
  | "const"
  | "object"
  | "array"
  | "tuple"
  | "map"
  | "union"
  | "null"
  | "any";

/** Kinds whose value has children. */
export function isContainer(kind: FieldKind): boolean {
  return kind === "object" || kind === "map" || kind === "array" || kind === "tuple";
}

export interface FieldOption {
  value: JsonValue;
  label: string;
}

export interface FieldProperty {
  name: string;
  schema: SchemaNode;
  required: boolean;
}

/** The facts that a form needs about one value. */
export interface FieldDescription {
  kind: FieldKind;
  /** The schema with references and `allOf` expanded. */
  schema: SchemaNode;
  typeLabel: string;
  title: string | null;
  description: string | null;
  constraints: string | null;
  /** Why a part of the schema is not shown. */
  problem: string | null;
  defaultValue: JsonValue | undefined;
  examples: JsonValue[];
  allowsNull: boolean;
  /** The options of `enum` and `const`. */
  options: FieldOption[];
  /** For `object`, in the order of the schema. */
  properties: FieldProperty[];
  /** For `object` and `map`: keys beyond `properties` are allowed. */
  takesKeys: boolean;
  /** For `tuple`: one schema a position. */
  prefix: SchemaNode[];
  /** For `array` and `tuple`: the elements after the prefix; false when none should follow. */
  items: SchemaNode;
  /** The branches of `union`. */
  branches: SchemaNode[];
}

/** Branches of one union that a form offers. */
const MAX_FORMS = 200;
/** A description that many fields refer to is rendered at each of them. */
const MAX_DESCRIPTION_CHARS = 4_000;
const MULTILINE_FORMATS = new Set(["multiline", "textarea", "markdown", "text"]);
const MULTILINE_LENGTH = 200;

function isMultiline(schema: JsonSchema): boolean {
  const format = ownKeyword(schema, "format");
  const maxLength = ownKeyword(schema, "maxLength");
  return (
    (typeof format === "string" && MULTILINE_FORMATS.has(format)) ||
    typeof ownKeyword(schema, "contentMediaType") === "string" ||
    (typeof maxLength === "number" && maxLength > MULTILINE_LENGTH)
  );
}

function readText(schema: JsonSchema, keyword: string): string | null {
  const value = ownKeyword(schema, keyword);
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/** Schemas are parsed from JSON text, so their values are JSON. */
const toJson = (value: unknown): JsonValue | undefined => value as JsonValue | undefined;

function constBranches(spelled: EffectiveSchema, root: JsonSchema): FieldOption[] | null {
  if (spelled.branches === null) return null;
  const options: FieldOption[] = [];
  for (const branch of spelled.branches) {
    const { schema } = effectiveSchema(branch, root);
    if (typeof schema === "boolean" || !Object.hasOwn(schema, "const")) return null;
    const value = toJson(schema.const) ?? null;
    options.push({ value, label: readText(schema, "title") ?? optionLabel(value) });
  }
  return options;
}

/** Text without quotes, any other value as JSON. */
function optionLabel(value: JsonValue): string {
  return typeof value === "string" && value !== "" && value.trim() === value ? value : JSON.stringify(value);
}

function listOptions(
  spelled: EffectiveSchema,
  root: JsonSchema,
): { kind: "enum" | "const"; options: FieldOption[] } | null {
  const { schema } = spelled;
  if (typeof schema === "boolean") return null;
  // MCP servers of older protocol revisions title their options with `enumNames`.
  const names = ownKeyword(schema, "enumNames");
  const toOption = (node: unknown, index: number): FieldOption => {
    const value = toJson(node) ?? null;
    const name: unknown = Array.isArray(names) ? names[index] : undefined;
    return { value, label: typeof name === "string" && name.trim() !== "" ? name : optionLabel(value) };
  };
  if (Object.hasOwn(schema, "const")) return { kind: "const", options: [toOption(schema.const, 0)] };
  const values = ownKeyword(schema, "enum");
  if (Array.isArray(values) && values.length > 0) return { kind: "enum", options: values.map(toOption) };
  const options = constBranches(spelled, root);
  return options === null ? null : { kind: "enum", options };
}

const OBJECT_KEYWORDS = ["properties", "patternProperties", "additionalProperties", "required", "propertyNames"];
const ARRAY_KEYWORDS = ["items", "prefixItems"];

function getKind(schema: JsonSchema): FieldKind {
  const [type] = listTypes(schema);
  const has = (keywords: string[]) => keywords.some((keyword) => Object.hasOwn(schema, keyword));
  if (type === "string") return isMultiline(schema) ? "multiline" : "string";
  if (type === "number" || type === "integer" || type === "boolean" || type === "null") return type;
  if (type === "object" || (type === undefined && has(OBJECT_KEYWORDS))) {
    const none = Object.keys(ownMap(schema, "properties")).length === 0;
    return none && schema.additionalProperties !== false ? "map" : "object";
  }
  if (type === "array" || (type === undefined && has(ARRAY_KEYWORDS))) {
    return Array.isArray(ownKeyword(schema, "prefixItems")) || Array.isArray(ownKeyword(schema, "items"))
      ? "tuple"
      : "array";
  }
  return "any";
}

function listProperties(schema: JsonSchema): FieldProperty[] {
  const names = new Set(listRequired(schema));
  const known = ownMap(schema, "properties");
  const listed = Object.entries(known).map(([name, node]) => ({
    name,
    schema: asSchema(node),
    required: names.has(name),
  }));
  // A required property without a description still needs a field.
  const undescribed = [...names].filter((name) => !Object.hasOwn(known, name));
  return [...listed, ...undescribed.map((name) => ({ name, schema: true, required: true }))];
}

function describeElements(schema: JsonSchema): Pick<FieldDescription, "prefix" | "items"> {
  const { prefix, rest } = readItems(schema);
  return { prefix: prefix.map(asSchema), items: asSchema(rest) };
}

function allowsNull(schema: JsonSchema, kind: FieldKind, nullable: boolean, options: FieldOption[]): boolean {
  if (nullable || kind === "null" || ownKeyword(schema, "nullable") === true) return true;
  if (kind === "enum" || kind === "const") return options.some((option) => option.value === null);
  return kind === "any" && Object.keys(schema).every((keyword) => keyword !== "type");
}

/** `effectiveSchema` without a choice that has too many branches. */
function spellOutField(node: SchemaNode, root: JsonSchema): EffectiveSchema {
  const spelled = effectiveSchema(node, root);
  if (spelled.branches === null || spelled.branches.length <= MAX_FORMS) return spelled;
  if (constBranches(spelled, root) !== null) return spelled;
  return { ...spelled, schema: true, branches: null, problem: TOO_LARGE_FOR_FORM };
}

function describeSchema(schema: JsonSchema): string | null {
  const text = readText(schema, "description");
  return text !== null && text.length > MAX_DESCRIPTION_CHARS ? `${text.slice(0, MAX_DESCRIPTION_CHARS)}…` : text;
}

function buildDescription(node: SchemaNode, root: JsonSchema): FieldDescription {
  const spelled = spellOutField(node, root);
  const schema: JsonSchema = typeof spelled.schema === "boolean" ? {} : spelled.schema;
  const choice = listOptions(spelled, root);
  const branches = choice === null ? (spelled.branches ?? []) : [];
  const kind = choice?.kind ?? (branches.length > 0 ? "union" : getKind(schema));
  const options = choice?.options ?? [];
  const keyed = kind === "object" || kind === "map";
  const examples = ownKeyword(schema, "examples");
  const limits = [describeConstraints(schema), spelled.alternatives].filter((part) => part !== null);
  return {
    kind,
    schema: spelled.schema,
    typeLabel: describeType(node, root),
    title: readText(schema, "title"),
    description: describeSchema(schema),
    constraints: limits.length === 0 ? null : limits.join(" · "),
    problem: spelled.schema === false ? "the schema allows no value here" : spelled.problem,
    defaultValue: Object.hasOwn(schema, "default") ? toJson(schema.default) : undefined,
    examples: Array.isArray(examples)
      ? examples.filter((example) => example !== undefined).map((e: JsonValue) => e)
      : [],
    allowsNull: allowsNull(schema, kind, spelled.nullable, options) && spelled.schema !== false,
    options: options.filter((option) => option.value !== null),
    properties: keyed ? listProperties(schema) : [],
    takesKeys: keyed && schema.additionalProperties !== false,
    ...describeElements(schema),
    branches,
  };
}

const cache = new WeakMap<JsonSchema, WeakMap<JsonSchema, FieldDescription>>();

/** Describes one field. The same schema objects give the same description object. */
export function describeField(node: SchemaNode, root: JsonSchema): FieldDescription {
  if (typeof node === "boolean") return buildDescription(node, root);
  const known = cache.get(root) ?? new WeakMap<JsonSchema, FieldDescription>();
  cache.set(root, known);
  const before = known.get(node);
  if (before) return before;
  const described = buildDescription(node, root);
  known.set(node, described);
  return described;
}

function finite(schema: JsonSchema, keyword: string): number | null {
  const value = ownKeyword(schema, keyword);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Bounds of a number, or of a count of `one` or `many`. */
function range(low: number | null, high: number | null, one = "", many = `${one}s`): string | null {
  const counted = (count: number): string => (one === "" ? String(count) : `${count} ${count === 1 ? one : many}`);
  if (low !== null && high !== null) return low === high ? `exactly ${counted(low)}` : `${low}–${counted(high)}`;
  if (low !== null) return one === "" ? `≥ ${low}` : `at least ${counted(low)}`;
  if (high !== null) return one === "" ? `≤ ${high}` : `at most ${counted(high)}`;
  return null;
}

function bounds(schema: JsonSchema): (string | null)[] {
  const above = finite(schema, "exclusiveMinimum");
  const below = finite(schema, "exclusiveMaximum");
  const step = finite(schema, "multipleOf");
  return [
    range(finite(schema, "minimum"), finite(schema, "maximum")),
    above === null ? null : `> ${above}`,
    below === null ? null : `< ${below}`,
    step === null ? null : `multiple of ${step}`,
  ];
}

function text(schema: JsonSchema): (string | null)[] {
  const format = ownKeyword(schema, "format");
  const pattern = ownKeyword(schema, "pattern");
  const shown =
    typeof pattern === "string" && pattern.length > MAX_PATTERN_CHARS
      ? `${pattern.slice(0, MAX_PATTERN_CHARS)}…`
      : pattern;
  return [
    typeof format === "string" ? format : null,
    range(finite(schema, "minLength"), finite(schema, "maxLength"), "character"),
    typeof shown === "string" ? `matches ${shown}` : null,
  ];
}

/** The limits of a value beyond its type: `1–14`, `email`, `at least 1 item · no repeats`. Null for none. */
function describeConstraints(schema: JsonSchema): string | null {
  const parts = [
    ...bounds(schema),
    ...text(schema),
    range(finite(schema, "minItems"), finite(schema, "maxItems"), "item"),
    ownKeyword(schema, "uniqueItems") === true ? "no repeats" : null,
    range(finite(schema, "minProperties"), finite(schema, "maxProperties"), "property", "properties"),
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(" · ");
}
