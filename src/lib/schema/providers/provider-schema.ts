import { isPlainObject, type JsonSchema } from "../../contract/json";
import { resolveRef } from "../resolve-ref";
import { objectForm } from "./object-form";
import { reduceSchema, type SchemaPlace } from "./reduce-schema";
import { isDefinitionRef, type ReductionLimits, type ReductionState, splitReference } from "./reduction-state";
import { SCHEMA_DIALECTS, type SchemaProvider } from "./schema-dialects";

/** The most of one tool's parameters that a model is sent, as JSON. */
export const MAX_SCHEMA_CHARS = 48_000;

/** Tried in this order until the result is small enough. */
const LIMITS: readonly ReductionLimits[] = [
  { depth: 24, recursion: 1, nodes: 3000, properties: 1000, branches: 200, enumValues: 1000, descriptionChars: 4000 },
  { depth: 8, recursion: 0, nodes: 600, properties: 300, branches: 50, enumValues: 200, descriptionChars: 600 },
  { depth: 4, recursion: 0, nodes: 150, properties: 100, branches: 10, enumValues: 50, descriptionChars: 200 },
  { depth: 2, recursion: 0, nodes: 50, properties: 40, branches: 5, enumValues: 20, descriptionChars: 100 },
];
const TOO_LARGE = "The parameters are too large to be described here; they are checked when the tool is called.";
const TOP: SchemaPlace = { depth: 0, refs: [] };

/** A tool's parameters as one provider takes them, and how much of them had to be left out. */
export interface Reduction {
  schema: JsonSchema;
  /** Parts whose shape is cut off: what contains itself, or is too deep or too much. */
  cuts: number;
  /** The schema does not fit one request and is described more coarsely. */
  shortened: boolean;
}

/**
 * A tool's parameters as one provider takes them: an object at the root, with `properties`, without choices beside them.
 * Forms that a root's `anyOf` or `oneOf` tells apart become one object with every form's properties, required what all of
 * them require; the description lists the forms. Keywords that the provider refuses become sentences. So the result takes
 * what the schema takes and perhaps more, which is why arguments are checked against the original. The schema itself is not
 * changed, and the result never exceeds `MAX_SCHEMA_CHARS`.
 */
export function schemaFor(kind: SchemaProvider, schema: JsonSchema): JsonSchema {
  return reductionFor(kind, schema).schema;
}

/** A definition's schema goes into every request of a run. */
const cache = new WeakMap<JsonSchema, Map<SchemaProvider, Reduction>>();

export function reductionFor(kind: SchemaProvider, schema: JsonSchema): Reduction {
  // Tools of any origin come here, with anything for a schema.
  if (!isPlainObject(schema)) return reduceWithin(kind, schema);
  const known = cache.get(schema) ?? new Map<SchemaProvider, Reduction>();
  cache.set(schema, known);
  const reduction = known.get(kind) ?? reduceWithin(kind, schema);
  known.set(kind, reduction);
  return reduction;
}

function reduceWithin(kind: SchemaProvider, schema: JsonSchema): Reduction {
  for (const [index, limits] of LIMITS.entries()) {
    const { reduced, cuts } = reduceRoot(schema, kind, limits);
    if (JSON.stringify(reduced).length <= MAX_SCHEMA_CHARS) return { schema: reduced, cuts, shortened: index > 0 };
  }
  return { schema: { type: "object", description: TOO_LARGE, properties: {} }, cuts: 1, shortened: true };
}

function reduceRoot(
  schema: JsonSchema,
  kind: SchemaProvider,
  limits: ReductionLimits,
): { reduced: JsonSchema; cuts: number } {
  const root = isPlainObject(schema) ? schema : {};
  const state: ReductionState = {
    root,
    dialect: SCHEMA_DIALECTS[kind],
    limits,
    nodes: 0,
    cuts: 0,
  };
  const { type: _type, description, properties, required, ...others } = objectForm(root, state, TOP);
  const reduced: JsonSchema = {
    type: "object",
    ...(description !== undefined && { description }),
    properties: properties ?? {},
    ...(required !== undefined && { required }),
    ...others,
  };
  const whole = state.dialect.inlineRefs ? reduced : { ...reduced, ...definitionsFor(reduced, state) };
  return { reduced: whole, cuts: state.cuts };
}

/** The definitions that the references in a schema and in one another need. */
function definitionsFor(schema: JsonSchema, state: ReductionState): JsonSchema {
  const groups = new Map<string, Map<string, JsonSchema>>();
  const open = refsIn(schema);
  const done = new Set<string>();
  for (let ref = open.pop(); ref !== undefined; ref = open.pop()) {
    if (done.has(ref)) continue;
    done.add(ref);
    const [group, name] = splitReference(ref);
    const definition = reduceSchema(resolveRef(state.root, ref), state, { depth: 1, refs: [] });
    groups.set(group, (groups.get(group) ?? new Map()).set(name, definition));
    open.push(...refsIn(definition));
  }
  return Object.fromEntries([...groups].map(([group, definitions]) => [group, Object.fromEntries(definitions)]));
}

function refsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([keyword, inner]) =>
    keyword === "$ref" && typeof inner === "string" && isDefinitionRef(inner) ? [inner] : refsIn(inner),
  );
}
