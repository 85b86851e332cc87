// Plain JavaScript: a worker thread loads this file directly, while the server bundles it.
import { isObject } from "./schema-references.mjs";

/** @typedef {Record<string, unknown>} Schema */

const EXCLUSIVE_FLAGS = /** @type {const} */ ([
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
]);

/**
 * One schema, without those inside it, in the words of the dialect that it is compiled in: draft-04, `nullable: false` and,
 * for 2020-12, the list form of `items`. The meaning stays the same.
 * @param {Schema} node
 * @param {{ isDraft04: boolean, keepMalformed: boolean, dialect: string }} reading
 * @returns {Schema}
 */
export function translateNode(node, { isDraft04, keepMalformed, dialect }) {
  if (isDraft04) return withNumericBounds(node);
  if (keepMalformed) return node;
  const source = withNumericBounds(node);
  // Draft-04's `$id`; elsewhere it is no keyword, and ajv refuses it.
  delete source.id;
  if (Object.hasOwn(source, "nullable") && source.nullable !== true) delete source.nullable;
  return dialect === "2020-12" ? withPrefixItems(source) : source;
}

/** `exclusiveMinimum: true` beside `minimum: 3` becomes `exclusiveMinimum: 3`. @param {Schema} node @returns {Schema} */
function withNumericBounds(node) {
  const source = { ...node };
  for (const [flag, bound] of EXCLUSIVE_FLAGS) {
    const exclusive = source[flag];
    if (typeof exclusive !== "boolean") continue;
    delete source[flag];
    if (!exclusive || typeof source[bound] !== "number") continue;
    source[flag] = source[bound];
    delete source[bound];
  }
  return source;
}

/** @param {Schema} node @returns {Schema} */
function withPrefixItems(node) {
  if (!Array.isArray(node.items)) return node;
  const { items, additionalItems, ...rest } = node;
  if (items.length > 0) rest.prefixItems ??= items;
  return additionalItems === undefined ? rest : { ...rest, items: additionalItems };
}

/** @param {Schema} node @returns {Schema} */
function renameId(node) {
  if (!Object.hasOwn(node, "id") || isObject(node.id)) return node;
  const { id, ...rest } = node;
  return typeof id === "string" ? { ...rest, $id: id } : rest;
}

/** @param {unknown} node @returns {unknown} */
export function renameIds(node) {
  if (Array.isArray(node)) return node.map(renameIds);
  if (!isObject(node)) return node;
  return Object.fromEntries(Object.entries(renameId(node)).map(([key, value]) => [key, renameIds(value)]));
}
