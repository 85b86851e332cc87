import { isPlainObject, type JsonSchema, type JsonValue } from "../contract/json";
import { effectiveSchema } from "./effective-schema";
import { typeList } from "./merge-schemas";
import { asSchema, ownKeyword, type SchemaNode } from "./resolve-ref";

const MAX_DEPTH = 3;
const MAX_ALTERNATIVES = 4;
const MAX_VALUES = 6;

function shortList(parts: readonly string[], limit: number): string {
  const unique = [...new Set(parts)];
  return unique.length > limit ? `${unique.slice(0, limit).join(" | ")} | …` : unique.join(" | ");
}

function elementLabel(items: unknown, root: JsonSchema, depth: number): string {
  const inner = labelAt(asSchema(items), root, depth + 1);
  return inner.includes(" ") ? `(${inner})[]` : `${inner}[]`;
}

function labelAt(node: SchemaNode, root: JsonSchema, depth: number): string {
  if (depth > MAX_DEPTH) return "…";
  const { schema, branches, nullable } = effectiveSchema(node, root);
  if (schema === false) return "never";
  const orNull = (label: string) => (nullable ? `${label} | null` : label);
  if (branches !== null) {
    return orNull(
      shortList(
        branches.map((branch) => labelAt(branch, root, depth + 1)),
        MAX_ALTERNATIVES,
      ),
    );
  }
  if (schema === true) return orNull("any");
  if (Object.hasOwn(schema, "const")) return orNull("const");
  if (Array.isArray(ownKeyword(schema, "enum"))) return orNull("enum");
  const [type] = typeList(ownKeyword(schema, "type"));
  const prefix = ownKeyword(schema, "prefixItems");
  const items = ownKeyword(schema, "items");
  if (Array.isArray(prefix) || Array.isArray(items)) return orNull("tuple");
  if (type === "array" || (type === undefined && isPlainObject(items))) return orNull(elementLabel(items, root, depth));
  if (type !== undefined) return orNull(type);
  return orNull(isPlainObject(ownKeyword(schema, "properties")) ? "object" : "any");
}

/** A few words for a type: `integer`, `string | null`, `object[]`, `enum`. */
export function typeLabelOf(node: SchemaNode, root: JsonSchema): string {
  return labelAt(node, root, 0);
}

/** The same, with the values of an enum or a const written out: `"celsius" | "fahrenheit"`. */
export function typeTextOf(node: SchemaNode, root: JsonSchema): string {
  const { schema, nullable } = effectiveSchema(node, root);
  if (typeof schema === "boolean") return typeLabelOf(node, root);
  const values: unknown = Object.hasOwn(schema, "const") ? [schema.const] : ownKeyword(schema, "enum");
  if (!Array.isArray(values)) return typeLabelOf(node, root);
  const text = shortList(
    values.map((value: JsonValue) => JSON.stringify(value)),
    MAX_VALUES,
  );
  return nullable ? `${text} | null` : text;
}
