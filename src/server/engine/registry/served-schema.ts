import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import type { SchemaNote } from "../../../lib/contract/schema-note";
import { childPointer } from "../../../lib/json/json-pointer";
import { findKeywordProblem, getHolding, listTypes } from "../../../lib/schema/keywords";
import { followPointer } from "../../../lib/schema/resolve-ref";

type Kind = "input" | "output";

interface Served {
  schema: JsonSchema;
  notes: SchemaNote[];
}

/** Further changes have no note. */
const MAX_NOTES = 20;

const known = new WeakMap<object, Served>();

/**
 * A schema for the strictest common MCP client. One schema that a client does not accept makes it refuse the whole
 * list: clients of SDK 1.x require objects as schemas of properties, and compile output schemas. Parts that they would
 * refuse are rewritten or left out; calls are still validated against the schema itself. Returns the same object where
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
    const holding = getHolding(keyword, value);
    if (holding === "map") return this.#readMap(keyword, value, pointer);
    if (holding === "list") {
      return mapUnlessSame(value as unknown[], (item, index) => this.#readPart(item, childPointer(pointer, index)));
    }
    if (keyword === "items") return this.#readPart(value, pointer);
    return holding === "schema" ? this.#readNode(value, pointer) : value;
  }

  #readMap(keyword: string, value: unknown, pointer: string): unknown {
    const map = value as Record<string, unknown>;
    let changed: Record<string, unknown> | null = null;
    for (const [name, part] of Object.entries(map)) {
      const at = childPointer(pointer, name);
      const isBroken = keyword === "patternProperties" && !isReadablePattern(name);
      // A list of names is not a schema.
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
    if (!canHave(keyword, value))
      return `has a value that the keyword cannot have (${JSON.stringify(value)?.slice(0, 40)})`;
    if (keyword === "pattern" && !isReadablePattern(value as string))
      return "is a regular expression that JavaScript's Unicode mode refuses";
    if (keyword === "nullable" && !isNullable(node)) return "stands without a type, or contradicts it";
    if (keyword === "$ref" && this.kind === "output" && !this.#isResolvable(value as string))
      return "refers to nothing here";
    return null;
  }

  /** With ids or anchors a reference may point anywhere. */
  #isResolvable(reference: string): boolean {
    if (this.#hasIds || reference === "#") return true;
    return reference.startsWith("#/") && followPointer(this.root, reference.slice(1)) !== null;
  }

  #note(pointer: string, keyword: string, fault: string): void {
    if (this.notes.length >= MAX_NOTES) return;
    const where = this.kind === "input" ? "" : " of `outputSchema`";
    const message = `\`${pointer.slice(1, 120)}\`${where} ${fault} in the lists that MCP clients get, some of which would refuse it`;
    this.notes.push({ pointer, keyword, message });
  }
}

function isReadablePattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

function canHave(keyword: string, value: unknown): boolean {
  if (keyword === "$schema") return typeof value === "string";
  if (findKeywordProblem(keyword, value) !== null) return false;
  if (keyword !== "dependencies") return true;
  // Each is a list of names or a schema.
  const lists = Object.values(value as object).filter((part) => Array.isArray(part));
  return lists.every((names) => findKeywordProblem("required", names) === null);
}

function isNullable(node: Record<string, unknown>): boolean {
  const types = listTypes(node);
  return typeof node.nullable === "boolean" && types.length > 0 && (node.nullable || !types.includes("null"));
}

function hasIds(schema: JsonSchema): boolean {
  return /"\$(?:id|anchor|dynamicAnchor|recursiveAnchor)":/.test(JSON.stringify(schema));
}

function mapUnlessSame(list: unknown[], read: (item: unknown, index: number) => unknown): unknown[] {
  const made = list.map(read);
  return made.every((item, index) => item === list[index]) ? list : made;
}
