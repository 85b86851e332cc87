// Plain JavaScript, because a worker thread loads it as it lies while the server has it bundled.
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";

const addFormats = ajvFormats.default ?? ajvFormats;

const OPTIONS = {
  strict: false,
  allErrors: true,
  ownProperties: true,
  validateFormats: true,
  // Real servers write patterns such as `[\w\-]` that are only valid without the u flag.
  unicodeRegExp: false,
  logger: false,
  // A property called like a schema's `$id` elsewhere must not clash; see compileOnce.
  addUsedSchema: false,
};

/** @typedef {{ instancePath: string, schemaPath: string, keyword: string, params: Record<string, unknown>, message?: string }} SchemaError */
/** @typedef {(args: unknown) => SchemaError[] | null} Check */

/** @type {Map<string, () => import("ajv").default>} */
const DIALECTS = new Map([
  ["https://json-schema.org/draft/2020-12/schema", () => new Ajv2020(OPTIONS)],
  ["https://json-schema.org/draft/2019-09/schema", () => new Ajv2019(OPTIONS)],
  ["http://json-schema.org/draft-07/schema", () => new Ajv(OPTIONS)],
  ["http://json-schema.org/draft-06/schema", () => new Ajv(OPTIONS)],
]);

/** @type {Map<string, import("ajv").default>} */
const warm = new Map();

/**
 * Compiles a schema in its own dialect, without coercion or defaults.
 * Parameters the schema does not define are ignored: `additionalProperties: false` and `unevaluatedProperties: false` are
 * taken out of a copy. Inside unions and conditions they tell branches apart, so there they stay in the first reading, and
 * arguments that fail it get a second one without them.
 * @param {Record<string, unknown>} schema
 * @returns {Check} gives null for valid arguments, else the errors
 * @throws {Error} for a schema that is not one, with a message that says where
 */
export function compileSchema(schema) {
  const dialect = dialectOf(schema);
  const first = compileOnce(dialect, openUp(schema, false));
  if (!closesInBranches(schema, false)) return (args) => (first(args) ? null : [...(first.errors ?? [])]);
  const second = compileOnce(dialect, openUp(schema, true));
  return (args) => {
    if (first(args)) return null;
    const errors = (first.errors ?? []).filter((error) => !CLOSERS.has(error.keyword));
    if (second(args)) return null;
    return errors.length > 0 ? errors : [...(second.errors ?? [])];
  };
}

/** @param {Record<string, unknown>} schema */
function dialectOf(schema) {
  const declared = Object.hasOwn(schema, "$schema") ? schema.$schema : undefined;
  if (declared === undefined) return "https://json-schema.org/draft/2020-12/schema";
  const named =
    typeof declared === "string"
      ? declared.replace(/#$/, "").replace(/^http:\/\/json-schema.org\/draft\/20/, "https://json-schema.org/draft/20")
      : "";
  const dialect = named.replace(/^https:\/\/json-schema.org\/draft-0/, "http://json-schema.org/draft-0");
  if (DIALECTS.has(dialect)) return dialect;
  throw new Error(`$schema ${JSON.stringify(declared)} is not supported; use draft-06, draft-07, 2019-09 or 2020-12`);
}

/**
 * @param {string} dialect
 * @param {Record<string, unknown>} schema
 */
function compileOnce(dialect, schema) {
  const make = DIALECTS.get(dialect);
  if (!make) throw new Error(`no such dialect: ${dialect}`);
  // An instance remembers every $id it has seen; documents that have any get one of their own (12 ms instead of 1).
  if (hasId(schema, 0)) return addFormats(make()).compile(schema);
  let ajv = warm.get(dialect);
  if (!ajv) {
    ajv = addFormats(make());
    warm.set(dialect, ajv);
  }
  try {
    return ajv.compile(schema);
  } finally {
    ajv.removeSchema(schema);
  }
}

const CLOSERS = new Set(["additionalProperties", "unevaluatedProperties"]);
const BRANCHES = new Set(["oneOf", "anyOf", "not", "if", "then", "else"]);
/** Keywords whose value is data, or a map from names to schemas. */
const DATA = new Set(["enum", "const", "default", "examples"]);
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]);

/**
 * A copy without the keywords that refuse undefined parameters.
 * @param {unknown} schema
 * @param {boolean} alsoInBranches
 * @returns {any}
 */
function openUp(schema, alsoInBranches, depth = 0) {
  if (Array.isArray(schema)) return schema.map((item) => openUp(item, alsoInBranches, depth + 1));
  if (typeof schema !== "object" || schema === null) return schema;
  /** @type {[string, unknown][]} */
  const kept = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (CLOSERS.has(keyword) && value === false) continue;
    if (DATA.has(keyword)) kept.push([keyword, value]);
    else if (keyword === "not" || keyword === "if" || (BRANCHES.has(keyword) && !alsoInBranches))
      kept.push([keyword, value]);
    else if (NAMED.has(keyword) && typeof value === "object" && value !== null && !Array.isArray(value)) {
      const named = Object.entries(value).map(([name, item]) => [name, openUp(item, alsoInBranches, depth + 1)]);
      kept.push([keyword, Object.fromEntries(named)]);
    } else kept.push([keyword, openUp(value, alsoInBranches, depth + 1)]);
  }
  return Object.fromEntries(kept);
}

/**
 * @param {unknown} schema
 * @param {boolean} inBranch
 * @returns {boolean}
 */
function closesInBranches(schema, inBranch) {
  if (typeof schema !== "object" || schema === null) return false;
  if (Array.isArray(schema)) return schema.some((item) => closesInBranches(item, inBranch));
  return Object.entries(schema).some(([keyword, value]) => {
    if (inBranch && CLOSERS.has(keyword) && value === false) return true;
    if (DATA.has(keyword)) return false;
    return closesInBranches(value, inBranch || BRANCHES.has(keyword));
  });
}

/**
 * @param {unknown} schema
 * @param {number} depth
 * @returns {boolean}
 */
function hasId(schema, depth) {
  if (typeof schema !== "object" || schema === null) return false;
  if (Array.isArray(schema)) return schema.some((item) => hasId(item, depth + 1));
  return Object.entries(schema).some(
    ([keyword, value]) =>
      ((keyword === "$id" || keyword === "$anchor" || keyword === "$dynamicAnchor") && typeof value === "string") ||
      (!DATA.has(keyword) && hasId(value, depth + 1)),
  );
}
