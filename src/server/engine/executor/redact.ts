import { isPlainObject, type JsonSchema } from "../../../lib/contract";
import { resolveRef } from "../../../lib/json-schema/resolve-ref";
import { StepBudget } from "../../../lib/json-schema/step-budget";

const REDACTED = "[redacted]";
const MAX_DEPTH = 32;

/** True when some field of the schema is marked `writeOnly` or `x-sensitive`, so that logs must hide its value. */
export function hasSensitiveFields(schema: unknown, depth = 0): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  // What is not looked at may be marked.
  if (depth > MAX_DEPTH * 2) return true;
  if (!Array.isArray(schema) && isMarked(schema as JsonSchema)) return true;
  return Object.values(schema).some((part) => hasSensitiveFields(part, depth + 1));
}

/** Values times the schemas that describe them; what is left when the steps run out is hidden. */
const MAX_STEPS = 50_000;
/** Schemas of one value, references and branches followed. */
const MAX_SCHEMAS = 200;

interface Redaction {
  root: JsonSchema;
  budget: StepBudget;
  /** What `expand` found for a single schema: the elements of a list have the same one. */
  expanded: Map<JsonSchema, JsonSchema[] | null>;
}

/**
 * A copy of the arguments in which marked fields are hidden, at any depth, through `$ref` inside the document and
 * through every branch of a union: a value is hidden as soon as one of its schemas marks it.
 */
export function redactArguments(args: unknown, schema: JsonSchema): unknown {
  if (isHardToFollow(schema, schema)) return REDACTED;
  return redact(args, [schema], { root: schema, budget: new StepBudget(MAX_STEPS), expanded: new Map() }, 0);
}

const MIN_HIDDEN_CHARS = 4;
const MAX_HIDDEN_VALUES = 200;

/**
 * A text without the values that `redactArguments` hides: tools put arguments into their error messages. Where too many
 * values are hidden to look for each, the whole text is.
 */
export function redactText(text: string, args: unknown, schema: JsonSchema): string {
  const values = new Set<string>();
  if (!collectHidden(args, redactArguments(args, schema), values, 0)) return REDACTED;
  const forms = [...values].flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  const longestFirst = forms.sort((one, other) => other.length - one.length);
  return longestFirst.reduce((rest, form) => rest.replaceAll(form, REDACTED), text);
}

/** @returns false when not all of them were collected */
function collectHidden(value: unknown, redacted: unknown, found: Set<string>, depth: number): boolean {
  if (found.size > MAX_HIDDEN_VALUES || depth > MAX_DEPTH * 2) return false;
  const hidden = redacted === REDACTED;
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).every(([key, part]) =>
      collectHidden(part, hidden ? REDACTED : (redacted as Record<string, unknown>)[key], found, depth + 1),
    );
  }
  if (hidden && (typeof value === "string" || typeof value === "number")) {
    // Shorter values stand in ordinary words and numbers.
    if (String(value).length >= MIN_HIDDEN_CHARS) found.add(String(value));
  }
  return found.size <= MAX_HIDDEN_VALUES;
}

const NOT_FOLLOWED = ["dependentSchemas", "dependencies", "unevaluatedProperties", "unevaluatedItems", "contains"];

/** True where a value may be described by a keyword that is not followed here, or by a reference that leads nowhere. */
function isHardToFollow(schema: unknown, root: JsonSchema, depth = 0): boolean {
  if (typeof schema !== "object" || schema === null || depth > MAX_DEPTH * 2) return false;
  if (!Array.isArray(schema)) {
    const node = schema as JsonSchema;
    if (NOT_FOLLOWED.some((keyword) => typeof node[keyword] === "object")) return true;
    if (typeof node.$dynamicRef === "string" || typeof node.$recursiveRef === "string") return true;
    if (typeof node.$ref === "string" && resolveRef(root, node.$ref, node) === null) return true;
  }
  return Object.values(schema).some((part) => isHardToFollow(part, root, depth + 1));
}

function redact(value: unknown, schemas: readonly JsonSchema[], redaction: Redaction, depth: number): unknown {
  // What cannot be followed is hidden: the safe side.
  if (depth > MAX_DEPTH || redaction.budget.isSpent) return REDACTED;
  const applicable = expandOnce(schemas, redaction);
  if (!redaction.budget.spend(applicable?.length ?? MAX_SCHEMAS)) return REDACTED;
  if (applicable === null || applicable.some(isMarked)) return REDACTED;
  const below = (item: unknown, schemasOf: (schema: JsonSchema) => JsonSchema[]): unknown =>
    redaction.budget.spend(applicable.length)
      ? redact(item, applicable.flatMap(schemasOf), redaction, depth + 1)
      : REDACTED;
  if (Array.isArray(value)) return value.map((item, index) => below(item, (schema) => itemSchemas(schema, index)));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, below(item, (schema) => propertySchemas(schema, key))]),
  );
}

function isMarked(schema: JsonSchema): boolean {
  return schema.writeOnly === true || schema["x-sensitive"] === true || schema.format === "password";
}

function expandOnce(schemas: readonly JsonSchema[], { root, expanded }: Redaction): JsonSchema[] | null {
  const [first, ...others] = schemas;
  if (first === undefined) return [];
  if (others.length > 0) return expand(schemas, root);
  const known = expanded.get(first);
  if (known !== undefined) return known;
  const found = expand(schemas, root);
  expanded.set(first, found);
  return found;
}

/** The schemas with all that they refer to and choose from; null for too many. */
function expand(schemas: readonly JsonSchema[], root: JsonSchema): JsonSchema[] | null {
  const all = new Set<JsonSchema>();
  const pending = [...schemas];
  for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
    if (all.has(schema)) continue;
    if (all.size >= MAX_SCHEMAS) return null;
    all.add(schema);
    if (typeof schema.$ref === "string") pending.push(...schemaList([resolveRef(root, schema.$ref, schema)]));
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const branches = schemaList(schema[keyword]);
      if (branches.length > MAX_SCHEMAS) return null;
      pending.push(...branches);
    }
    pending.push(...schemaList([schema.if, schema.then, schema.else]));
  }
  return [...all];
}

function propertySchemas(schema: JsonSchema, key: string): JsonSchema[] {
  const found: unknown[] = [];
  const { properties, patternProperties, additionalProperties } = schema;
  const isNamed = isPlainObject(properties) && Object.hasOwn(properties, key);
  if (isNamed) found.push(properties[key]);
  // Which pattern matches is the validator's business; hiding one field too many is the safe side.
  if (isPlainObject(patternProperties)) found.push(...Object.values(patternProperties));
  if (!isNamed) found.push(additionalProperties);
  return schemaList(found);
}

function itemSchemas(schema: JsonSchema, index: number): JsonSchema[] {
  const tuple = Array.isArray(schema.prefixItems)
    ? schema.prefixItems
    : Array.isArray(schema.items)
      ? schema.items
      : [];
  if (index < tuple.length) return schemaList([tuple[index]]);
  return schemaList(Array.isArray(schema.items) ? [schema.additionalItems] : [schema.items]);
}

function schemaList(candidates: unknown): JsonSchema[] {
  return Array.isArray(candidates)
    ? candidates.filter((candidate): candidate is JsonSchema => isPlainObject(candidate))
    : [];
}
