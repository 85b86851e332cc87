// Plain JavaScript, because a worker thread loads it as it lies while the server has it bundled.
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";

const addFormats = ajvFormats.default ?? ajvFormats;

/** Unicode patterns need the u flag; real servers also write patterns such as `[\w\-]` that are only valid without it. */
const regExp = Object.assign(
  (/** @type {string} */ pattern) => {
    try {
      return new RegExp(pattern, "u");
    } catch {
      return new RegExp(pattern);
    }
  },
  { code: "new RegExp" },
);

const OPTIONS = {
  strict: false,
  allErrors: true,
  ownProperties: true,
  validateFormats: true,
  logger: false,
  // Each use of a reference would become a copy of its target: a small schema, minutes of compiling.
  inlineRefs: false,
  // Errors then carry the schema they come from, which tells where it stands in the document; see placesOf.
  verbose: true,
  addUsedSchema: false,
  code: { regExp },
};

/** @typedef {{ instancePath: string, schemaPath: string, keyword: string, params: Record<string, unknown>, message?: string }} SchemaError */
/** @typedef {(args: unknown) => SchemaError[] | null} Check */
/** @typedef {Record<string, unknown>} Schema */

/** @type {Map<string, () => import("ajv").default>} */
const DIALECTS = new Map([
  ["2020-12", () => new Ajv2020(OPTIONS)],
  ["2019-09", () => new Ajv2019(OPTIONS)],
  ["draft-07", () => new Ajv(OPTIONS)],
  ["draft-06", () => new Ajv(OPTIONS)],
]);
const DIALECT_URI = /^https?:\/\/json-schema\.org\/(?:draft\/(2020-12|2019-09)\/schema|(draft-0[67])\/schema)#?$/;

/** More errors than anybody reads; the rest would only cost time and space. */
const MAX_ERRORS = 1000;
/** An instance keeps something of each schema it compiled, so it is replaced now and then. */
const MAX_COMPILED_BY_ONE = 500;

/** @type {Map<string, { ajv: import("ajv").default, compiled: number }>} */
const warm = new Map();

/**
 * Compiles a schema in its own dialect, without coercion or defaults. Parameters that the schema does not define are
 * ignored: what is compiled is a copy without `additionalProperties: false` and `unevaluatedProperties: false`.
 * @param {Schema} schema
 * @returns {Check} gives null for valid arguments, else the first errors
 * @throws {Error} for a schema that is not one, with a message that says where
 */
