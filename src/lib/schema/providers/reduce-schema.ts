import { isPlainObject, type JsonSchema, type JsonValue } from "../../contract/json";
import { inheritDigits } from "../../json/number-digits";
import { findKeywordProblem, listTypes, ONE_SCHEMA, SCHEMA_LISTS, SCHEMA_MAPS, typeKeyword } from "../keywords";
import { toNewestWords } from "../newest-words";
import { findReference, ownKeyword } from "../resolve-ref";
import { countValues } from "../short-json";
import { mergeBoth } from "./merge-for-providers";
import { cutShape, keepsReference, type ReductionState } from "./reduction-state";
import { compact, joinNotes, noteOn } from "./schema-notes";
import { schemaNote } from "./spell-out";

/** Widening their contents would narrow the whole: kept only where nothing had to change. */
const EXACT_ONLY = new Set(["not", "if", "oneOf", "contains"]);
/** Values that may be of any size: large ones are only quoted in part, since each reference would repeat them. */
const ANY_SIZE = new Set(["default", "examples", "pattern", "title", "format", "contentMediaType", "contentEncoding"]);
const MAX_KEPT_VALUES = 100;
const NEVER_ALLOWED = "No value is allowed here: leave it out.";

/** The place of a schema: how deep, and through which targets of references. */
export interface SchemaPlace {
  depth: number;
  refs: readonly unknown[];
}

/**
 * A schema in the words of the state's provider. Takes every value that the schema takes, and where words are lacking more
 * than these; the description then says what is missing.
 */
export function reduceSchema(schema: unknown, state: ReductionState, place: SchemaPlace): JsonSchema {
  if (schema === false) return { description: NEVER_ALLOWED };
  if (!isPlainObject(schema) || Object.keys(schema).length === 0) return {};
  state.nodes += 1;
  if (place.depth > state.limits.depth || state.nodes > state.limits.nodes) return cutShape(schema, state);
  const reference = findReference(schema, state.root);
  if (reference !== null) return reduceReference(reference, schema, state, place);
  return reduceKeywords(toNewestWords(schema), state, place);
}

function reduceReference(
  { text, target }: NonNullable<ReturnType<typeof findReference>>,
  schema: JsonSchema,
  state: ReductionState,
  place: SchemaPlace,
): JsonSchema {
  const { $ref: _, $dynamicRef: _dynamic, $recursiveRef: _recursive, ...siblings } = schema;
  const beside = Object.keys(siblings).length > 0 ? reduceKeywords(toNewestWords(siblings), state, place) : {};
  if (target === null) return mergeBoth(beside, { description: `A shape not described here (${compact(text)}).` });
  if (keepsReference(schema, target, state)) return { ...beside, $ref: text };
  const description = ownKeyword(beside, "description");
  return { ...mergeBoth(expandReference(target, state, place), beside), ...(description ? { description } : {}) };
}

/** Replaces a reference by its target; a reference that leads into itself repeatedly becomes a shape that says so. */
function expandReference(target: unknown, state: ReductionState, { depth, refs }: SchemaPlace): JsonSchema {
  const rounds = refs.filter((each) => each === target).length;
  if (rounds > state.limits.recursion) return cutShape(target, state);
  return reduceSchema(target, state, { depth: depth + 1, refs: [...refs, target] });
}

function reduceKeywords(schema: JsonSchema, state: ReductionState, place: SchemaPlace): JsonSchema {
  const kept = new Map<string, unknown>();
  const notes: (string | null)[] = [];
  const parts: JsonSchema[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "type" || keyword === "description") continue;
    if (ANY_SIZE.has(keyword) && countValues(value as JsonValue, MAX_KEPT_VALUES) > MAX_KEPT_VALUES) {
      notes.push(noteOn(keyword, value));
      continue;
    }
    const reduced = reduceValue(keyword, value, state, place);
    if (reduced === undefined) continue;
    const exact = !EXACT_ONLY.has(keyword) || JSON.stringify(reduced) === JSON.stringify(value);
    if (keyword === "format" && state.dialect.formats?.has(value as string) === false)
      notes.push(noteOn(keyword, value));
    else if (state.dialect.keywords.has(keyword) && exact) kept.set(keyword, reduced);
    else if (keyword === "oneOf" && !kept.has("anyOf") && !Object.hasOwn(schema, "anyOf")) kept.set("anyOf", reduced);
    else if (keyword === "allOf") parts.push(...(reduced as JsonSchema[]));
    else if (keyword === "const" && isEnumValue(value, state)) kept.set("enum", [value]);
    else notes.push(schemaNote(keyword, value, state));
  }
  if (kept.has("patternProperties") === false && Object.hasOwn(schema, "patternProperties"))
    kept.delete("additionalProperties");
  if (!kept.has("prefixItems") && Object.hasOwn(schema, "prefixItems")) kept.delete("items");
  if (!kept.has("if")) for (const word of ["then", "else"]) kept.delete(word);
  let types = listTypes(schema);
  const finished = finishObject(finishEnum(kept, notes, state), state);
  if (finished.has("properties") && types.length === 0 && state.dialect.needsRequiredProperties) types = ["object"];
  if (types.includes("array") && state.dialect.needsItems && !finished.has("items")) finished.set("items", {});
  const description = joinNotes([readText(ownKeyword(schema, "description")), ...notes], state.limits.descriptionChars);
  const reduced = { ...typeKeyword(types), ...(description && { description }), ...Object.fromEntries(finished) };
  return parts.reduce(mergeBoth, inheritDigits(schema, reduced));
}

