// Plain JavaScript: a worker thread loads this file directly, while the server bundles it.
import formats from "ajv-formats/dist/formats.js";
import { ANNOTATIONS, findKeywordProblem, NAMED_SCHEMAS, ONE_SCHEMA, SCHEMA_LISTS } from "./schema-keywords.mjs";
import { readPattern } from "./schema-patterns.mjs";
import { createReferences, idOf, isObject, NO_BASE } from "./schema-references.mjs";
import { renameIds, translateNode } from "./schema-translation.mjs";

/** @typedef {Record<string, unknown>} Schema */
/**
 * `malformed` keywords break the dialect's own rules; the others are only unknown here.
 * @typedef {{ pointer: string, keyword: string, message: string, reason: string, malformed: boolean }} Note
 */
/** @typedef {{ pointer: string, path: string, base: string }} At */

const FORMATS = new Set(Object.keys(formats.fullFormats));
const DIALECT_URI = /^https?:\/\/json-schema\.org\/(?:draft\/(2020-12|2019-09)\/schema|(draft-0[467])\/schema)#?$/;
/** For a schema that declares no dialect, or an unknown one. */
const DEFAULT_DIALECT = "2020-12";
/** Further keywords are dropped without a note. */
const MAX_NOTES = 50;
const MAX_SHOWN = 80;

/**
 * A copy of a schema without the keywords that cannot be checked, and a note for each of them. Draft-04 and the array form of
 * `items` are translated without a change of meaning. Dropping keywords only makes the copy accept more.
 * @param {Schema} schema
 * @param {{ keepMalformed?: boolean }} [options] `keepMalformed` leaves keywords of a wrong type where they are, for a
 * compiler that refuses them
 * @returns {{ schema: Schema, dialect: string, notes: Note[] }}
 */
export function readSchema(schema, { keepMalformed = false } = {}) {
  const first = new SchemaReader(schema, keepMalformed, false);
  const read = first.readRoot();
  if (first.losses === 0 || !first.sawReference) return read;
  // A reference's target may accept more than written; it is dropped where that would make the whole refuse more.
  return new SchemaReader(schema, keepMalformed, true).readRoot();
}

class SchemaReader {
  /** Number of dropped keywords. */
  losses = 0;
  sawReference = false;
  /** @type {Note[]} */
  #notes = [];

  /**
   * @param {Schema} root
   * @param {boolean} keepMalformed
   * @param {boolean} doubtReferences
   */
  constructor(root, keepMalformed, doubtReferences) {
    this.keepMalformed = keepMalformed;
    this.doubtReferences = doubtReferences;
    const declared = Object.hasOwn(root, "$schema") ? root.$schema : undefined;
    const found = typeof declared === "string" ? DIALECT_URI.exec(declared) : null;
    const dialect = found?.[1] ?? found?.[2];
    this.isDraft04 = dialect === "draft-04";
    this.dialect = this.isDraft04 ? "draft-07" : (dialect ?? DEFAULT_DIALECT);
    this.unknownDialect = dialect === undefined && declared !== undefined ? declared : undefined;
    /** @type {Schema} */
    this.root = this.isDraft04 ? /** @type {Schema} */ (renameIds(root)) : root;
    this.references = createReferences(this.root, this.dialect);
  }

  readRoot() {
    if (this.unknownDialect !== undefined) {
      const reason = `${shorten(this.unknownDialect)} is not a supported dialect; the schema is read as ${DEFAULT_DIALECT}`;
      const message = `\`$schema\`: ${reason}`;
      this.#notes.push({ pointer: "/$schema", keyword: "$schema", message, reason, malformed: false });
    }
    const schema = this.#readObject(this.root, { pointer: "", path: "", base: NO_BASE });
    return { schema, dialect: this.dialect, notes: this.#notes };
  }

  /** @param {unknown} node @param {At} at @returns {unknown} */
  #read(node, at) {
    return isObject(node) ? this.#readObject(node, at) : node;
  }

