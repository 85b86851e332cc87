import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import {
  DATA_KEYWORDS,
  findKeywordProblem,
  getHolding,
  listTypes,
  ONE_SCHEMA,
  SCHEMA_LISTS,
  SCHEMA_MAPS,
  typeKeyword,
  VOCABULARY,
} from "../../../lib/schema/keywords";
import { toNewestWords } from "../../../lib/schema/newest-words";
import { followPointer, ownKeyword, parseFragment, type SchemaNode } from "../../../lib/schema/resolve-ref";

/** A schema while it is being built. */
export interface Draft {
  /** The number of characters that are left. */
  left: number;
  /** The targets of its references, as pointers into the document. */
  refs: Set<string>;
  cut: boolean;
  /** References that could not be resolved. */
  unresolved: Set<string>;
}

/** The size of the schema that one `$ref` leads to. */
const MAX_PART_CHARS = 32_768;
const MAX_DEPTH = 60;
const MAX_TEXT_CHARS = 400;
const MAX_EXAMPLE_CHARS = 200;
/** The limit of references from parameters, bodies and responses to one another. */
const MAX_REF_HOPS = 20;
/** Replaces a part beyond the limit; accepts everything. */
const LEFT_OUT = { description: "Left out: the schema is too large" };

/** The prefix of a reference to a file that was not read. */
export const UNRESOLVED = "#unresolved:";

const HOLDING = [...SCHEMA_MAPS, ...SCHEMA_LISTS, ...ONE_SCHEMA].filter((keyword) => VOCABULARY.has(keyword));
const PLAIN = [...VOCABULARY].filter(
  (keyword) => !HOLDING.includes(keyword) && keyword !== "type" && keyword !== "examples",
);
/** Keywords whose value `true` says nothing. */
const OPEN: ReadonlySet<string> = new Set(["items", "additionalProperties"]);

/** Reads the schemas of one document as JSON Schema 2020-12, whose `$ref`s lead to `$defs`. */
export class SchemaReader {
  readonly #document: JsonSchema;
  /** OpenAPI 3.0, whose schemas are not JSON Schema. */
  readonly #isOlder: boolean;
  /** Names by pointer. */
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** Parts by pointer: a part that many operations share is read once. */
  readonly #parts = new Map<string, { schema: SchemaNode; chars: number; draft: Draft }>();

  constructor(document: JsonSchema, isOlder: boolean) {
    this.#document = document;
    this.#isOlder = isOlder;
  }

  /** Follows references of parameters, bodies and responses; `draft` records those that cannot be resolved. */
  resolve(value: unknown, draft?: Draft): unknown {
    let current = value;
    for (let hop = 0; hop < MAX_REF_HOPS && current !== null; hop += 1) {
      const ref = ownKeyword(current, "$ref");
      if (typeof ref !== "string") return current;
      current = this.#find(ref);
    }
    const ref = ownKeyword(value, "$ref");
    if (typeof ref === "string") draft?.unresolved.add(ref.replace(UNRESOLVED, ""));
    return undefined;
  }

  begin(maxChars: number): Draft {
    return { left: maxChars, refs: new Set(), cut: false, unresolved: new Set() };
  }

  /** Reads one schema. */
  read(schema: unknown, draft: Draft, depth = 0): SchemaNode {
    if (typeof schema === "boolean") return schema;
    if (!isPlainObject(schema)) return {};
    if (draft.left <= 0 || depth > MAX_DEPTH) {
      draft.cut = true;
      return LEFT_OUT;
    }
    const kept = new Map<string, unknown>();
    const ref = ownKeyword(schema, "$ref");
    if (typeof ref === "string") {
      const name = this.#refer(ref, draft);
      if (name === null) return { description: `Unresolved reference ${ref.slice(0, 200)}` };
      const reference = { $ref: `#/$defs/${name}` };
      draft.left -= name.length + 20;
      if (this.#isOlder) return isNullable(schema) ? { anyOf: [reference, { type: "null" }] } : reference;
      kept.set("$ref", reference.$ref);
    }
    const words = toNewestWords(schema);
    keepPlain(words, kept, draft);
    for (const keyword of HOLDING) {
      const read = this.#readParts(keyword, ownKeyword(words, keyword), draft, depth + 1);
      if (read !== undefined) kept.set(keyword, read);
    }
    return this.#isOlder && isNullable(schema) ? toNullable(kept) : Object.fromEntries(kept);
  }

  /** The `$defs` of everything that the draft refers to, nearest first, until the draft's characters are used up. */
  definitions(draft: Draft): { $defs?: JsonSchema } {
    const defs = new Map<string, unknown>();
    for (const pointer of draft.refs) {
      const part = this.#part(pointer);
      const name = this.#names.get(pointer) ?? "";
      for (const ref of part.draft.unresolved) draft.unresolved.add(ref);
      if (part.chars > draft.left) {
        draft.cut = true;
        defs.set(name, LEFT_OUT);
        continue;
      }
      draft.left -= part.chars;
      draft.cut ||= part.draft.cut;
      defs.set(name, part.schema);
      // The set may grow during the walk.
      for (const next of part.draft.refs) draft.refs.add(next);
    }
    return defs.size === 0 ? {} : { $defs: Object.fromEntries(defs) };
  }

  /** Returns the schema with its `$ref`s replaced, as one would write it in place. */
  inlined(schema: unknown): unknown {
    return this.#isOlder || Object.keys(schema ?? {}).length === 1 ? this.resolve(schema) : schema;
  }

  #readParts(keyword: string, value: unknown, draft: Draft, depth: number): unknown {
    switch (getHolding(keyword, value)) {
      case "map": {
        const entries = Object.entries(value as JsonSchema).filter(([name]) => name !== "__proto__");
        return Object.fromEntries(
          entries.map(([name, part]) => {
            draft.left -= name.length + 6;
            return [name, this.read(part, draft, depth)];
          }),
        );
      }
      case "list":
        return (value as unknown[]).length === 0
          ? undefined
          : (value as unknown[]).map((part) => this.read(part, draft, depth));
      case "schema":
        return value === true && OPEN.has(keyword) ? undefined : this.read(value, draft, depth);
      default:
        return undefined;
    }
  }

