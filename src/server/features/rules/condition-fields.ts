import type { ConditionField } from "../../../lib/contract/call-rule";
import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { hasMask } from "../../../lib/masked-value";
import { effectiveSchema } from "../../../lib/schema/effective-schema";
import { describeField } from "../../../lib/schema/list-fields";
import { asSchema, ownKeyword, ownMap, type SchemaNode } from "../../../lib/schema/resolve-ref";
import { isMarked } from "../../../lib/schema/sensitive/marks";
import { compilePatterns } from "../../engine/rules/name-pattern";

const MAX_TOOLS = 100;
const MAX_FIELDS = 200;
const MAX_DEPTH = 3;
const MAX_VALUES = 10;
const MAX_VALUE_CHARS = 100;

/** A field, and whether its values may be shown. */
export interface KnownField extends ConditionField {
  keys: readonly string[];
  sensitive: boolean;
}

const TYPES: Readonly<Record<string, ConditionField["type"]>> = {
  string: "string",
  number: "number",
  integer: "integer",
  boolean: "boolean",
  array: "list",
  object: "object",
};
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

const toPath = (keys: readonly string[]): string =>
  keys.reduce((path, key) => (IDENTIFIER.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`), "args");

/** The tools that names or patterns choose. */
export function chooseTools(definitions: readonly ToolDefinition[], tools: readonly string[]): ToolDefinition[] {
  const matches = compilePatterns(tools) ?? (() => false);
  return definitions.filter(({ name }) => matches(name)).slice(0, MAX_TOOLS);
}

/** The fields of tools by their path; one that tools have with different types is `unknown`. */
export function listKnownFields(definitions: readonly ToolDefinition[]): KnownField[] {
  const fields = new Map<string, KnownField>();
  for (const { parameters, sensitive } of definitions) {
    const listed = Array.isArray(sensitive?.arguments) ? sensitive.arguments : [];
    addFields(
      fields,
      parameters,
      parameters,
      [],
      new Set(listed.map((pointer) => String(pointer).slice(1).split("/")[0])),
    );
    if (fields.size >= MAX_FIELDS) break;
  }
  return [...fields.values()].slice(0, MAX_FIELDS);
}

function addFields(
  fields: Map<string, KnownField>,
  node: SchemaNode,
  root: JsonSchema,
  above: readonly string[],
  hidden: ReadonlySet<string | undefined>,
): void {
  const { schema } = effectiveSchema(node, root);
  for (const [name, each] of Object.entries(ownMap(schema, "properties"))) {
    if (fields.size >= MAX_FIELDS) return;
    const child = asSchema(each);
    const keys = [...above, name];
    const path = toPath(keys);
    const field = describeField(child, root);
    const [type] = field.types;
    const isOne = new Set(field.types).size === 1;
    const known = fields.get(path);
    const found = (isOne ? TYPES[type ?? ""] : undefined) ?? "unknown";
    const { schema: own } = effectiveSchema(child, root);
    const isSensitive = hidden.has(keys[0]) || hidden.has("*") || (typeof own === "object" && isMarked(own));
    fields.set(path, {
      path,
      keys,
      type: known === undefined || known.type === found ? found : "unknown",
      values: [],
      sensitive: isSensitive || known?.sensitive === true,
    });
    if (found === "object" && keys.length < MAX_DEPTH && ownKeyword(own, "properties") !== undefined) {
      addFields(fields, child, root, keys, hidden);
    }
  }
}

/** The values seen most often in arguments, at most 10 of each field. */
export function describeFields(fields: readonly KnownField[], argumentTexts: readonly string[]): ConditionField[] {
  const parsed = argumentTexts.flatMap((text) => parse(text));
  return fields.map(({ path, type, keys, sensitive }) => {
    const seen = new Map<string, { value: string | number | boolean; count: number }>();
    for (const args of sensitive ? [] : parsed) {
      const value = keys.reduce<unknown>(
        (container, key) => (isPlainObject(container) && Object.hasOwn(container, key) ? container[key] : undefined),
        args,
      );
      if (!isShown(value)) continue;
      const key = JSON.stringify(value);
      const known = seen.get(key);
      if (known === undefined) seen.set(key, { value, count: 1 });
      else known.count += 1;
    }
    const most = [...seen.values()].sort((left, right) => right.count - left.count).slice(0, MAX_VALUES);
    return { path, type, values: most.map(({ value }) => value) };
  });
}

function parse(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

/** Short ones without a mask: a number that loses digits would be another condition. */
function isShown(value: unknown): value is string | number | boolean {
  if (typeof value === "string") return value.length <= MAX_VALUE_CHARS && !hasMask(value);
  return typeof value === "boolean" || (typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER);
}