  /** @param {Schema} node @param {At} at @returns {Schema} */
  #readObject(node, at) {
    const before = this.losses;
    const source = translateNode(this.#withOwnName(node, at), this);
    const inside = { ...at, base: idOf(source, at.base) };
    /** @type {Map<string, unknown>} */
    const kept = new Map();
    for (const [keyword, value] of Object.entries(source)) {
      if (ANNOTATIONS.has(keyword) && !this.keepMalformed && !this.references.leadInto(keyword)) continue;
      const problem = findKeywordProblem(keyword, value);
      if (problem === null) this.#readKeyword(keyword, value, inside, kept);
      else if (this.keepMalformed) kept.set(keyword, value);
      else this.#drop(keyword, inside, `it ${problem}, got ${shorten(value)}`, true);
    }
    if (this.losses > before) this.#dropDependents(kept, inside);
    return Object.fromEntries(kept);
  }

  /** Without an address or anchor that another schema has. @param {Schema} node @param {At} at @returns {Schema} */
  #withOwnName(node, at) {
    if (this.keepMalformed) return node;
    let source = node;
    for (const keyword of ["$id", "$anchor", "$dynamicAnchor"]) {
      const first = typeof node[keyword] === "string" ? this.references.namesake(node, keyword, at.base) : undefined;
      if (first === undefined) continue;
      const { [keyword]: value, ...rest } = source;
      source = rest;
      if (JSON.stringify(first) === JSON.stringify(node)) continue;
      this.#drop(keyword, at, `another schema is called ${shorten(value)} too`, true);
    }
    return source;
  }

  /** @param {string} keyword @param {unknown} value @param {At} at @param {Map<string, unknown>} kept */
  #readKeyword(keyword, value, at, kept) {
    const inside = below(at, keyword);
    if (keyword === "$ref" || keyword === "$dynamicRef") this.#readReference(keyword, String(value), at, kept);
    else if (keyword === "pattern") {
      const read = readPattern(String(value));
      if ("regExp" in read || (read.broken && this.keepMalformed)) kept.set(keyword, value);
      else this.#drop(keyword, at, read.reason, read.broken);
    } else if (keyword === "format") {
      if (FORMATS.has(String(value))) kept.set(keyword, value);
      else this.#drop(keyword, at, `${shorten(value)} is an unknown format`, false);
    } else if (keyword === "required") kept.set(keyword, [...new Set(/** @type {string[]} */ (value))]);
    else if (keyword === "type" && Array.isArray(value)) kept.set(keyword, [...new Set(value)]);
    else if (NAMED_SCHEMAS.has(keyword))
      kept.set(keyword, this.#readNamed(keyword, /** @type {Schema} */ (value), at, kept));
    else if (SCHEMA_LISTS.has(keyword) || (keyword === "items" && Array.isArray(value))) {
      this.#readList(keyword, /** @type {unknown[]} */ (value), at, kept);
    } else if (keyword === "not" || keyword === "if") {
      const before = this.losses;
      const read = this.#read(value, inside);
      if (this.losses === before) kept.set(keyword, read);
      else this.#drop(keyword, at, "a part of it cannot be checked", false);
    } else if (ONE_SCHEMA.has(keyword) || keyword === "items") kept.set(keyword, this.#read(value, inside));
    else kept.set(keyword, value);
  }

  /** @param {string} keyword @param {string} reference @param {At} at @param {Map<string, unknown>} kept */
  #readReference(keyword, reference, at, kept) {
    const problem = this.keepMalformed ? null : this.references.findProblem(reference, at.base);
    if (problem !== null) {
      this.#drop(keyword, at, problem, true);
      return;
    }
    this.sawReference = true;
    if (this.doubtReferences) this.losses += 1;
    kept.set(keyword, reference);
  }

  /** @param {string} keyword @param {Schema} named @param {At} at @param {Map<string, unknown>} kept */
  #readNamed(keyword, named, at, kept) {
    /** @type {[string, unknown][]} */
    const entries = [];
    for (const [name, value] of Object.entries(named)) {
      const inside = {
        ...at,
        pointer: `${at.pointer}/${keyword}/${escapeSegment(name)}`,
        path: namedPath(at.path, keyword, name),
      };
      const isSchema = isObject(value) || typeof value === "boolean";
      const isNames =
        keyword === "dependencies" && Array.isArray(value) && value.every((item) => typeof item === "string");
      if (!isSchema && !isNames && !this.keepMalformed) {
        this.#note({
          ...inside,
          keyword,
          reason: `a schema is an object or true or false, got ${shorten(value)}`,
          malformed: true,
        });
        entries.push([name, true]);
        continue;
      }
      const pattern = keyword === "patternProperties" ? readPattern(name) : null;
      if (pattern !== null && "reason" in pattern && !(pattern.broken && this.keepMalformed)) {
        this.#note({ ...inside, keyword, reason: pattern.reason, malformed: pattern.broken });
        kept.set(UNREAD_NAMES, true);
        continue;
      }
      entries.push([name, isSchema ? this.#read(value, inside) : value]);
    }
    return Object.fromEntries(entries);
  }

  /** @param {string} keyword @param {unknown[]} list @param {At} at @param {Map<string, unknown>} kept */
  #readList(keyword, list, at, kept) {
    if (!this.keepMalformed && !list.every((item) => isObject(item) || typeof item === "boolean")) {
      this.#drop(keyword, at, "each of its entries must be a schema", true);
      return;
    }
    const before = this.losses;
    const read = list.map((item, index) => this.#read(item, below(at, keyword, index)));
    // Of branches that accept more, several may match instead of one.
    if (keyword === "oneOf" && this.losses > before) {
      kept.set("allOf", [...asList(kept.get("allOf")), { anyOf: read }]);
    } else if (keyword === "allOf") kept.set(keyword, [...asList(kept.get(keyword)), ...read]);
    else kept.set(keyword, read);
  }

  /**
   * Removes keywords that would refuse more because a keyword beside them was dropped.
   * @param {Map<string, unknown>} kept
   * @param {At} at
   */
  #dropDependents(kept, at) {
    const reason = "a keyword that it depends on cannot be checked";
    const unread = kept.delete(UNREAD_NAMES);
    for (const keyword of ["unevaluatedProperties", "unevaluatedItems", "maxContains"]) {
      if (kept.delete(keyword)) this.#drop(keyword, at, reason, false);
    }
    if (unread && kept.delete("additionalProperties")) this.#drop("additionalProperties", at, reason, false);
    if (!kept.has("if")) {
      kept.delete("then");
      kept.delete("else");
    }
  }

  /** @param {string} keyword @param {At} at @param {string} reason @param {boolean} malformed */
  #drop(keyword, at, reason, malformed) {
    this.#note({ pointer: `${at.pointer}/${escapeSegment(keyword)}`, path: at.path, keyword, reason, malformed });
  }

  /** @param {{ pointer: string, path: string, keyword: string, reason: string, malformed: boolean }} note */
  #note({ pointer, path, keyword, reason, malformed }) {
    this.losses += 1;
    if (this.#notes.length >= MAX_NOTES) return;
    const place = path === "" ? "the arguments" : `\`${shortPath(path)}\``;
    const what = NAMED_SCHEMAS.has(keyword) && !pointer.endsWith(`/${keyword}`) ? "The schema" : `\`${keyword}\``;
    const message = `${what} of ${place} is not checked: ${reason}`;
    this.#notes.push({ pointer, keyword, message, reason, malformed });
  }
}

