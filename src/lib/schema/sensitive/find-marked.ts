import { isPlainObject, type JsonSchema } from "../../contract/json";
import { findValueEnd, skipSpace, type TextSpan, walkElements, walkMembers } from "../../json/json-text";
import { readItems, resolveRef } from "../resolve-ref";
import { StepBudget } from "../step-budget";
import { hasMarkedFields, isMarked, type Marks } from "./marks";

const MAX_DEPTH = 32;
/** Values times the schemas that describe them; what is left when the steps run out is masked. */
const MAX_STEPS = 50_000;
/** Schemas of one value, references and branches followed. */
const MAX_SCHEMAS = 200;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

type Paths = readonly (readonly string[])[];

/**
 * Where the marked values of a valid JSON text are, in order. A value is marked as soon as one of its schemas marks it,
 * at any depth, through `$ref` inside the document and every branch of a union; what cannot be followed is marked too.
 * Where there are more than 5,000 of them, the whole text is.
 */
export function findMarked(text: string, marks: Marks): TextSpan[] {
  try {
    return new MarkedValues(text, marks).find();
  } catch (error) {
    if ((error as { name?: unknown }).name !== "TooManyMarked") throw error;
    return [{ start: 0, end: text.length }];
  }
}

/** The most marked values of one text: masking more takes too long. */
const MAX_MARKED = 5_000;

class TooManyMarked extends Error {
  override readonly name = "TooManyMarked";
}

class MarkedValues {
  readonly #text: string;
  readonly #marks: Marks;
  readonly #budget = new StepBudget(MAX_STEPS);
  readonly #found: TextSpan[] = [];
  /** The expansion of each single schema: the elements of a list have the same one. */
  readonly #expanded = new Map<JsonSchema, JsonSchema[] | null>();
  /** Whether something within a schema may be marked. */
  readonly #relevant = new Map<JsonSchema, boolean>();

  constructor(text: string, marks: Marks) {
    this.#text = text;
    this.#marks = marks;
  }

  find(): TextSpan[] {
    const { schema, isHard, paths } = this.#marks;
    const start = skipSpace(this.#text, 0);
    if (isHard) this.#markMembers(start);
    else this.#value(start, schema === null ? [] : [schema], paths, 0);
    return this.#found;
  }

  /** Returns where the value ends. */
  #value(start: number, schemas: readonly JsonSchema[], paths: Paths, depth: number): number {
    const text = this.#text;
    if (paths.some((path) => path.length === 0)) return this.#mark(start);
    if (depth > MAX_DEPTH || this.#budget.isSpent) return this.#mark(start);
    const applicable = this.#expandOnce(schemas);
    if (applicable === null || !this.#budget.spend(applicable.length + 1) || applicable.some(isMarked)) {
      return this.#mark(start);
    }
    const relevant = applicable.filter((schema) => this.#mayMark(schema));
    const first = text.charCodeAt(start);
    const isContainer = first === OPEN_BRACE || first === OPEN_BRACKET;
    if (!isContainer || (relevant.length === 0 && paths.length === 0)) return findValueEnd(text, start);
    const below = (token: string, at: number, listSchemas: (schema: JsonSchema) => JsonSchema[]): number =>
      this.#value(at, relevant.flatMap(listSchemas), pathsBelow(paths, token), depth + 1);
    if (first === OPEN_BRACE) {
      return walkMembers(text, start, (quotedKey, at) => {
        const key = JSON.parse(quotedKey) as string;
        return below(key, at, (schema) => propertySchemas(schema, key));
      });
    }
    return walkElements(text, start, (index, at) => below(String(index), at, (schema) => itemSchemas(schema, index)));
  }

  #markMembers(start: number): void {
    if (this.#text.charCodeAt(start) !== OPEN_BRACE) this.#mark(start);
    else walkMembers(this.#text, start, (_key, at) => this.#mark(at));
  }

  #mark(start: number): number {
    const end = findValueEnd(this.#text, start);
    this.#found.push({ start, end });
    if (this.#found.length > MAX_MARKED) throw new TooManyMarked();
    return end;
  }

  #mayMark(schema: JsonSchema): boolean {
    let relevant = this.#relevant.get(schema);
    if (relevant === undefined) {
      relevant = hasMarkedFields(schema) || hasReference(schema);
      this.#relevant.set(schema, relevant);
    }
    return relevant;
  }

  #expandOnce(schemas: readonly JsonSchema[]): JsonSchema[] | null {
    const [first, ...others] = schemas;
    if (first === undefined) return [];
    if (others.length > 0) return expand(schemas, this.#marks.root);
    const known = this.#expanded.get(first);
    if (known !== undefined) return known;
    const found = expand(schemas, this.#marks.root);
    this.#expanded.set(first, found);
    return found;
  }
}

function pathsBelow(paths: Paths, token: string): Paths {
  return paths.filter(([first]) => first === "*" || first === token).map((path) => path.slice(1));
}

function hasReference(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  return Object.hasOwn(schema, "$ref") || Object.values(schema).some(hasReference);
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
  // The validator decides which pattern matches; masking one field too many is the safe side.
  if (isPlainObject(patternProperties)) found.push(...Object.values(patternProperties));
  if (!isNamed) found.push(additionalProperties);
  return schemaList(found);
}

function itemSchemas(schema: JsonSchema, index: number): JsonSchema[] {
  const { prefix, rest } = readItems(schema);
  return schemaList([index < prefix.length ? prefix[index] : rest]);
}

function schemaList(candidates: unknown): JsonSchema[] {
  return Array.isArray(candidates) ? candidates.filter(isPlainObject) : [];
}
