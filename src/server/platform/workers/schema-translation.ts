import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import { withNumericBounds, withPrefixItems } from "../../../lib/schema/newest-words";

/**
 * One schema, without those inside it, in the words of the dialect that it is compiled in: draft-04, `nullable: false` and,
 * for 2020-12, the list form of `items`. The meaning stays the same.
 */
export function translateNode(
  node: JsonSchema,
  { isDraft04, keepMalformed, dialect }: { isDraft04: boolean; keepMalformed: boolean; dialect: string },
): JsonSchema {
  if (isDraft04) return withNumericBounds(node);
  if (keepMalformed) return node;
  const source = withNumericBounds(node);
  // Draft-04's `$id`; elsewhere it is no keyword, and ajv refuses it.
  delete source.id;
  if (Object.hasOwn(source, "nullable") && source.nullable !== true) delete source.nullable;
  return dialect === "2020-12" ? withPrefixItems(source) : source;
}

function renameId(node: JsonSchema): JsonSchema {
  if (!Object.hasOwn(node, "id") || isPlainObject(node.id)) return node;
  const { id, ...rest } = node;
  return typeof id === "string" ? { ...rest, $id: id } : rest;
}

export function renameIds(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(renameIds);
  if (!isPlainObject(node)) return node;
  return Object.fromEntries(Object.entries(renameId(node)).map(([key, value]) => [key, renameIds(value)]));
}