/** Marks that a pattern of `patternProperties` could not be read. */
const UNREAD_NAMES = "\u0000unread-names";

/** @param {At} at @param {string} keyword @param {number} [index] */
function below(at, keyword, index) {
  const pointer = `${at.pointer}/${escapeSegment(keyword)}${index === undefined ? "" : `/${index}`}`;
  const element = keyword === "items" || keyword === "prefixItems" || keyword === "contains";
  return { ...at, pointer, path: element ? `${at.path}[${index ?? ""}]` : at.path };
}

/** @param {string} path @param {string} keyword @param {string} name */
function namedPath(path, keyword, name) {
  if (keyword === "properties") return path === "" ? name : `${path}.${name}`;
  if (keyword === "patternProperties") return path === "" ? "*" : `${path}.*`;
  return keyword === "$defs" || keyword === "definitions" ? `${keyword}.${name}` : path;
}

/** @param {string} segment */
function escapeSegment(segment) {
  return segment.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** @param {string} path */
function shortPath(path) {
  return path.length > MAX_SHOWN ? `…${path.slice(-MAX_SHOWN)}` : path;
}

/** @param {unknown} value @returns {unknown[]} */
function asList(value) {
  return Array.isArray(value) ? value : [];
}

/** @param {unknown} value */
function shorten(value) {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
