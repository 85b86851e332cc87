import { isPlainObject, type JsonSchema } from "../contract/json";
import { effectiveSchema } from "./effective-schema";
import { listTypes } from "./keywords";
import { asSchema, ownKeyword, ownMap, type SchemaNode } from "./resolve-ref";

export interface Field {
  types: readonly string[];
  nullable: boolean;
  /** Allowed values of any type. */
  values: unknown[];
  items: SchemaNode;
}

/** Reads what a schema says about the text of a value; alternatives have all of their types. */
export function describeField(node: SchemaNode, root: JsonSchema): Field {
  const { schema, nullable, branches } = effectiveSchema(node, root);
  const parts = (branches ?? [schema]).map((branch) => effectiveSchema(branch, root));
  const schemas = parts.map((part) => part.schema);
  const values = schemas.flatMap((part) => {
    const allowed = ownKeyword(part, "enum");
    if (Array.isArray(allowed)) return allowed;
    return isPlainObject(part) && Object.hasOwn(part, "const") ? [part.const] : [];
  });
  const types = schemas.flatMap((part) => (typeof part === "boolean" ? [] : listTypes(part)));
  const list = schemas.find((part) => typeof part !== "boolean" && listTypes(part).includes("array"));
  return {
    types: types.filter((type) => type !== "null"),
    nullable: nullable || types.includes("null") || parts.some((part) => part.nullable),
    values,
    items: asSchema(ownKeyword(list, "items") ?? true),
  };
}

/** The names of a tool's fields, as its schema has them. */
export function listFields(
  schema: JsonSchema,
): { name: string; type: string; required: boolean; description: string }[] {
  const { schema: root } = effectiveSchema(schema, schema);
  const required = ownKeyword(root, "required");
  return Object.entries(ownMap(root, "properties")).map(([name, node]) => {
    const { types, nullable, values } = describeField(asSchema(node), schema);
    const type =
      values.length > 0 ? values.map((value) => JSON.stringify(value)).join(" | ") : types.join(" | ") || "any";
    const description = ownKeyword(effectiveSchema(asSchema(node), schema).schema, "description");
    return {
      name,
      type: nullable ? `${type} | null` : type,
      required: Array.isArray(required) && required.includes(name),
      description: typeof description === "string" ? description : "",
    };
  });
}
