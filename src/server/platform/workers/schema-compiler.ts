import { Ajv, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { isPlainObject, type JsonSchema, type JsonValue } from "../../../lib/contract/json";
import type { Dialect } from "../../../lib/schema/dialect";
import type { CheckValue, Refusal } from "../../../lib/schema/witness/find-witnesses";
import type { SchemaError } from "../../engine/ports";
import { closedSchema, openSchema } from "./open-schema";
import { readSchema } from "./readable-schema";
import { readPattern } from "./schema-patterns";

/** Keywords that draft-07 added to draft-06. */
const ADDED = ["$comment", "readOnly", "writeOnly", "contentMediaType", "contentEncoding", "if", "then", "else"];
const DRAFT_07 = "http://json-schema.org/draft-07/schema";
const DRAFT_06 = "http://json-schema.org/draft-06/schema#";

const addFormats = ajvFormats.default ?? ajvFormats;

const regExp = Object.assign(
  (pattern: string) => {
    const read = readPattern(pattern);
    if ("reason" in read) throw new Error(`${JSON.stringify(pattern)}: ${read.reason}`);
    return read.regExp;
  },
  { code: "new RegExp" },
);

const OPTIONS = {
  strict: false,
  allErrors: true,
  ownProperties: true,
  validateFormats: true,
  logger: false as const,
  // Inlining copies the target at each reference: a small schema could compile for minutes.
  inlineRefs: false,
  // Errors then contain their schema, which gives its location in the document; see `locateParts`.
  verbose: true,
  code: { regExp },
};

export type Check = (args: unknown) => SchemaError[] | null;

const DIALECTS: Map<Dialect, (options: Options) => Ajv> = new Map([
  ["2020-12", (options) => new Ajv2020(options)],
  ["2019-09", (options) => new Ajv2019(options)],
  ["draft-07", (options) => new Ajv(options)],
  ["draft-06", (options) => addDraft06(new Ajv(options))],
]);

/** More errors would only cost time and space. */
const MAX_ERRORS = 1000;
/** An instance keeps data of each schema it compiled, so it is replaced after this many schemas or values. */
const MAX_COMPILED_BY_ONE = 500;
const MAX_VALUES_BY_ONE = 20_000;

type Warm = Map<Dialect, { ajv: Ajv; compiled: number; values: number }>;
const warm: Warm = new Map();
/** For schemas that few values are checked against. */
const warmForFew: Warm = new Map();
const FOR_FEW: Options = { code: { regExp, optimize: false }, verbose: false };
/** Instances that only check schemas against their dialect. */
const checkers: Map<Dialect, Ajv> = new Map();

/**
 * Compiles a schema in its dialect, without coercion or defaults. Undefined parameters are ignored (`openSchema`), keywords
 * that cannot be checked are omitted (`readSchema`).
 * The check gives null for valid arguments, else the first errors.
 * @throws Error for a schema that is not one, with a message that says where
 */
export function compileSchema(schema: JsonSchema, { asWritten = false }: { asWritten?: boolean } = {}): Check {
  const readable = readSchema(schema);
  const opened = asWritten ? closedSchema(readable.schema) : openSchema(readable.schema, readable.dialect);
  const validate = withinStack(() => compileOnce(readable.dialect, opened));
  let places: Map<unknown, string> | undefined;
  return (args) => {
    if (passes(validate, args)) return null;
    places ??= locateParts(opened);
    const known = places;
    return (validate.errors ?? [])
      .slice(0, MAX_ERRORS)
      .map(({ instancePath, schemaPath, keyword, params, message, parentSchema }) => {
        const place = known.get(parentSchema);
        return {
          instancePath,
          schemaPath: place === undefined ? schemaPath : `${place}/${keyword}`,
          keyword,
          params,
          message,
        };
      });
  };
}

/**
 * Compiles a schema as another validator would check it: undefined parameters are refused where it says so. The check
 * returns the first errors, empty for a valid value.
 * @throws Error for an invalid schema, or one with a keyword that cannot be checked
 */
function compileAsWritten(schema: JsonSchema): (value: unknown) => SchemaError[] {
  const { schema: readable, dialect, notes } = readSchema(schema);
  const [note] = notes;
  if (note !== undefined) throw new Error(note.message);
  const validate = withinStack(() => compileOnce(dialect, closedSchema(readable), true));
  return (value) => (passes(validate, value) ? [] : (validate.errors ?? []).slice(0, MAX_ERRORS));
}

/** Checks values against schemas with ajv, each in its dialect; a schema is compiled once while it lives. */
export function createValueCheck(): CheckValue {
  const compiled = new WeakMap<JsonSchema, ((value: unknown) => SchemaError[]) | null>();
  const compile = (schema: JsonSchema): ((value: unknown) => SchemaError[]) | null => {
    try {
      return compileAsWritten(schema);
    } catch {
      return null;
    }
  };
  return (schema: JsonSchema, value: JsonValue) => {
    let check = compiled.get(schema);
    if (check === undefined) {
      check = compile(schema);
      compiled.set(schema, check);
    }
    try {
      return check === null ? null : check(value).map(toRefusal);
    } catch {
      // The schema refers to itself for this value.
      return null;
    }
  };
}

function toRefusal({ instancePath, keyword, params }: SchemaError): Refusal {
  const property = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  return { pointer: instancePath, keyword, property: typeof property === "string" ? property : null };
}

/**
 * ajv follows circular references within one value until the stack overflows.
 */
function withinStack<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw toEndless(error);
  }
}

