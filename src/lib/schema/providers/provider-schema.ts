import { isPlainObject, type JsonSchema } from "../../contract/json";
import { listTypes } from "../keywords";
import { findReference, listRequired, ownKeyword, ownList, ownMap, resolveRef } from "../resolve-ref";
import { mergeBoth, mergeForms } from "./merge-for-providers";
import { reduceSchema, type SchemaPlace } from "./reduce-schema";
import { isDefinitionRef, type ReductionLimits, type ReductionState, splitReference } from "./reduction-state";
import { type RenamedSchema, renameProperties } from "./rename-properties";
import { SCHEMA_DIALECTS, type SchemaProvider } from "./schema-dialects";
import { compact, joinNotes } from "./schema-notes";
import { schemaNote } from "./spell-out";

const MAX_FORMS = 50;
const MAX_FORMS_TOLD = 12;
/** Refused at the root by at least one provider. */
const NOT_AT_ROOT = ["enum", "const", "not", "if", "then", "else", "dependentSchemas", "format", "$ref"];

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
export interface Reduction extends RenamedSchema {
  /** The schema before its properties received aliases. */
  unrenamed: JsonSchema;
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

/** A definition's schema is part of every request of a run, so its result is cached. */
const cache = new WeakMap<JsonSchema, Map<SchemaProvider, Reduction>>();

export function reductionFor(kind: SchemaProvider, schema: JsonSchema): Reduction {
  // Accepts any value as a schema, since tools of any origin come here.
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
    const renamed = renameProperties(reduced, SCHEMA_DIALECTS[kind].propertyNames);
    if (JSON.stringify(renamed.schema).length <= MAX_SCHEMA_CHARS) {
      return { ...renamed, unrenamed: reduced, cuts, shortened: index > 0 };
    }
  }
  const empty: JsonSchema = { type: "object", description: TOO_LARGE, properties: {} };
  return { schema: empty, names: new Map(), unrenamed: empty, cuts: 1, shortened: true };
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

/** A schema as an object schema with nothing beside its properties; choices and parts are merged into them. */
function objectForm(schema: JsonSchema, state: ReductionState, place: SchemaPlace): JsonSchema {
  const { anyOf, oneOf, allOf, $ref: _ref, $dynamicRef: _dynamic, $recursiveRef: _recursive, ...plain } = schema;
  const below = { ...place, depth: place.depth + 1 };
  const notes: (string | null)[] = [];
  for (const keyword of NOT_AT_ROOT) {
    if (!Object.hasOwn(plain, keyword)) continue;
    notes.push(schemaNote(keyword, plain[keyword], state));
    delete plain[keyword];
  }
  let form = reduceSchema({ ...plain, type: "object" }, state, place);
  for (const part of listParts(schema, state, below))
    form = mergeBoth(form, objectForm(part.schema, state, part.place));
  for (const choice of [anyOf, oneOf]) {
    const forms = listForms(choice, state, below);
    form = mergeBoth(form, mergeForms(forms));
    notes.push(forms.length > 1 ? describeForms(forms) : null);
  }
  const description = joinNotes(
    [ownKeyword(form, "description") as string | undefined, ...notes],
    state.limits.descriptionChars,
  );
  return description === undefined ? form : { ...form, description };
}

function listParts(whole: JsonSchema, state: ReductionState, place: SchemaPlace) {
  const target = findReference(whole, state.root)?.target ?? undefined;
  const parts = ownList(whole, "allOf")
    .slice(0, MAX_FORMS)
    .map((schema: unknown) => ({ schema, place }));
  if (place.refs.includes(target)) state.cuts += 1;
  else if (target !== undefined) {
    parts.unshift({ schema: target, place: { ...place, refs: [...place.refs, target] } });
  }
  return parts.filter((part): part is { schema: JsonSchema; place: SchemaPlace } =>
    canExpand(part.schema, state, place),
  );
}

/** The forms of a choice that an object can have. */
function listForms(choice: unknown, state: ReductionState, place: SchemaPlace): JsonSchema[] {
  if (!Array.isArray(choice) || choice.length > MAX_FORMS) return [];
  const possible = choice.filter((each) => each !== false && (!isPlainObject(each) || mayBeObject(each)));
  // A form that accepts any object makes the other forms irrelevant.
  if (possible.some((each) => !canExpand(each, state, place))) return [];
  return possible.map((each: JsonSchema) => objectForm(each, state, place));
}

function canExpand(schema: unknown, state: ReductionState, place: SchemaPlace): schema is JsonSchema {
  return isPlainObject(schema) && place.depth <= state.limits.depth && state.nodes <= state.limits.nodes;
}

function mayBeObject(schema: JsonSchema): boolean {
  const types = listTypes(schema);
  return types.length === 0 || types.includes("object");
}

/** `One of these forms: (1) kind = "circle", with radius; (2) …` */
function describeForms(forms: readonly JsonSchema[]): string {
  const told = forms.slice(0, MAX_FORMS_TOLD).map((form, index) => `(${index + 1}) ${describeForm(form)}`);
  const more = forms.length > told.length ? `; ${forms.length - told.length} more` : "";
  return `Must fit one of these forms: ${told.join("; ")}${more}.`;
}

function describeForm(form: JsonSchema): string {
  const properties = ownMap(form, "properties");
  const fixed = Object.entries(properties).flatMap(([name, schema]) => {
    const value = onlyValue(schema as JsonSchema);
    return value === undefined ? [] : [`${name} = ${compact(value)}`];
  });
  const fixedNames = new Set(fixed.map((text) => text.split(" = ", 1)[0]));
  const needed = listRequired(form).filter((name) => !fixedNames.has(name));
  const free = Object.keys(properties).filter((name) => !fixedNames.has(name) && !needed.includes(name));
  const title = ownKeyword(form, "title");
  const parts = [
    typeof title === "string" ? title : null,
    ...fixed,
    needed.length > 0 ? `with ${needed.join(", ")}` : null,
    free.length > 0 ? `optionally ${free.slice(0, 10).join(", ")}` : null,
  ].filter((part) => part !== null);
  return parts.length > 0 ? parts.join(", ") : "any properties";
}

function onlyValue(schema: JsonSchema): unknown {
  if (Object.hasOwn(schema, "const")) return schema.const;
  const values = ownKeyword(schema, "enum");
  return Array.isArray(values) && values.length === 1 ? values[0] : undefined;
}