export function compileSchema(schema) {
  const opened = /** @type {Schema} */ (openUp(schema, schema));
  const validate = compileOnce(dialectOf(schema), opened);
  /** @type {Map<unknown, string> | undefined} */
  let places;
  return (args) => {
    if (validate(args)) return null;
    places ??= placesOf(opened);
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
 * Where each part of a document stands. ajv counts the path of an error from the last reference it followed, which cannot
 * tell two references apart.
 * @param {unknown} schema
 */
function placesOf(schema) {
  /** @type {Map<unknown, string>} */
  const places = new Map();
  /** @param {unknown} part @param {string} place */
  const walk = (part, place) => {
    if (typeof part !== "object" || part === null) return;
    if (!Array.isArray(part)) places.set(part, place);
    for (const [key, value] of Object.entries(part)) walk(value, `${place}/${key}`);
  };
  walk(schema, "#");
  return places;
}

/** @param {Schema} schema */
function dialectOf(schema) {
  const declared = Object.hasOwn(schema, "$schema") ? schema.$schema : undefined;
  if (declared === undefined) return "2020-12";
  const found = typeof declared === "string" ? DIALECT_URI.exec(declared) : null;
  const dialect = found?.[1] ?? found?.[2];
  if (dialect !== undefined) return dialect;
  throw new Error(`$schema ${JSON.stringify(declared)} is not supported; use draft-06, draft-07, 2019-09 or 2020-12`);
}

/**
 * @param {string} dialect
 * @param {Schema} schema
 */
function compileOnce(dialect, schema) {
  const make = DIALECTS.get(dialect);
  if (!make) throw new Error(`no such dialect: ${dialect}`);
  // An instance remembers every $id it has seen; documents that have any get one of their own (12 ms instead of 1).
  if (anySubschema(schema, hasOwnId)) return addFormats(make()).compile(schema);
  let known = warm.get(dialect);
  if (!known || known.compiled >= MAX_COMPILED_BY_ONE) {
    known = { ajv: addFormats(make()), compiled: 0 };
    warm.set(dialect, known);
  }
  known.compiled += 1;
  try {
    return known.ajv.compile(schema);
  } finally {
    known.ajv.removeSchema(schema);
  }
}

const CLOSERS = new Set(["additionalProperties", "unevaluatedProperties"]);
/** Keywords whose value is data. */
const DATA = new Set(["enum", "const", "default", "examples", "required", "dependentRequired"]);
/** Keywords whose value maps names to schemas. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]);
/** Under these, opening a schema would close something else. */
const INVERTING = new Set(["not", "if"]);
/** Read from the whole document, or no keyword in these dialects although ajv stumbles over it. */
const DROPPED = new Set(["$schema", "$async", "id"]);

/**
 * A copy without the keywords that refuse undefined parameters. Closed branches of a `oneOf` tell each other apart by what
 * they refuse; without that several may match, so such a `oneOf` is read as `anyOf`.
 * @param {unknown} schema
 * @param {Schema} root
 * @returns {unknown}
 */
function openUp(schema, root) {
  if (Array.isArray(schema)) return schema.map((item) => openUp(item, root));
  if (typeof schema !== "object" || schema === null) return schema;
  /** @type {[string, unknown][]} */
  const kept = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (CLOSERS.has(keyword) && value === false) continue;
    if (DROPPED.has(keyword) && typeof value !== "object") continue;
    if (keyword === "nullable" && !Object.hasOwn(schema, "type")) continue;
    if (DATA.has(keyword) || INVERTING.has(keyword)) kept.push([keyword, value]);
    else if (NAMED.has(keyword) && isObject(value)) {
      const named = Object.entries(value).map(([name, item]) => [name, openUp(item, root)]);
      kept.push([keyword, Object.fromEntries(named)]);
    } else if (keyword === "oneOf" && !Object.hasOwn(schema, "anyOf") && closes(value, root)) {
      kept.push(["anyOf", openUp(value, root)]);
    } else kept.push([keyword, openUp(value, root)]);
  }
  return Object.fromEntries(kept);
}

/**
 * True when some part of the schema, references followed, refuses undefined parameters.
 * @param {unknown} schema
 * @param {Schema} root
 */
function closes(schema, root) {
  const seen = new Set();
  /** @param {unknown} part @returns {boolean} */
  const check = (part) =>
    anySubschema(part, (node) => {
      if (Object.entries(node).some(([keyword, value]) => CLOSERS.has(keyword) && value === false)) return true;
      if (typeof node.$ref !== "string" || seen.has(node.$ref)) return false;
      seen.add(node.$ref);
      return check(resolveLocal(node.$ref, root));
    });
  return check(schema);
}

/** @param {Schema} node */
function hasOwnId(node) {
  return ["$id", "$anchor", "$dynamicAnchor"].some((keyword) => typeof node[keyword] === "string");
}

/**
 * @param {unknown} schema
 * @param {(node: Schema) => boolean} test
 * @returns {boolean}
 */
function anySubschema(schema, test) {
  if (Array.isArray(schema)) return schema.some((item) => anySubschema(item, test));
  if (!isObject(schema)) return false;
  if (test(schema)) return true;
  return Object.entries(schema).some(([keyword, value]) => {
    if (DATA.has(keyword)) return false;
    if (NAMED.has(keyword) && isObject(value)) return Object.values(value).some((item) => anySubschema(item, test));
    return anySubschema(value, test);
  });
}

/** @param {string} ref @param {Schema} root @returns {unknown} */
function resolveLocal(ref, root) {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  /** @type {unknown} */
  let current = root;
  for (const raw of ref.slice(2).split("/")) {
    let segment = raw;
    try {
      segment = decodeURIComponent(raw);
    } catch {
      // Kept as written: a lone % is legal in a key.
    }
    segment = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, segment)) return undefined;
    current = /** @type {Record<string, unknown>} */ (current)[segment];
  }
  return current;
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