function passes(validate: ValidateFunction, value: unknown): boolean {
  try {
    return validate(value);
  } catch (error) {
    throw toEndless(error);
  }
}

const toEndless = (error: unknown): unknown =>
  error instanceof RangeError ? new Error("the schema refers to itself endlessly") : error;

/**
 * The first error of a schema: every keyword must be valid in its dialect, and every reference must have a target. An unknown
 * pattern syntax, format or dialect is no error. Compiles nothing.
 */
export function findSchemaProblem(schema: JsonSchema): string | null {
  const { schema: strict, dialect } = readSchema(schema, { keepMalformed: true });
  let checker = checkers.get(dialect);
  if (!checker) {
    checker = createInstance(dialect, { validateSchema: true });
    checkers.set(dialect, checker);
  }
  // Checked against the detected dialect, not the declared one.
  const { $schema: _, ...content } = strict;
  if (!checker.validateSchema(content)) return `schema is invalid: ${checker.errorsText()}`;
  const malformed = readSchema(schema).notes.find((note) => note.malformed);
  return malformed === undefined ? null : `${malformed.pointer} ${malformed.reason}`;
}

/**
 * The location of each part of a document. ajv counts the path of an error from the last reference it followed, which is
 * ambiguous.
 */
function locateParts(schema: unknown) {
  const places: Map<unknown, string> = new Map();
  const walk = (part: unknown, place: string) => {
    if (typeof part !== "object" || part === null) return;
    if (!Array.isArray(part)) places.set(part, place);
    for (const [key, value] of Object.entries(part)) walk(value, `${place}/${key}`);
  };
  walk(schema, "#");
  return places;
}

function compileOnce(dialect: Dialect, schema: JsonSchema, isForFew = false) {
  // An instance remembers every $id, so a document with any gets its own instance.
  const { values, ids } = countParts(schema);
  const [instances, options] = isForFew ? [warmForFew, FOR_FEW] : [warm, {}];
  if (ids > 0) return createInstance(dialect, options).compile(schema);
  let known = instances.get(dialect);
  if (!known || known.compiled >= MAX_COMPILED_BY_ONE || known.values >= MAX_VALUES_BY_ONE) {
    known = { ajv: createInstance(dialect, options), compiled: 0, values: 0 };
    instances.set(dialect, known);
  }
  known.compiled += 1;
  known.values += values;
  const { ajv } = known;
  try {
    return ajv.compile(schema);
  } finally {
    ajv.removeSchema(schema);
    // A schema without an id is stored under the empty id, which `removeSchema` ignores.
    delete ajv.refs[""];
  }
}

function createInstance(dialect: Dialect, options?: Options): Ajv {
  const make = DIALECTS.get(dialect);
  if (!make) throw new Error(`no such dialect: ${dialect}`);
  // `readSchema` has checked every keyword; the dialect's own schema would refuse references such as `#/$defs/List<Item>`.
  return addFormats(make({ ...OPTIONS, validateSchema: false, ...options }));
}

const ID_KEYWORDS = ["$id", "$anchor", "$dynamicAnchor"];

/**
 * Counts values, and identifiers anywhere: ajv finds them in unknown keywords too.
 */
function countParts(value: unknown, counted = { values: 0, ids: 0 }): { values: number; ids: number } {
  counted.values += 1;
  if (isPlainObject(value)) counted.ids += ID_KEYWORDS.filter((keyword) => typeof value[keyword] === "string").length;
  if (typeof value === "object" && value !== null) for (const part of Object.values(value)) countParts(part, counted);
  return counted;
}

/**
 * Lets schemas refer to the schema of draft-06 itself, which ajv carries as a JSON file only: the one of draft-07 without
 * what was added later.
 */
function addDraft06(ajv: Ajv) {
  const draft07 = ajv.schemas[DRAFT_07]?.schema ?? {};
  const { properties, ...rest } = draft07 as { properties: Record<string, JsonSchema> };
  const kept = Object.fromEntries(Object.entries(properties).filter(([keyword]) => !ADDED.includes(keyword)));
  const { propertyNames: _, ...patternProperties } = properties.patternProperties ?? {};
  const schema = { ...rest, $schema: DRAFT_06, $id: DRAFT_06, properties: { ...kept, patternProperties } };
  return ajv.addMetaSchema(schema, undefined, false);
}
