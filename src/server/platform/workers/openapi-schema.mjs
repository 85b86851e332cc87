// Plain JavaScript: a worker thread loads this file directly.
/** @typedef {Record<string, unknown>} Schema */
/** A schema that is being made: characters left, what it refers to, and what could not be resolved.
 * @typedef {{ left: number, refs: Set<string>, cut: boolean, unresolved: Set<string> }} Draft */

/** The size of the schema that one `$ref` leads to. */
const MAX_PART_CHARS = 32_768;
const MAX_DEPTH = 60;
const MAX_TEXT_CHARS = 400;
const MAX_EXAMPLE_CHARS = 200;
/** Replaces a part beyond the limit; accepts everything. */
const LEFT_OUT = { description: "Left out: the schema is too large" };

/** Before a reference to a file that was not read. */
export const UNRESOLVED = "#unresolved:";

/** Keywords that are copied where their value has the type. */
const PLAIN = new Map([
  ...["title", "description", "format", "pattern", "contentEncoding", "contentMediaType"].map((key) => [key, "string"]),
  ...["multipleOf", "maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum", "maxLength", "minLength"].map(
    (key) => [key, "number"],
  ),
  ...["maxItems", "minItems", "maxProperties", "minProperties", "maxContains", "minContains"].map((key) => [
    key,
    "number",
  ]),
  ...["uniqueItems", "readOnly", "writeOnly", "deprecated"].map((key) => [key, "boolean"]),
]);
const ONE = ["not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties"];
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const NAMED = ["properties", "patternProperties", "dependentSchemas"];
const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

