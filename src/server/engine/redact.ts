import { isPlainObject, type JsonSchema } from "../../lib/contract";
import { resolveRef } from "../../lib/json-schema/resolve-ref";

const REDACTED = "[redacted]";
const MAX_DEPTH = 32;

/** True when some field of the schema is marked `writeOnly` or `x-sensitive`, so that logs must hide its value. */
export function hasSensitiveFields(schema: unknown, depth = 0): boolean {
  if (typeof schema !== "object" || schema === null || depth > MAX_DEPTH * 2) return false;
  if (!Array.isArray(schema) && isMarked(schema as JsonSchema)) return true;
  return Object.values(schema).some((part) => hasSensitiveFields(part, depth + 1));
}

/**
 * A copy of the arguments in which marked fields are hidden, at any depth, through `$ref` inside the document and
 * through every branch of a union: a value is hidden as soon as one of its schemas marks it.
 */
export function redactArguments(args: unknown, schema: JsonSchema): unknown {
  if (isHardToFollow(schema, schema)) return REDACTED;
  return redact(args, [schema], schema, 0);
}

const NOT_FOLLOWED = [
  "dependentSchemas",
  "unevaluatedProperties",
  "unevaluatedItems",
  "contains",
  "$dynamicRef",
  "$recursiveRef",
];

/** True where a value may be described by a keyword that is not followed here, or by a reference that leads nowhere. */
function isHardToFollow(schema: unknown, root: JsonSchema, depth = 0): boolean {
  if (typeof schema !== "object" || schema === null || depth > MAX_DEPTH * 2) return false;
  if (!Array.isArray(schema)) {
    const node = schema as JsonSchema;
    if (NOT_FOLLOWED.some((keyword) => typeof node[keyword] === "object")) return true;
    if (typeof node.$ref === "string" && resolveRef(root, node.$ref) === null) return true;
  }
  return Object.values(schema).some((part) => isHardToFollow(part, root, depth + 1));
}

function redact(value: unknown, schemas: readonly JsonSchema[], root: JsonSchema, depth: number): unknown {
  const applicable = expand(schemas, root);
  if (applicable.some(isMarked)) return REDACTED;
  // What cannot be followed is hidden: the safe side.
  if (depth > MAX_DEPTH) return REDACTED;
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      redact(
        item,
        applicable.flatMap((schema) => itemSchemas(schema, index)),
        root,
        depth + 1,
      ),
    );
  }
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      redact(
        item,
        applicable.flatMap((schema) => propertySchemas(schema, key)),
        root,
        depth + 1,
      ),
    ]),
  );
}

function isMarked(schema: JsonSchema): boolean {
  return schema.writeOnly === true || schema["x-sensitive"] === true || schema.format === "password";
}

function expand(schemas: readonly JsonSchema[], root: JsonSchema): JsonSchema[] {
  const all: JsonSchema[] = [];
  const pending = [...schemas];
  while (pending.length > 0 && all.length < 200) {
    const schema = pending.pop();
    if (!schema || all.includes(schema)) continue;
    all.push(schema);
    if (typeof schema.$ref === "string") pending.push(...schemaList([resolveRef(root, schema.$ref)]));
    for (const keyword of ["allOf", "anyOf", "oneOf"]) pending.push(...schemaList(schema[keyword]));
    pending.push(...schemaList([schema.if, schema.then, schema.else]));
  }
  return all;
}

function propertySchemas(schema: JsonSchema, key: string): JsonSchema[] {
  const found: unknown[] = [];
  const { properties, patternProperties, additionalProperties } = schema;
  if (isPlainObject(properties) && Object.hasOwn(properties, key)) found.push(properties[key]);
  // Which pattern matches is the validator's business; hiding one field too many is the safe side.
  else if (isPlainObject(patternProperties)) found.push(...Object.values(patternProperties), additionalProperties);
  else found.push(additionalProperties);
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
