import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import type { SchemaNote } from "../../../lib/contract/schema-note";
import { childPointer } from "../../../lib/json/json-pointer";
import { ONE_SCHEMA, SCHEMA_LISTS, SCHEMA_MAPS } from "../../../lib/schema/keywords";

type Kind = "input" | "output";

interface Served {
  schema: JsonSchema;
  notes: SchemaNote[];
}

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
/** Further ones are changed without a note. */
const MAX_NOTES = 20;

const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number";
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isType = (value: unknown): boolean => typeof value === "string" && TYPES.has(value);
const isSchema = (value: unknown): boolean => isPlainObject(value) || typeof value === "boolean";

/** The kind of value that validators accept for each keyword. */
const RULES = new Map<string, (value: unknown) => boolean>([
  ["type", (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType))],
  ["enum", (value) => Array.isArray(value) && value.length > 0],
  ["required", isTexts],
  ["items", (value) => isSchema(value) || Array.isArray(value)],
  ["uniqueItems", (value) => typeof value === "boolean"],
  ["dependentRequired", (value) => isPlainObject(value) && Object.values(value).every(isTexts)],
  ["pattern", isReadablePattern],
  ["multipleOf", (value) => isNumber(value) && (value as number) > 0],
  ...[...SCHEMA_MAPS].map((keyword) => [keyword, isPlainObject] as const),
  ["dependencies", isDependencies],
  ...[...SCHEMA_LISTS].map(
    (keyword) => [keyword, (value: unknown) => Array.isArray(value) && value.length > 0] as const,
  ),
  ...[...ONE_SCHEMA].filter((keyword) => keyword !== "items").map((keyword) => [keyword, isSchema] as const),
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map((keyword) => [keyword, isNumber] as const),
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"].map(
    (keyword) => [keyword, isCount] as const,
  ),
  ...["minContains", "maxContains"].map((keyword) => [keyword, isCount] as const),
  ...["$id", "$ref", "$schema", "$anchor", "format"].map((keyword) => [keyword, isText] as const),
]);

const known = new WeakMap<object, Served>();

/**
 * A schema as the strictest common MCP client reads it. One schema that a client does not accept makes it refuse the whole
 * list: clients of SDK 1.x want objects as schemas of properties, and compile what results look like. What they would
 * refuse is written in another way or left out; calls are still validated against the schema itself. The same object where
 * nothing has to change.
 */
export function toServedSchema(schema: JsonSchema, kind: Kind): Served {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const reader = new ServedSchema(schema, kind);
  const served = { schema: reader.readRoot(), notes: reader.notes };
  known.set(schema, served);
  return served;
}

class ServedSchema {
  readonly notes: SchemaNote[] = [];
  readonly #hasIds: boolean;

  constructor(
    private readonly root: JsonSchema,
    private readonly kind: Kind,
  ) {
    this.#hasIds = hasIds(root);
  }

  readRoot(): JsonSchema {
    return this.#readNode(this.root, "") as JsonSchema;
  }

