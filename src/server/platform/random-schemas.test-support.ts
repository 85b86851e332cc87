import { isPlainObject, type JsonSchema, type JsonValue } from "../../lib/contract/json";

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const NAMES = ["a", "b", "c"];
const SCALARS: JsonValue[] = [null, true, false, 0, 1, 2, 3, -1, 0.5, 2.5, "", "a", "b", "ab", "abc", "2020-01-01"];
const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];
const PATTERNS = ["^a", "b$", "^a?$"];

/** Schemas with few names and values, so that they meet, and values that hit their limits. */
export class RandomSchemas {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** Two schemas: mostly the second is the first with some edits. */
  pair(): [JsonSchema, JsonSchema] {
    const before = this.#document();
    if (this.#chance(0.25)) return [before, this.#document()];
    let after = structuredClone(before);
    for (let edits = 1 + this.#below(3); edits > 0; edits -= 1) after = this.#edit(after, 3) as JsonSchema;
    return this.#chance(0.5) ? [before, after] : [after, before];
  }

  values(count: number, ...schemas: JsonSchema[]): JsonValue[] {
    return Array.from({ length: count }, (_, at) => {
      const root = schemas[at % (schemas.length + 1)];
      return root === undefined ? this.#value(3) : this.#fitting(root, root, 4);
    });
  }

  #document(): JsonSchema {
    const schema = this.#object(3);
    schema.$defs = { one: this.#schema(2), two: this.#schema(2) };
    if (this.#chance(0.5)) schema.type ??= "object";
    return schema;
  }

  #schema(depth: number): JsonSchema | boolean {
    if (this.#chance(0.06)) return this.#chance(0.7);
    if (depth <= 0) return this.#pick<() => JsonSchema>([() => this.#leaf(), () => ({ $ref: this.#reference() })])();
    return this.#chance(0.5) ? this.#leaf() : this.#object(depth);
  }

  #reference(): string {
    return this.#pick(["#", "#/$defs/one", "#/$defs/two", "#/$defs/two"]);
  }

  #leaf(): JsonSchema {
    const schema: JsonSchema = {};
    for (let count = 1 + this.#below(3); count > 0; count -= 1) this.#addLimit(schema);
    return schema;
  }

  #addLimit(schema: JsonSchema): void {
    const keyword = this.#pick([
      "type",
      "type",
      "type",
      "enum",
      "enum",
      "const",
      "minimum",
      "maximum",
      "exclusiveMinimum",
      "minLength",
      "exclusiveMaximum",
      "maxLength",
      "multipleOf",
      "pattern",
      "format",
      "description",
      "nullable",
    ]);
    if (keyword === "type") schema.type = this.#chance(0.3) ? this.#some(TYPES) : this.#pick(TYPES);
    else if (keyword === "enum") schema.enum = this.#some(SCALARS);
    else if (keyword === "const") schema.const = this.#pick(SCALARS);
    else if (keyword === "pattern") schema.pattern = this.#pick(PATTERNS);
    else if (keyword === "format") schema.format = this.#pick(["date", "email"]);
    else if (keyword === "description") schema.description = this.#pick(["one", "other"]);
    else if (keyword === "nullable") Object.assign(schema, { type: this.#pick(TYPES), nullable: true });
    else if (keyword === "multipleOf") schema.multipleOf = 1 + this.#below(4);
    else schema[keyword] = this.#below(4);
  }

  #object(depth: number): JsonSchema {
    const schema: JsonSchema = this.#chance(0.3) ? this.#leaf() : {};
    for (let count = 1 + this.#below(4); count > 0; count -= 1) this.#addPart(schema, depth - 1);
    return schema;
  }

  #addPart(schema: JsonSchema, depth: number): void {
    const one = () => this.#schema(depth);
    const some = () => Array.from({ length: 1 + this.#below(3) }, one);
    const named = (names: readonly string[]) => Object.fromEntries(this.#some(names).map((name) => [name, one()]));
    const keyword = this.#pick([
      "properties",
      "properties",
      "properties",
      "required",
      "additionalProperties",
      "anyOf",
      "oneOf",
      "oneOf",
      "allOf",
      "not",
      "items",
      "prefixItems",
      "minItems",
      "maxItems",
      "uniqueItems",
      "patternProperties",
      "propertyNames",
      "minProperties",
      "maxProperties",
      "if",
      "contains",
      "$ref",
      "dependentRequired",
      "dependentSchemas",
      "unevaluatedProperties",
    ]);
    if (keyword === "properties") schema.properties = { ...(schema.properties as object), ...named(NAMES) };
    else if (keyword === "patternProperties") schema.patternProperties = named(PATTERNS);
    else if (keyword === "dependentSchemas") schema.dependentSchemas = named(NAMES);
    else if (keyword === "required") schema.required = this.#some(NAMES);
    else if (keyword === "dependentRequired") schema.dependentRequired = { a: this.#some(NAMES) };
    else if (["anyOf", "oneOf", "allOf", "prefixItems"].includes(keyword)) schema[keyword] = some();
    else if (keyword === "if") Object.assign(schema, { if: one(), [this.#pick(["then", "else"])]: one() });
    else if (keyword === "$ref") schema.$ref = this.#reference();
    else if (keyword === "uniqueItems") schema.uniqueItems = this.#chance(0.8);
    else if (/^m(?:in|ax)/.test(keyword)) schema[keyword] = this.#below(4);
    else schema[keyword] = this.#chance(0.3) && keyword.endsWith("Properties") ? false : one();
  }

  /** The schema with one change, here or in a part of it. */
  #edit(schema: unknown, depth: number): unknown {
    if (!isPlainObject(schema) || this.#chance(0.1)) return this.#schema(depth);
    const edited: JsonSchema = { ...schema };
    const keyword = this.#pick(Object.keys(edited));
    const value = keyword === undefined ? undefined : edited[keyword];
    const inside = (part: unknown): unknown => this.#edit(part, depth - 1);
    if (keyword !== undefined && this.#chance(0.6) && typeof value === "object" && value !== null) {
      if (["enum", "required", "type"].includes(keyword) && Array.isArray(value) && value.length > 1) {
        edited[keyword] = value.slice(1);
      } else if (["anyOf", "oneOf", "allOf", "prefixItems"].includes(keyword)) {
        edited[keyword] = this.#editList(value as unknown[], inside, depth);
      } else if (/^(?:properties|patternProperties|\$defs|dependentSchemas)$/.test(keyword)) {
        const name = this.#pick(Object.keys(value));
        edited[keyword] = { ...value, [name ?? "a"]: inside((value as JsonSchema)[name ?? "a"]) };
      } else if (["items", "not", "if", "contains", "additionalProperties", "propertyNames"].includes(keyword)) {
        edited[keyword] = inside(value);
      }
      return edited;
    }
    if (keyword !== undefined && this.#chance(0.35)) delete edited[keyword];
    else if (this.#chance(0.6)) this.#addLimit(edited);
    else this.#addPart(edited, Math.max(depth - 1, 0));
    return edited;
  }

  #editList(list: readonly unknown[], inside: (part: unknown) => unknown, depth: number): unknown[] {
    const at = this.#below(list.length);
    if (this.#chance(0.25)) return [...list, this.#schema(depth - 1)];
    if (this.#chance(0.25) && list.length > 1) return list.filter((_, index) => index !== at);
    if (this.#chance(0.2)) return [...list].reverse();
    return list.map((part, index) => (index === at ? inside(part) : part));
  }

  #value(depth: number): JsonValue {
    if (depth <= 0 || this.#chance(0.35)) return this.#pick(SCALARS);
    if (this.#chance(0.3)) return Array.from({ length: this.#below(4) }, () => this.#value(depth - 1));
    return Object.fromEntries(this.#some([...NAMES, "d"], 0).map((name) => [name, this.#value(depth - 1)]));
  }

  /** A value that probably fits, or just does not. */
  #fitting(schema: unknown, root: JsonSchema, depth: number): JsonValue {
    if (!isPlainObject(schema) || depth <= 0 || this.#chance(0.12)) return this.#value(2);
    const inside = (part: unknown): JsonValue => this.#fitting(part, root, depth - 1);
    if (Array.isArray(schema.enum) && this.#chance(0.8)) return this.#pick(schema.enum as JsonValue[]);
    if (Object.hasOwn(schema, "const") && this.#chance(0.8)) return schema.const as JsonValue;
    for (const keyword of ["anyOf", "oneOf", "allOf"]) {
      const list = schema[keyword];
      if (Array.isArray(list) && this.#chance(0.5))
        return inside({ ...schema, [keyword]: undefined, ...Object(this.#pick(list)) });
    }
    if (typeof schema.$ref === "string" && this.#chance(0.7)) {
      const name = schema.$ref.slice("#/$defs/".length);
      const target = schema.$ref === "#" ? root : ((root.$defs ?? {}) as JsonSchema)[name];
      if (target !== undefined) return inside(target);
    }
    const type: unknown = Array.isArray(schema.type) ? this.#pick(schema.type as string[]) : schema.type;
    if (type === "object" || (type === undefined && isPlainObject(schema.properties))) {
      const properties = isPlainObject(schema.properties) ? schema.properties : {};
      const names = Object.keys(properties).filter(() => this.#chance(0.8));
      if (Array.isArray(schema.required)) names.push(...(schema.required as string[]));
      if (this.#chance(0.25)) names.push(this.#pick([...NAMES, "d"]));
      return Object.fromEntries(names.map((name) => [name, inside(properties[name] ?? schema.additionalProperties)]));
    }
    if (type === "array" || (type === undefined && schema.items !== undefined)) {
      const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
      return Array.from({ length: this.#below(4) }, (_, at) => inside(prefix[at] ?? schema.items));
    }
    const ofType = SCALARS.filter((value) => type === undefined || typeof value === type || type === "integer");
    return this.#pick(ofType.length > 0 ? ofType : SCALARS);
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#below(from.length)] as T;
  }

  #some<T>(from: readonly T[], least = 1): T[] {
    const some = from.filter(() => this.#chance(0.4));
    return some.length < least ? [this.#pick(from)] : some;
  }
}
