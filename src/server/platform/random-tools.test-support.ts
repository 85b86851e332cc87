import { isPlainObject, type JsonSchema, type JsonValue } from "../../lib/contract/json";
import { seededRandom } from "./random-schemas.test-support";

const NAMES = ["path", "query", "limit", "mode", "tags", "filter", "deep link"];
const WORDS = ["fast", "slow", "exact", "any", "none", "all"];
const PATTERNS = ["^[a-z]+$", "^\\d{4}-\\d{2}$", "^(?:https?://).+", "^[A-Z]{2,3}$", "^item-", "\\.md$", "^[^/]+$"];
const FORMATS = ["date", "email", "uri", "uuid", "date-time"];
const DIALECTS = ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"];
const OUTSIDE: JsonValue[] = [
  null,
  true,
  0,
  -3,
  7,
  1e6,
  0.25,
  "",
  "a",
  "item-1",
  "fast",
  [],
  ["a", "a"],
  {},
  { kind: "a" },
];

/** Schemas as tools have them, which some value fits, and the edits that developers make between two versions. */
export class RandomTools {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** Two versions of a schema. */
  pair(): [JsonSchema, JsonSchema] {
    const before = this.#document();
    let after = structuredClone(before);
    for (let edits = 1 + this.#below(3); edits > 0; edits -= 1) after = this.#editSomewhere(after);
    return this.#chance(0.5) ? [before, after] : [after, before];
  }

  /** Values that fit, or nearly do. */
  values(count: number, ...schemas: JsonSchema[]): JsonValue[] {
    return Array.from({ length: count }, (_, at) => {
      const root = schemas[at % schemas.length] ?? {};
      return this.#value(root, root, 6);
    });
  }

  #document(): JsonSchema {
    const schema = this.#object(2);
    if (this.#chance(0.4)) schema.$schema = this.#pick(DIALECTS);
    schema.$defs = { node: this.#object(1), word: this.#leaf() };
    if (this.#chance(0.3)) {
      const node = schema.$defs as Record<string, JsonSchema>;
      node.node = {
        type: "object",
        properties: { name: this.#leaf(), children: { type: "array", items: { $ref: "#/$defs/node" } } },
      };
    }
    return schema;
  }

  #schema(depth: number): JsonSchema {
    const kinds: (() => JsonSchema)[] = Array.from({ length: 6 }, () => () => this.#leaf());
    if (depth > 0) {
      kinds.push(
        () => this.#object(depth - 1),
        () => this.#list(depth),
        () => this.#choice(depth),
        () => ({ $ref: this.#pick(["#/$defs/node", "#/$defs/word"]) }),
        () => ({ anyOf: [this.#schema(depth - 1), { type: "null" }] }),
        () => ({ allOf: [this.#object(depth - 1), { properties: { note: this.#leaf() } }] }),
      );
    }
    return this.#pick(kinds)();
  }

  #leaf(): JsonSchema {
    return this.#pick<() => JsonSchema>([
      () => ({
        type: "string",
        ...(this.#chance(0.3) ? { minLength: this.#below(3) } : {}),
        ...(this.#chance(0.3) ? { maxLength: 4 + this.#below(20) } : {}),
      }),
      () => ({ type: "string", enum: this.#some(WORDS, 2) }),
      () => ({ type: "string", pattern: this.#pick(PATTERNS) }),
      () => ({ type: "string", format: this.#pick(FORMATS) }),
      () => this.#number("integer"),
      () => this.#number("number"),
      () => ({ type: "boolean" }),
      () => ({ type: ["string", "null"] }),
      () => ({ const: this.#pick(WORDS) }),
      () => ({ description: "anything" }),
    ])();
  }

  #number(type: string): JsonSchema {
    const schema: JsonSchema = { type };
    if (this.#chance(0.5)) schema.minimum = this.#below(5);
    if (this.#chance(0.5)) schema.maximum = 10 + this.#below(90);
    if (this.#chance(0.1)) schema.multipleOf = this.#pick([1, 5, 0.5]);
    if (this.#chance(0.1)) schema.exclusiveMinimum = this.#below(3);
    return schema;
  }

  #list(depth: number): JsonSchema {
    const schema: JsonSchema = { type: "array", items: this.#schema(depth - 1) };
    if (this.#chance(0.3)) schema.minItems = this.#below(2);
    if (this.#chance(0.3)) schema.maxItems = 2 + this.#below(8);
    if (this.#chance(0.1)) schema.uniqueItems = true;
    return schema;
  }

  /** Branches that a constant tells apart. */
  #choice(depth: number): JsonSchema {
    const kinds = this.#some(["a", "b", "c"], 2);
    const branches = kinds.map((kind) => {
      const branch = this.#object(depth - 1);
      branch.properties = { kind: { const: kind }, ...(branch.properties as object) };
      branch.required = [...new Set(["kind", ...((branch.required as string[]) ?? [])])];
      return branch;
    });
    return { [this.#pick(["oneOf", "oneOf", "anyOf"])]: branches };
  }

  #object(depth: number): JsonSchema {
    const names = this.#some(NAMES, 1);
    const schema: JsonSchema = {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, this.#schema(depth)])),
    };
    if (this.#chance(0.6)) schema.required = this.#some(names, 1);
    if (this.#chance(0.5)) schema.additionalProperties = this.#chance(0.8) ? false : this.#leaf();
    if (this.#chance(0.06)) schema.dependentRequired = { [names[0] as string]: [names.at(-1)] };
    if (this.#chance(0.05)) schema.patternProperties = { "^x-": this.#leaf() };
    if (this.#chance(0.05)) {
      schema.if = { required: [names[0]] };
      // biome-ignore lint/suspicious/noThenProperty: a keyword
      schema.then = { required: [names.at(-1)] };
    }
    return schema;
  }

  /** The schema with one edit, of itself or of a part. */
  #editSomewhere(root: JsonSchema): JsonSchema {
    const copy = structuredClone(root);
    const parts = listParts(copy).filter((part) => part !== copy || this.#chance(0.7));
    this.#edit(this.#pick(parts.length > 0 ? parts : [copy]), copy);
    return copy;
  }

  #edit(part: JsonSchema, root: JsonSchema): void {
    const properties = part.properties;
    if (isPlainObject(properties) && this.#chance(0.75)) {
      this.#editObject(part, properties);
      return;
    }
    const options: (() => void)[] = [
      () => Object.assign(part, { description: this.#pick(["new words", "other words"]) }),
    ];
    const has = (keyword: string, edit: () => void): void => {
      if (Object.hasOwn(part, keyword)) options.push(edit, edit, edit);
    };
    has("enum", () => {
      const values = part.enum as string[];
      part.enum = this.#chance(0.5) && values.length > 1 ? values.slice(1) : [...values, "brand-new"];
    });
    has("const", () => {
      if (this.#chance(0.5)) part.const = "renamed";
      else {
        part.enum = [part.const, "more"];
        delete part.const;
      }
    });
    for (const keyword of ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"]) {
      has(keyword, () => {
        part[keyword] = Math.max(0, (part[keyword] as number) + this.#pick([-2, -1, 1, 3]));
      });
      has(keyword, () => delete part[keyword]);
    }
    has("pattern", () => Object.assign(part, { pattern: this.#pick(PATTERNS) }));
    has("pattern", () => delete part.pattern);
    has("format", () => Object.assign(part, { format: this.#pick(FORMATS) }));
    has("format", () => delete part.format);
    has("uniqueItems", () => delete part.uniqueItems);
    has("items", () => Object.assign(part, { items: this.#schema(1) }));
    has("type", () => this.#editType(part));
    for (const keyword of ["oneOf", "anyOf"]) has(keyword, () => this.#editChoice(part, keyword));
    has("$ref", () => this.#inline(part, root));
    this.#pick(options)();
  }

  #editType(part: JsonSchema): void {
    const type = part.type;
    if (Array.isArray(type)) part.type = type[0];
    else if (type === "integer") part.type = "number";
    else if (type === "number") part.type = "integer";
    else if (type === "string" && this.#chance(0.5)) part.type = ["string", "null"];
    else if (type === "string")
      Object.assign(part, this.#pick([{ maxLength: 3 }, { minLength: 1 }, { pattern: "^[a-z]+$" }]));
    else if (type === "array") part.uniqueItems = true;
  }

  #editChoice(part: JsonSchema, keyword: string): void {
    const branches = part[keyword] as JsonSchema[];
    if (this.#chance(0.4) && branches.length > 1) part[keyword] = branches.slice(1);
    else if (this.#chance(0.5))
      part[keyword] = [...branches, { type: "object", properties: { kind: { const: "new" } }, required: ["kind"] }];
    else part[keyword] = [...branches].reverse();
  }

  /** Writes the same in another way. */
  #inline(part: JsonSchema, root: JsonSchema): void {
    const target = ownDefinition(root, part.$ref);
    if (target === undefined) return;
    delete part.$ref;
    Object.assign(part, structuredClone(target));
  }

  #editObject(part: JsonSchema, properties: Record<string, unknown>): void {
    const names = Object.keys(properties);
    const required = Array.isArray(part.required) ? (part.required as string[]) : [];
    const name = this.#pick(names) ?? "path";
    const without = (list: string[]): string[] => list.filter((each) => each !== name);
    const { [name]: old, ...rest } = properties;
    this.#pick<() => void>([
      () =>
        Object.assign(part, {
          properties: { ...properties, priority: this.#leaf() },
          required: [...required, "priority"],
        }),
      () => Object.assign(part, { properties: { ...properties, verbose: { type: "boolean" } } }),
      () => Object.assign(part, { properties: rest, required: without(required) }),
      () =>
        Object.assign(part, {
          properties: { ...rest, [`${name}_new`]: old },
          required: required.map((each) => (each === name ? `${name}_new` : each)),
        }),
      () => Object.assign(part, { required: without(required) }),
      () => Object.assign(part, { required: [...new Set([...required, name])] }),
      () => Object.assign(part, { additionalProperties: part.additionalProperties === false }),
      () => Object.assign(part, { properties: { ...properties, [name]: this.#schema(1) } }),
      () => Object.assign(part, { properties: Object.fromEntries(Object.entries(properties).reverse()) }),
      () => Object.assign(part, { allOf: [...((part.allOf as []) ?? []), { required: [name] }] }),
    ])();
    if (Array.isArray(part.required) && part.required.length === 0) delete part.required;
  }

  #value(node: unknown, root: JsonSchema, depth: number): JsonValue {
    if (!isPlainObject(node) || depth <= 0 || this.#chance(0.04)) return this.#pick(OUTSIDE);
    const inside = (part: unknown): JsonValue => this.#value(part, root, depth - 1);
    if (typeof node.$ref === "string") return inside(ownDefinition(root, node.$ref));
    for (const keyword of ["oneOf", "anyOf"])
      if (Array.isArray(node[keyword])) return inside(this.#pick(node[keyword] as unknown[]));
    if (Object.hasOwn(node, "const")) return node.const as JsonValue;
    if (Array.isArray(node.enum)) return this.#pick(node.enum as JsonValue[]);
    const type = Array.isArray(node.type) ? this.#pick(node.type as string[]) : node.type;
    if (type === "object" || isPlainObject(node.properties)) return this.#objectValue(node, inside);
    if (Array.isArray(node.allOf)) return Object.assign({}, ...(node.allOf as unknown[]).map(inside));
    if (type === "array") return Array.from({ length: this.#below(4) }, () => inside(node.items));
    if (type === "integer" || type === "number") return this.#pick([0, 1, 2, 4, 5, 10, 11, 50, 99, 2.5]);
    if (type === "boolean") return this.#chance(0.5);
    if (type === "null") return null;
    return this.#pick([
      "",
      "a",
      "ab",
      "abcd",
      "abcdefghijklmnop",
      "2026-01",
      "https://a.example",
      "AB",
      "item-1",
      "a.md",
      "2026-01-01",
      "a@example.com",
      "fast",
    ]);
  }

  #objectValue(node: JsonSchema, inside: (part: unknown) => JsonValue): JsonValue {
    const properties = isPlainObject(node.properties) ? node.properties : {};
    const required = Array.isArray(node.required) ? (node.required as string[]) : [];
    const names = Object.keys(properties).filter((name) => required.includes(name) || this.#chance(0.6));
    const value: Record<string, JsonValue> = Object.fromEntries(names.map((name) => [name, inside(properties[name])]));
    for (const name of required) value[name] ??= "a";
    if (this.#chance(0.15)) value[this.#pick(["other", "x-a", "verbose", "priority"])] = this.#pick(OUTSIDE);
    if (Array.isArray(node.allOf)) for (const part of node.allOf) Object.assign(value, Object(inside(part)));
    return value;
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

  #some<T>(from: readonly T[], least: number): T[] {
    const some = from.filter(() => this.#chance(0.3));
    return some.length < least ? [...from.slice(0, least)] : some;
  }
}

function ownDefinition(root: JsonSchema, reference: unknown): unknown {
  const definitions = isPlainObject(root.$defs) ? root.$defs : {};
  return definitions[String(reference).slice("#/$defs/".length)];
}

/** The schema and all in it. */
function listParts(schema: unknown): JsonSchema[] {
  if (!isPlainObject(schema)) return [];
  const inside = ["properties", "$defs", "patternProperties"].flatMap((keyword) =>
    Object.values(Object(schema[keyword])),
  );
  const lists = ["oneOf", "anyOf", "allOf"].flatMap((keyword) => (schema[keyword] as unknown[]) ?? []);
  return [schema, ...[...inside, ...lists, schema.items, schema.additionalProperties].flatMap(listParts)];
}