  #readNode(node: unknown, pointer: string): unknown {
    if (!isPlainObject(node)) return node;
    let changed: Record<string, unknown> | null = null;
    for (const [keyword, value] of Object.entries(node)) {
      const at = childPointer(pointer, keyword);
      const reason = this.#findFault(keyword, value, node);
      if (reason !== null) {
        changed ??= { ...node };
        delete changed[keyword];
        this.#note(at, keyword, `${reason}: it is left out`);
        continue;
      }
      const read = this.#readValue(keyword, value, at);
      if (read === value) continue;
      changed ??= { ...node };
      changed[keyword] = read;
    }
    return changed ?? node;
  }

  #readValue(keyword: string, value: unknown, pointer: string): unknown {
    if (SCHEMA_MAPS.has(keyword)) return this.#readMap(keyword, value, pointer);
    if (SCHEMA_LISTS.has(keyword) || (keyword === "items" && Array.isArray(value))) {
      return mapUnlessSame(value as unknown[], (item, index) => this.#readPart(item, childPointer(pointer, index)));
    }
    if (keyword === "items") return this.#readPart(value, pointer);
    return ONE_SCHEMA.has(keyword) ? this.#readNode(value, pointer) : value;
  }

  #readMap(keyword: string, value: unknown, pointer: string): unknown {
    const map = value as Record<string, unknown>;
    let changed: Record<string, unknown> | null = null;
    for (const [name, part] of Object.entries(map)) {
      const at = childPointer(pointer, name);
      const isBroken = keyword === "patternProperties" && !isReadablePattern(name);
      // A list of names is no schema.
      const read = keyword === "dependencies" && Array.isArray(part) ? part : this.#readPart(part, at);
      if (!isBroken && read === part) continue;
      changed ??= { ...map };
      if (isBroken) {
        delete changed[name];
        this.#note(at, keyword, "is a regular expression that JavaScript's Unicode mode refuses: it is left out");
      } else
        Object.defineProperty(changed, name, { value: read, enumerable: true, writable: true, configurable: true });
    }
    return changed ?? value;
  }

  /** A position where a schema is expected. */
  #readPart(part: unknown, pointer: string): unknown {
    if (isPlainObject(part)) return this.#readNode(part, pointer);
    if (part === false) {
      this.#note(pointer, "false", 'is `false`: it is written as `{"not":{}}`');
      return { not: {} };
    }
    this.#note(
      pointer,
      "true",
      part === true ? "is `true`: it is written as `{}`" : "is no schema: it is written as `{}`",
    );
    return {};
  }

  #findFault(keyword: string, value: unknown, node: Record<string, unknown>): string | null {
    const rule = RULES.get(keyword);
    if (rule?.(value) === false) {
      return keyword === "pattern" && typeof value === "string"
        ? "is a regular expression that JavaScript's Unicode mode refuses"
        : `has a value that the keyword cannot have (${JSON.stringify(value)?.slice(0, 40)})`;
    }
    if (keyword === "nullable" && !isNullable(node)) return "stands without a type, or contradicts it";
    if (keyword === "$ref" && this.kind === "output" && !this.#isResolvable(value as string))
      return "refers to nothing here";
    return null;
  }

  /** With ids or anchors a reference may lead anywhere. */
  #isResolvable(reference: string): boolean {
    if (this.#hasIds || reference === "#") return true;
    if (!reference.startsWith("#/")) return false;
    let target: unknown = this.root;
    for (const part of reference.slice(2).split("/")) {
      const name = decodePart(part);
      if (typeof target !== "object" || target === null || !Object.hasOwn(target, name)) return false;
      target = (target as Record<string, unknown>)[name];
    }
    return isSchema(target);
  }

  #note(pointer: string, keyword: string, fault: string): void {
    if (this.notes.length >= MAX_NOTES) return;
    const where = this.kind === "input" ? "" : " of `outputSchema`";
    const message = `\`${pointer.slice(1, 120)}\`${where} ${fault} in the lists that MCP clients get, some of which would refuse it`;
    this.notes.push({ pointer, keyword, message });
  }
}

function isReadablePattern(pattern: unknown): boolean {
  if (typeof pattern !== "string") return false;
  try {
    return new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

/** Each is a list of names or a schema. */
function isDependencies(value: unknown): boolean {
  return isPlainObject(value) && Object.values(value).every((part) => !Array.isArray(part) || isTexts(part));
}

function isNullable({ type, nullable }: Record<string, unknown>): boolean {
  const types = Array.isArray(type) ? type : [type];
  const isTyped = type !== undefined && RULES.get("type")?.(type) !== false;
  return typeof nullable === "boolean" && isTyped && (nullable || !types.includes("null"));
}

function hasIds(schema: JsonSchema): boolean {
  return /"\$(?:id|anchor|dynamicAnchor|recursiveAnchor)":/.test(JSON.stringify(schema));
}

function mapUnlessSame(list: unknown[], read: (item: unknown, index: number) => unknown): unknown[] {
  const made = list.map(read);
  return made.every((item, index) => item === list[index]) ? list : made;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return part;
  }
}