/** @param {unknown} object @param {string} key @returns {unknown} */
export function own(object, key) {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Reads the schemas of one document as JSON Schema 2020-12, whose `$ref`s lead to `$defs`. */
export class SchemaReader {
  #document;
  #older;
  /** By pointer. @type {Map<string, string>} */
  #names = new Map();
  #taken = new Set();
  /** By pointer: what many operations share is read once. @type {Map<string, { schema: Schema | boolean, chars: number, draft: Draft }>} */
  #parts = new Map();

  /** @param {Schema} document @param {boolean} older OpenAPI 3.0, whose schemas are not JSON Schema */
  constructor(document, older) {
    this.#document = document;
    this.#older = older;
  }

  /** Follows references of parameters, bodies and responses; `draft` records those that cannot be resolved. @param {unknown} value @param {Draft} [draft] @returns {unknown} */
  resolve(value, draft) {
    let current = value;
    for (let step = 0; step < 20; step += 1) {
      const ref = own(current, "$ref");
      if (typeof ref !== "string") return current;
      current = this.#find(ref);
      if (current === undefined) break;
    }
    const ref = own(value, "$ref");
    if (typeof ref === "string") draft?.unresolved.add(ref.replace(UNRESOLVED, ""));
    return undefined;
  }

  /** @param {number} maxChars @returns {Draft} */
  begin(maxChars) {
    return { left: maxChars, refs: new Set(), cut: false, unresolved: new Set() };
  }

  /** One schema as it stands. @param {unknown} schema @param {Draft} draft @returns {Schema | boolean} */
  read(schema, draft, depth = 0) {
    if (typeof schema === "boolean") return schema;
    if (!isObject(schema)) return {};
    if (draft.left <= 0 || depth > MAX_DEPTH) {
      draft.cut = true;
      return LEFT_OUT;
    }
    /** @type {Map<string, unknown>} */
    const kept = new Map();
    const ref = own(schema, "$ref");
    if (typeof ref === "string") {
      const name = this.#refer(ref, draft);
      if (name === null) return { description: `Unresolved reference ${ref.slice(0, 200)}` };
      const reference = { $ref: `#/$defs/${name}` };
      draft.left -= name.length + 20;
      if (this.#older) return isNullable(schema) ? { anyOf: [reference, { type: "null" }] } : reference;
      kept.set("$ref", reference.$ref);
    }
    this.#keepPlain(schema, kept, draft);
    this.#keepParts(schema, kept, draft, depth);
    return this.#older && isNullable(schema) ? nullable(kept) : Object.fromEntries(kept);
  }

  /**
   * The `$defs` of everything that the draft refers to, nearest first, until the draft's characters are used up.
   * @param {Draft} draft @returns {{ $defs?: Schema }}
   */
  definitions(draft) {
    /** @type {Map<string, unknown>} */
    const defs = new Map();
    for (const pointer of draft.refs) {
      const part = this.#part(pointer);
      const name = /** @type {string} */ (this.#names.get(pointer));
      for (const ref of part.draft.unresolved) draft.unresolved.add(ref);
      if (part.chars > draft.left) {
        draft.cut = true;
        defs.set(name, LEFT_OUT);
        continue;
      }
      draft.left -= part.chars;
      draft.cut ||= part.draft.cut;
      defs.set(name, part.schema);
      // A set may grow while it is walked.
      for (const next of part.draft.refs) draft.refs.add(next);
    }
    return defs.size === 0 ? {} : { $defs: Object.fromEntries(defs) };
  }

  /** Returns the schema with its `$ref`s replaced, as one would write it in place. @param {unknown} schema @returns {unknown} */
  inlined(schema) {
    return this.#older || Object.keys(/** @type {object} */ (schema ?? {})).length === 1
      ? this.resolve(schema)
      : schema;
  }

  /** @param {Schema} schema @param {Map<string, unknown>} kept @param {Draft} draft */
  #keepPlain(schema, kept, draft) {
    for (const [key, value] of Object.entries(schema)) {
      if (PLAIN.get(key) === typeof value) {
        const text = typeof value === "string" && key !== "pattern" ? value.slice(0, MAX_TEXT_CHARS) : value;
        kept.set(key, text);
        draft.left -= key.length + String(text).length + 6;
      }
    }
    if (this.#older) {
      for (const [flag, limit] of [
        ["exclusiveMinimum", "minimum"],
        ["exclusiveMaximum", "maximum"],
      ]) {
        const bound = kept.get(limit);
        if (own(schema, flag) !== true || bound === undefined) continue;
        kept.delete(limit);
        kept.set(flag, bound);
      }
    }
    const types = [own(schema, "type")].flat().filter((type) => typeof type === "string" && TYPES.has(type));
    if (types.length > 0) kept.set("type", types.length === 1 ? types[0] : types);
    for (const key of ["enum", "const", "default"]) {
      const value = own(schema, key);
      if (value === undefined || (key === "enum" && (!Array.isArray(value) || value.length === 0))) continue;
      const chars = JSON.stringify(value)?.length ?? 0;
      if (chars > draft.left) draft.cut = true;
      else kept.set(key, value);
      draft.left -= Math.min(chars, draft.left);
    }
    const example = own(schema, "example") ?? [own(schema, "examples")].flat()[0];
    const chars = example === undefined ? 0 : (JSON.stringify(example)?.length ?? 0);
    if (chars > 0 && chars <= MAX_EXAMPLE_CHARS && typeof example !== "object") kept.set("examples", [example]);
    draft.left -= 10;
  }

  /** @param {Schema} schema @param {Map<string, unknown>} kept @param {Draft} draft @param {number} depth */
  #keepParts(schema, kept, draft, depth) {
    const required = own(schema, "required");
    const names = Array.isArray(required) ? [...new Set(required.filter((name) => typeof name === "string"))] : [];
    if (names.length > 0) kept.set("required", names);
    for (const key of NAMED) {
      const named = own(schema, key);
      if (!isObject(named)) continue;
      const entries = Object.entries(named).filter(([name]) => name !== "__proto__");
      kept.set(key, Object.fromEntries(entries.map(([name, part]) => [name, this.#named(name, part, draft, depth)])));
    }
    for (const key of LISTS) {
      const list = own(schema, key);
      if (Array.isArray(list) && list.length > 0)
        kept.set(
          key,
          list.map((part) => this.read(part, draft, depth + 1)),
        );
    }
    for (const key of ONE) {
      const part = own(schema, key);
      if (isObject(part) || typeof part === "boolean") kept.set(key, this.read(part, draft, depth + 1));
    }
    const additional = own(schema, "additionalProperties");
    if (isObject(additional) || additional === false) {
      kept.set("additionalProperties", this.read(additional, draft, depth + 1));
    }
    const items = own(schema, "items");
    if (Array.isArray(items))
      kept.set(
        "prefixItems",
        items.map((part) => this.read(part, draft, depth + 1)),
      );
    else if (isObject(items)) kept.set("items", this.read(items, draft, depth + 1));
  }

  /** @param {string} name @param {unknown} part @param {Draft} draft @param {number} depth */
  #named(name, part, draft, depth) {
    draft.left -= name.length + 6;
    return this.read(part, draft, depth + 1);
  }

  /** The name in `$defs` of what a reference leads to; null where it leads nowhere. @param {string} ref @param {Draft} draft */
  #refer(ref, draft) {
    if (this.#find(ref) === undefined) {
      draft.unresolved.add(ref.startsWith(UNRESOLVED) ? ref.slice(UNRESOLVED.length) : ref);
      return null;
    }
    draft.refs.add(ref);
    let name = this.#names.get(ref);
    if (name !== undefined) return name;
    const last = splitPointer(ref).at(-1) ?? "document";
    const plain = last.replace(/[^A-Za-z0-9._-]/g, "_").slice(0, 80) || "schema";
    name = plain;
    for (let number = 2; this.#taken.has(name); number += 1) name = `${plain}_${number}`;
    this.#taken.add(name);
    this.#names.set(ref, name);
    return name;
  }

  /** @param {string} pointer */
  #part(pointer) {
    let part = this.#parts.get(pointer);
    if (part === undefined) {
      const draft = this.begin(MAX_PART_CHARS);
      const schema = this.read(this.#find(pointer), draft);
      part = { schema, draft, chars: JSON.stringify(schema).length };
      this.#parts.set(pointer, part);
    }
    return part;
  }

  /** @param {string} ref @returns {unknown} */
  #find(ref) {
    if (ref !== "#" && !ref.startsWith("#/")) return undefined;
    /** @type {unknown} */
    let current = this.#document;
    for (const token of splitPointer(ref)) {
      if (Array.isArray(current) && /^\d+$/.test(token)) current = current[Number(token)];
      else current = own(current, token);
    }
    return current;
  }
}

/** @param {string} ref */
function splitPointer(ref) {
  return ref
    .slice(2)
    .split("/")
    .filter((token, _, { length }) => length > 1 || token !== "")
    .map((token) => decode(token).replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** @param {string} token */
function decode(token) {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

/** @param {Schema} schema */
function isNullable(schema) {
  return own(schema, "nullable") === true || own(schema, "x-nullable") === true;
}

/** `nullable` of OpenAPI 3.0. @param {Map<string, unknown>} kept @returns {Schema} */
function nullable(kept) {
  const type = kept.get("type");
  const values = kept.get("enum");
  if (typeof type !== "string" || kept.has("allOf") || kept.has("anyOf") || kept.has("oneOf")) {
    return kept.size === 0 ? {} : { anyOf: [Object.fromEntries(kept), { type: "null" }] };
  }
  kept.set("type", [type, "null"]);
  if (Array.isArray(values) && !values.includes(null)) kept.set("enum", [...values, null]);
  return Object.fromEntries(kept);
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