/** Undefined for what is left out without a word: unknown keywords, and values of a wrong shape. */
function reduceValue(keyword: string, value: unknown, state: ReductionState, { depth, refs }: SchemaPlace): unknown {
  const below = { depth: depth + 1, refs };
  const kept = state.dialect.keywords.has(keyword);
  if (ONE_SCHEMA.has(keyword)) {
    if (typeof value === "boolean" && keyword !== "items") return value;
    return isPlainObject(value) || keyword === "items" ? (kept ? reduceSchema(value, state, below) : value) : undefined;
  }
  if (SCHEMA_LISTS.has(keyword)) {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    if (!kept && keyword === "prefixItems") return value;
    const possible = keyword === "anyOf" || keyword === "oneOf" ? value.filter((each) => each !== false) : value;
    if (possible.length === 0) return undefined;
    return possible.slice(0, state.limits.branches).length < possible.length
      ? undefined
      : possible.map((each) => reduceSchema(each, state, below));
  }
  if (SCHEMA_MAPS.has(keyword)) {
    if (!isPlainObject(value)) return undefined;
    return kept ? reduceMap(value, state, below) : value;
  }
  return findKeywordProblem(keyword, value) === null ? value : undefined;
}

function reduceMap(map: JsonSchema, state: ReductionState, place: SchemaPlace): JsonSchema {
  const possible = Object.entries(map).filter(([, schema]) => schema !== false);
  const shown = possible.slice(0, state.limits.properties);
  return Object.fromEntries(shown.map(([name, schema]) => [name, reduceSchema(schema, state, place)]));
}

/** For a provider with enums of texts and numbers only, others become a choice of types. */
function finishEnum(kept: Map<string, unknown>, notes: (string | null)[], state: ReductionState): Map<string, unknown> {
  const values = kept.get("enum");
  if (!Array.isArray(values)) return kept;
  if (values.length > state.limits.enumValues) {
    kept.delete("enum");
    notes.push(noteOn("enum", values));
    return kept;
  }
  if (!state.dialect.plainEnums) return kept;
  if (values.every((value) => typeof value === "string")) return kept;
  if (values.every((value) => typeof value === "number")) return kept;
  kept.delete("enum");
  notes.push(noteOn("enum", values));
  const texts = values.filter((value) => typeof value === "string");
  if (texts.length === values.length - 1 && values.includes(null) && !kept.has("anyOf")) {
    kept.set("anyOf", [{ type: "string", enum: texts }, { type: "null" }]);
  }
  return kept;
}

function finishObject(kept: Map<string, unknown>, state: ReductionState): Map<string, unknown> {
  const properties = kept.get("properties") as JsonSchema | undefined;
  const required = [...new Set((kept.get("required") as string[] | undefined) ?? [])];
  if (kept.has("required")) kept.set("required", required);
  if (required.length === 0) kept.delete("required");
  if (properties && Object.keys(properties).length >= state.limits.properties) kept.delete("additionalProperties");
  if (!state.dialect.needsRequiredProperties) return kept;
  const missing = required.filter((name) => !Object.hasOwn(properties ?? {}, name));
  if (missing.length > 0) kept.set("properties", fromEntries(properties, missing));
  return kept;
}

function fromEntries(properties: JsonSchema | undefined, missing: readonly string[]): JsonSchema {
  return Object.fromEntries([...Object.entries(properties ?? {}), ...missing.map((name) => [name, {}])]);
}

function isEnumValue(value: unknown, { dialect }: ReductionState): boolean {
  return ["string", "number"].includes(typeof value) || (typeof value === "boolean" && !dialect.plainEnums);
}

const readText = (value: unknown): string | null => (typeof value === "string" ? value.trim() : null);