  /** The name in `$defs` of a reference's target; null where it has none. */
  #refer(ref: string, draft: Draft): string | null {
    if (this.#find(ref) === null) {
      draft.unresolved.add(ref.startsWith(UNRESOLVED) ? ref.slice(UNRESOLVED.length) : ref);
      return null;
    }
    draft.refs.add(ref);
    const known = this.#names.get(ref);
    if (known !== undefined) return known;
    const last = parseFragment(ref.slice(1)).at(-1) ?? "document";
    const plain = last.replace(/[^A-Za-z0-9._-]/g, "_").slice(0, 80) || "schema";
    let name = plain;
    for (let number = 2; this.#taken.has(name); number += 1) name = `${plain}_${number}`;
    this.#taken.add(name);
    this.#names.set(ref, name);
    return name;
  }

  #part(pointer: string) {
    let part = this.#parts.get(pointer);
    if (part === undefined) {
      const draft = this.begin(MAX_PART_CHARS);
      const schema = this.read(this.#find(pointer), draft);
      part = { schema, draft, chars: JSON.stringify(schema).length };
      this.#parts.set(pointer, part);
    }
    return part;
  }

  #find(ref: string): SchemaNode | null {
    return ref === "#" || ref.startsWith("#/") ? followPointer(this.#document, ref.slice(1)) : null;
  }
}

/** The keywords without schemas; values of a wrong shape are left out. */
function keepPlain(schema: JsonSchema, kept: Map<string, unknown>, draft: Draft): void {
  const types = listTypes(schema);
  if (types.length > 0) kept.set("type", typeKeyword(types).type);
  for (const keyword of PLAIN) {
    if (!Object.hasOwn(schema, keyword) || findKeywordProblem(keyword, schema[keyword]) !== null) continue;
    const value = keyword === "required" ? [...new Set(schema.required as string[])] : schema[keyword];
    if (Array.isArray(value) && value.length === 0) continue;
    if (DATA_KEYWORDS.has(keyword) && keyword !== "required") {
      const chars = JSON.stringify(value).length;
      if (chars > draft.left) draft.cut = true;
      else kept.set(keyword, value);
      draft.left -= Math.min(chars, draft.left);
      continue;
    }
    const text = typeof value === "string" && keyword !== "pattern" ? value.slice(0, MAX_TEXT_CHARS) : value;
    kept.set(keyword, text);
    if (keyword !== "required") draft.left -= keyword.length + String(text).length + 6;
  }
  const example = ownKeyword(schema, "example") ?? [ownKeyword(schema, "examples")].flat()[0];
  const isPlain = typeof example !== "object" && example !== undefined;
  if (isPlain && JSON.stringify(example).length <= MAX_EXAMPLE_CHARS) kept.set("examples", [example]);
  draft.left -= 10;
}

function isNullable(schema: JsonSchema): boolean {
  return ownKeyword(schema, "nullable") === true || ownKeyword(schema, "x-nullable") === true;
}

/** Converts `nullable` of OpenAPI 3.0. */
function toNullable(kept: Map<string, unknown>): JsonSchema {
  const type = kept.get("type");
  const values = kept.get("enum");
  if (typeof type !== "string" || kept.has("allOf") || kept.has("anyOf") || kept.has("oneOf")) {
    return kept.size === 0 ? {} : { anyOf: [Object.fromEntries(kept), { type: "null" }] };
  }
  kept.set("type", [type, "null"]);
  if (Array.isArray(values) && !values.includes(null)) kept.set("enum", [...values, null]);
  return Object.fromEntries(kept);
}
