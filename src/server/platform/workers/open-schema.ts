// Plain JavaScript: a worker thread loads this file directly, while the server bundles it.
import { createReferences, isObject } from "./schema-references.mjs";

/** @typedef {Record<string, unknown>} Schema */

const CLOSERS = new Set(["additionalProperties", "unevaluatedProperties"]);
/** Keywords whose value is data. */
const DATA = new Set(["enum", "const", "default", "examples", "required", "dependentRequired"]);
/** Keywords whose value maps names to schemas. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]);
/** Under these, opening a schema would close something else. */
const INVERTING = new Set(["not", "if"]);
/** References whose target depends on how the schema that holds them is reached. */
const DYNAMIC = ["$dynamicRef", "$recursiveRef"];
const IDENTIFIERS = ["$id", "$anchor", "$dynamicAnchor"];
/** Read from the whole document, or no keyword in these dialects although ajv stumbles over it. */
const DROPPED = new Set(["$schema", "$async", "id"]);
/** Where the opened document keeps a copy of the original, for references under `not` and `if`. */
const AS_WRITTEN = "x-as-written";

/**
 * A copy without the keywords that refuse undefined parameters, except under `not` and `if`, where they are what lets a
 * value pass. Accepts every value that the schema accepts.
 * @param {Schema} root
 * @param {string} dialect
 * @returns {Schema}
 */
export function openSchema(root, dialect) {
  return new SchemaOpener(root, dialect).open();
}

class SchemaOpener {
  #needsOriginal = false;

  /** @param {Schema} root @param {string} dialect */
  constructor(root, dialect) {
    this.root = root;
    /** Null where no part is closed, which makes all questions about it cheap. */
    this.references = anySubschema(root, isCloser) ? createReferences(root, dialect) : null;
    this.hasIdentifiers = this.references !== null && anySubschema(root, isIdentified);
  }

  open() {
    const opened = /** @type {Schema} */ (this.#open(this.root));
    return this.#needsOriginal ? { ...opened, [AS_WRITTEN]: copyAsWritten(this.root, true) } : opened;
  }

  /** @param {unknown} schema @returns {unknown} */
  #open(schema) {
    if (Array.isArray(schema)) return schema.map((item) => this.#open(item));
    if (!isObject(schema)) return schema;
    /** @type {Map<string, unknown>} */
    const kept = new Map();
    for (const [keyword, value] of Object.entries(schema)) {
      if ((CLOSERS.has(keyword) && value === false) || isDropped(schema, keyword)) continue;
      if (DATA.has(keyword)) kept.set(keyword, value);
      else if (INVERTING.has(keyword)) this.#keepInverted(keyword, value, kept);
      else if (NAMED.has(keyword) && isObject(value))
        kept.set(
          keyword,
          mapNamed(value, (item) => this.#open(item)),
        );
      else if (keyword === "oneOf" && this.#closes(value)) this.#keepOverlapping(schema, value, kept);
      else if (keyword === "maxContains" && this.#closes(schema.contains)) continue;
      else if (keyword === "allOf" && kept.has("allOf")) {
        kept.set("allOf", [...asList(this.#open(value)), ...asList(kept.get("allOf"))]);
      } else kept.set(keyword, this.#open(value));
    }
    return Object.fromEntries(kept);
  }

  /**
   * Closed branches of a `oneOf` tell each other apart by what they refuse. Without that several may match, so such a
   * `oneOf` is read as `anyOf`.
   * @param {Schema} schema
   * @param {unknown} branches
   * @param {Map<string, unknown>} kept
   */
  #keepOverlapping(schema, branches, kept) {
    const anyOf = this.#open(branches);
    if (Object.hasOwn(schema, "anyOf")) kept.set("allOf", [...asList(kept.get("allOf")), { anyOf }]);
    else kept.set("anyOf", anyOf);
  }

  /**
   * Keeps a `not` or an `if` as it is written, with what it refers to. In a document with identifiers that would need a
   * second one of each, so there it is left out.
   * @param {string} keyword
   * @param {unknown} value
   * @param {Map<string, unknown>} kept
   */
  #keepInverted(keyword, value, kept) {
    const seen = new Set();
    const redirects = anySubschema(value, (node) => this.#closesThroughReference(node, seen));
    if (redirects && this.hasIdentifiers) return;
    if (redirects) this.#needsOriginal = true;
    kept.set(keyword, copyAsWritten(value, redirects));
  }

  /** True when some part of a schema, references followed, refuses undefined parameters. @param {unknown} schema */
  #closes(schema, seen = new Set()) {
    if (this.references === null) return false;
    return anySubschema(schema, (node) => isCloser(node) || this.#closesThroughReference(node, seen));
  }

  /** @param {Schema} node @param {Set<unknown>} seen @returns {boolean} */
  #closesThroughReference(node, seen) {
    if (this.references === null) return false;
    if (DYNAMIC.some((keyword) => typeof node[keyword] === "string")) return true;
    if (typeof node.$ref !== "string") return false;
    const target = this.references.target(node.$ref, node);
    if (seen.has(target)) return false;
    seen.add(target);
    return this.#closes(target, seen);
  }
}

/**
 * @param {unknown} schema
 * @param {boolean} redirects whether references lead to the copy of the original
 * @returns {unknown}
 */
function copyAsWritten(schema, redirects) {
  if (Array.isArray(schema)) return schema.map((item) => copyAsWritten(item, redirects));
  if (!isObject(schema)) return schema;
  /** @type {[string, unknown][]} */
  const kept = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (isDropped(schema, keyword)) continue;
    if (DATA.has(keyword)) kept.push([keyword, value]);
    else if (NAMED.has(keyword) && isObject(value)) {
      kept.push([keyword, mapNamed(value, (item) => copyAsWritten(item, redirects))]);
    } else if (redirects && keyword === "$ref" && typeof value === "string" && value.startsWith("#")) {
      kept.push([keyword, `#/${AS_WRITTEN}${value.slice(1)}`]);
    } else kept.push([keyword, copyAsWritten(value, redirects)]);
  }
  return Object.fromEntries(kept);
}

/** @param {Schema} schema @param {string} keyword */
function isDropped(schema, keyword) {
  if (keyword === "nullable") return !Object.hasOwn(schema, "type");
  return DROPPED.has(keyword) && typeof schema[keyword] !== "object";
}

/** @param {Schema} node */
function isCloser(node) {
  return [...CLOSERS].some((keyword) => node[keyword] === false);
}

/** @param {Schema} node */
function isIdentified(node) {
  return IDENTIFIERS.some((keyword) => typeof node[keyword] === "string");
}

/** @param {Schema} named @param {(schema: unknown) => unknown} change */
function mapNamed(named, change) {
  return Object.fromEntries(Object.entries(named).map(([name, item]) => [name, change(item)]));
}

/** @param {unknown} value @returns {unknown[]} */
function asList(value) {
  return Array.isArray(value) ? value : [];
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
