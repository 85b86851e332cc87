import formats from "ajv-formats/dist/formats.js";
import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import { escapeToken } from "../../../lib/json/json-pointer";
import { DEFAULT_DIALECT, type Dialect, declaredDialect } from "../../../lib/schema/dialect";
import { NO_ADDRESS } from "../../../lib/schema/document-index";
import { ANNOTATIONS, findKeywordProblem, getHolding, SCHEMA_MAPS } from "../../../lib/schema/keywords";
import { withNumericBounds, withPrefixItems } from "../../../lib/schema/newest-words";
import { readPattern } from "./schema-patterns";
import { SchemaReferences } from "./schema-references";

/** `malformed` keywords break the dialect's own rules; the others are only unknown here. */
interface Note {
  pointer: string;
  keyword: string;
  message: string;
  reason: string;
  malformed: boolean;
}

interface At {
  pointer: string;
  path: string;
  /** The address around the schema. */
  base: string;
  /** The schema that holds the keyword, unchanged. */
  node: JsonSchema;
}

const FORMATS = new Set(Object.keys(formats.fullFormats));
/** Further keywords are dropped without a note. */
const MAX_NOTES = 50;
const MAX_SHOWN = 80;

/**
 * A copy of a schema without the keywords that cannot be checked, and a note for each of them. Draft-04 and the array
 * form of `items` are translated without a change of meaning. Dropping keywords only makes the copy accept more.
 * `keepMalformed` keeps keywords of a wrong type, for a compiler that refuses them.
 */
export function readSchema(
  schema: JsonSchema,
  { keepMalformed = false }: { keepMalformed?: boolean } = {},
): { schema: JsonSchema; dialect: Dialect; notes: Note[] } {
  const first = new SchemaReader(schema, keepMalformed, false);
  const read = first.readRoot();
  if (first.losses === 0 || !first.sawReference) return read;
  // A reference's target may accept more than written; it is dropped where that would make the whole refuse more.
  return new SchemaReader(schema, keepMalformed, true).readRoot();
}

class SchemaReader {
  /** The number of dropped keywords. */
  losses = 0;
  sawReference = false;
  readonly isDraft04: boolean;
  readonly dialect: Dialect;
  readonly unknownDialect: unknown;
  readonly root: JsonSchema;
  readonly references: SchemaReferences;
  #notes: Note[] = [];

  constructor(
    root: JsonSchema,
    readonly keepMalformed: boolean,
    readonly doubtReferences: boolean,
  ) {
    const dialect = declaredDialect(root);
    this.isDraft04 = dialect === "draft-04";
    this.dialect = this.isDraft04 ? "draft-07" : (dialect ?? DEFAULT_DIALECT);
    this.unknownDialect = dialect === null ? root.$schema : undefined;
    this.root = this.isDraft04 ? (renameIds(root) as JsonSchema) : root;
    this.references = new SchemaReferences(this.root, this.dialect);
  }

  readRoot() {
    if (this.unknownDialect !== undefined) {
      const reason = `${shorten(this.unknownDialect)} is not a supported dialect; the schema is read as ${DEFAULT_DIALECT}`;
      const message = `\`$schema\`: ${reason}`;
      this.#notes.push({ pointer: "/$schema", keyword: "$schema", message, reason, malformed: false });
    }
    const schema = this.#readObject(this.root, { pointer: "", path: "", base: NO_ADDRESS, node: this.root });
    return { schema, dialect: this.dialect, notes: this.#notes };
  }

  #read(node: unknown, at: At): unknown {
    return isPlainObject(node) ? this.#readObject(node, at) : node;
  }

  #readObject(node: JsonSchema, at: At): JsonSchema {
    const before = this.losses;
    const source = translateNode(this.#withOwnName(node, at), this);
    const inside = { ...at, base: this.references.getBase(node), node };
    const kept: Map<string, unknown> = new Map();
    for (const [keyword, value] of Object.entries(source)) {
      if (ANNOTATIONS.has(keyword) && !this.keepMalformed && !this.references.leadInto(keyword)) continue;
      const problem = ANNOTATIONS.has(keyword) ? null : findKeywordProblem(keyword, value);
      if (problem === null) this.#readKeyword(keyword, value, inside, kept);
      else if (this.keepMalformed) kept.set(keyword, value);
      else this.#drop(keyword, inside, `it ${problem}, got ${shorten(value)}`, true);
    }
    if (this.losses > before) this.#dropDependents(kept, inside);
    return Object.fromEntries(kept);
  }

