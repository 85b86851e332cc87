import { isPlainObject, type JsonSchema } from "../../contract/json";
import { listTypes } from "../keywords";
import { findReference, listRequired, ownKeyword, ownList, ownMap } from "../resolve-ref";
import { mergeBoth, mergeForms } from "./merge-for-providers";
import { reduceSchema, type SchemaPlace } from "./reduce-schema";
import type { ReductionState } from "./reduction-state";
import { compact, joinNotes } from "./schema-notes";
import { schemaNote } from "./spell-out";

const MAX_FORMS = 50;
const MAX_FORMS_TOLD = 12;
/** Refused at the root by at least one provider. */
const NOT_AT_ROOT = ["enum", "const", "not", "if", "then", "else", "dependentSchemas", "format", "$ref"];

/** A schema as an object schema with nothing beside its properties; choices and parts are merged into them. */
export function objectForm(schema: JsonSchema, state: ReductionState, place: SchemaPlace): JsonSchema {
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
  // One that takes any object leaves nothing for the others to say.
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
