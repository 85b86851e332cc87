import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import type { Dialect } from "../../../lib/schema/dialect";
import { mapSchemas, someSchema } from "../../../lib/schema/walk-schemas";
import { SchemaReferences } from "./schema-references";

const CLOSERS = new Set(["additionalProperties", "unevaluatedProperties"]);
/** Under these keywords, opening a schema would close another part. */
const INVERTING = new Set(["not", "if"]);
/** References whose target depends on how the schema that holds them is reached. */
const DYNAMIC = ["$dynamicRef", "$recursiveRef"];
const IDENTIFIERS = ["$id", "$anchor", "$dynamicAnchor"];
/** Read from the whole document, or no keyword in these dialects although ajv stumbles over it. */
const DROPPED = new Set(["$schema", "$async", "id"]);
/** Where the opened document keeps a copy of the original, for references under `not` and `if`. */
const AS_WRITTEN = "x-as-written";

/**
 * A copy without the keywords that refuse undefined parameters, except under `not` and `if`, where they allow values.
 * Accepts every value that the schema accepts.
 */
export function openSchema(root: JsonSchema, dialect: Dialect): JsonSchema {
  return new SchemaOpener(root, dialect).open();
}

/** A copy that refuses what the schema refuses, without the keywords that the compiler reads from another source. */
export function closedSchema(root: JsonSchema): JsonSchema {
  return copyAsWritten(root, false) as JsonSchema;
}

class SchemaOpener {
  #needsOriginal = false;
  readonly root: JsonSchema;
  /** Null where no part is closed, which makes all questions about it cheap. */
  readonly references: SchemaReferences | null;
  readonly hasIdentifiers: boolean;

  constructor(root: JsonSchema, dialect: Dialect) {
    this.root = root;
    this.references = someSchema(root, isCloser) ? new SchemaReferences(root, dialect) : null;
    this.hasIdentifiers = this.references !== null && someSchema(root, isIdentified);
  }

  open() {
    const opened = this.#open(this.root) as JsonSchema;
    return this.#needsOriginal ? { ...opened, [AS_WRITTEN]: copyAsWritten(this.root, true) } : opened;
  }

  #open(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.#open(item));
    if (!isPlainObject(schema)) return schema;
    const kept: Map<string, unknown> = new Map();
    for (const [keyword, value] of Object.entries(schema)) {
      if ((CLOSERS.has(keyword) && value === false) || isDropped(schema, keyword)) continue;
      if (INVERTING.has(keyword)) this.#keepInverted(keyword, value, kept);
      else if (keyword === "oneOf" && this.#closes(value)) this.#keepOverlapping(schema, value, kept);
      else if (keyword === "maxContains" && this.#closes(schema.contains)) continue;
      else if (keyword === "allOf" && kept.has("allOf")) {
        kept.set("allOf", [...asList(this.#open(value)), ...asList(kept.get("allOf"))]);
      } else
        kept.set(
          keyword,
          mapSchemas(keyword, value, (item) => this.#open(item)),
        );
    }
    return Object.fromEntries(kept);
  }

  /**
   * Closed branches of a `oneOf` tell each other apart by what they refuse. Without that several may match, so such a
   * `oneOf` is read as `anyOf`.
   */
  #keepOverlapping(schema: JsonSchema, branches: unknown, kept: Map<string, unknown>) {
    const anyOf = this.#open(branches);
    if (Object.hasOwn(schema, "anyOf")) kept.set("allOf", [...asList(kept.get("allOf")), { anyOf }]);
    else kept.set("anyOf", anyOf);
  }

  /**
   * Keeps a `not` or an `if` as it is written, with what it refers to. In a document with identifiers that would need a
   * second one of each, so there it is left out.
   */
  #keepInverted(keyword: string, value: unknown, kept: Map<string, unknown>) {
    const seen = new Set();
    const redirects = someSchema(value, (node) => this.#closesThroughReference(node, seen));
    if (redirects && this.hasIdentifiers) return;
    if (redirects) this.#needsOriginal = true;
    kept.set(keyword, copyAsWritten(value, redirects));
  }

  /** True when some part of a schema, references followed, refuses undefined parameters. */
  #closes(schema: unknown, seen = new Set()) {
    if (this.references === null) return false;
    return someSchema(schema, (node) => isCloser(node) || this.#closesThroughReference(node, seen));
  }

  #closesThroughReference(node: JsonSchema, seen: Set<unknown>): boolean {
    if (this.references === null) return false;
    if (DYNAMIC.some((keyword) => typeof node[keyword] === "string")) return true;
    if (typeof node.$ref !== "string") return false;
    const target = this.references.resolve(node.$ref, node);
    if (seen.has(target)) return false;
    seen.add(target);
    return this.#closes(target, seen);
  }
}

/**
 * @param redirects whether references lead to the copy of the original
 */
function copyAsWritten(schema: unknown, redirects: boolean): unknown {
  if (Array.isArray(schema)) return schema.map((item) => copyAsWritten(item, redirects));
  if (!isPlainObject(schema)) return schema;
  const kept: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (isDropped(schema, keyword)) continue;
    if (redirects && keyword === "$ref" && typeof value === "string" && value.startsWith("#")) {
      kept.push([keyword, `#/${AS_WRITTEN}${value.slice(1)}`]);
    } else kept.push([keyword, mapSchemas(keyword, value, (item) => copyAsWritten(item, redirects))]);
  }
  return Object.fromEntries(kept);
}

function isDropped(schema: JsonSchema, keyword: string) {
  if (keyword === "nullable") return !Object.hasOwn(schema, "type");
  return DROPPED.has(keyword) && typeof schema[keyword] !== "object";
}

const isCloser = (node: JsonSchema) => [...CLOSERS].some((keyword) => node[keyword] === false);

function isIdentified(node: JsonSchema) {
  return IDENTIFIERS.some((keyword) => typeof node[keyword] === "string");
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