  /** Removes an address or anchor that another schema has. */
  #withOwnName(node: JsonSchema, at: At): JsonSchema {
    if (this.keepMalformed) return node;
    let source = node;
    for (const keyword of ["$id", "$anchor", "$dynamicAnchor"]) {
      const first =
        typeof node[keyword] === "string" ? this.references.findNamesake(node, keyword, at.base) : undefined;
      if (first === undefined) continue;
      const { [keyword]: value, ...rest } = source;
      source = rest;
      if (JSON.stringify(first) === JSON.stringify(node)) continue;
      this.#drop(keyword, at, `another schema is called ${shorten(value)} too`, true);
    }
    return source;
  }

  #readKeyword(keyword: string, value: unknown, at: At, kept: Map<string, unknown>) {
    const inside = below(at, keyword);
    const holding = getHolding(keyword, value);
    if (keyword === "$ref" || keyword === "$dynamicRef") this.#readReference(keyword, String(value), at, kept);
    else if (keyword === "pattern") {
      const read = readPattern(String(value));
      if ("regExp" in read || (read.broken && this.keepMalformed)) kept.set(keyword, value);
      else this.#drop(keyword, at, read.reason, read.broken);
    } else if (keyword === "format") {
      if (FORMATS.has(String(value))) kept.set(keyword, value);
      else this.#drop(keyword, at, `${shorten(value)} is an unknown format`, false);
    } else if (keyword === "required") kept.set(keyword, [...new Set(value as string[])]);
    else if (keyword === "type" && Array.isArray(value)) kept.set(keyword, [...new Set(value)]);
    else if (holding === "map") kept.set(keyword, this.#readNamed(keyword, value as JsonSchema, at, kept));
    else if (holding === "list") this.#readList(keyword, value as unknown[], at, kept);
    else if (keyword === "not" || keyword === "if") {
      const before = this.losses;
      const read = this.#read(value, inside);
      if (this.losses === before) kept.set(keyword, read);
      else this.#drop(keyword, at, "a part of it cannot be checked", false);
    } else if (holding === "schema") kept.set(keyword, this.#read(value, inside));
    else kept.set(keyword, value);
  }

  #readReference(keyword: string, reference: string, at: At, kept: Map<string, unknown>) {
    const problem = this.keepMalformed ? null : this.references.findProblem(reference, at.node);
    if (problem !== null) {
      this.#drop(keyword, at, problem, true);
      return;
    }
    this.sawReference = true;
    if (this.doubtReferences) this.losses += 1;
    kept.set(keyword, reference);
  }

  #readNamed(keyword: string, named: JsonSchema, at: At, kept: Map<string, unknown>) {
    const entries: [string, unknown][] = [];
    for (const [name, value] of Object.entries(named)) {
      const inside = {
        ...at,
        pointer: `${at.pointer}/${keyword}/${escapeToken(name)}`,
        path: namedPath(at.path, keyword, name),
      };
      const isSchema = isPlainObject(value) || typeof value === "boolean";
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

  #readList(keyword: string, list: unknown[], at: At, kept: Map<string, unknown>) {
    if (!this.keepMalformed && !list.every((item) => isPlainObject(item) || typeof item === "boolean")) {
      this.#drop(keyword, at, "each of its entries must be a schema", true);
      return;
    }
    const before = this.losses;
    const read = list.map((item, index) => this.#read(item, below(at, keyword, index)));
    // Several branches that accept more may match instead of one.
    if (keyword === "oneOf" && this.losses > before) {
      kept.set("allOf", [...asList(kept.get("allOf")), { anyOf: read }]);
    } else if (keyword === "allOf") kept.set(keyword, [...asList(kept.get(keyword)), ...read]);
    else kept.set(keyword, read);
  }

  /**
   * Removes keywords that would refuse more because a keyword beside them was dropped.
   */
  #dropDependents(kept: Map<string, unknown>, at: At) {
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

  #drop(keyword: string, at: At, reason: string, malformed: boolean) {
    this.#note({ pointer: `${at.pointer}/${escapeToken(keyword)}`, path: at.path, keyword, reason, malformed });
  }

  #note({
    pointer,
    path,
    keyword,
    reason,
    malformed,
  }: {
    pointer: string;
    path: string;
    keyword: string;
    reason: string;
    malformed: boolean;
  }) {
    this.losses += 1;
    if (this.#notes.length >= MAX_NOTES) return;
    const place = path === "" ? "the arguments" : `\`${shortPath(path)}\``;
    const what = SCHEMA_MAPS.has(keyword) && !pointer.endsWith(`/${keyword}`) ? "The schema" : `\`${keyword}\``;
    const message = `${what} of ${place} is not checked: ${reason}`;
    this.#notes.push({ pointer, keyword, message, reason, malformed });
  }
}

/** Marks that a pattern of `patternProperties` could not be read. */
const UNREAD_NAMES = "\u0000unread-names";

function below(at: At, keyword: string, index?: number) {
  const pointer = `${at.pointer}/${escapeToken(keyword)}${index === undefined ? "" : `/${index}`}`;
  const element = keyword === "items" || keyword === "prefixItems" || keyword === "contains";
  return { ...at, pointer, path: element ? `${at.path}[${index ?? ""}]` : at.path };
}

function namedPath(path: string, keyword: string, name: string) {
  if (keyword === "properties") return path === "" ? name : `${path}.${name}`;
  if (keyword === "patternProperties") return path === "" ? "*" : `${path}.*`;
  return keyword === "$defs" || keyword === "definitions" ? `${keyword}.${name}` : path;
}

const shortPath = (path: string) => (path.length > MAX_SHOWN ? `…${path.slice(-MAX_SHOWN)}` : path);

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function shorten(value: unknown) {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/**
 * One schema, without those inside it, in the words of the dialect that it is compiled in: draft-04, `nullable: false` and,
 * for 2020-12, the list form of `items`. The meaning stays the same.
 */
function translateNode(
  node: JsonSchema,
  { isDraft04, keepMalformed, dialect }: { isDraft04: boolean; keepMalformed: boolean; dialect: string },
): JsonSchema {
  if (isDraft04) return withNumericBounds(node);
  if (keepMalformed) return node;
  const source = withNumericBounds(node);
  // `$id` is not a keyword in draft-04, and ajv refuses it.
  delete source.id;
  if (Object.hasOwn(source, "nullable") && source.nullable !== true) delete source.nullable;
  return dialect === "2020-12" ? withPrefixItems(source) : source;
}

function renameId(node: JsonSchema): JsonSchema {
  if (!Object.hasOwn(node, "id") || isPlainObject(node.id)) return node;
  const { id, ...rest } = node;
  return typeof id === "string" ? { ...rest, $id: id } : rest;
}

function renameIds(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(renameIds);
  if (!isPlainObject(node)) return node;
  return Object.fromEntries(Object.entries(renameId(node)).map(([key, value]) => [key, renameIds(value)]));
}
