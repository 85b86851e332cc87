import { isPlainObject, type JsonSchema } from "../contract/json";

const EXCLUSIVE_FLAGS = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
] as const;

/** One schema of any draft, without those inside it, in the words of 2020-12. The meaning stays the same. */
export function toNewestWords(schema: JsonSchema): JsonSchema {
  return splitDependencies(withPrefixItems(withNumericBounds(schema)));
}

/** `exclusiveMinimum: true` beside `minimum: 3` becomes `exclusiveMinimum: 3`. */
export function withNumericBounds(schema: JsonSchema): JsonSchema {
  const source = { ...schema };
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

/** A list in `items` becomes `prefixItems`. */
export function withPrefixItems(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema.items)) return schema;
  const { items, additionalItems, ...rest } = schema;
  if (items.length > 0) rest.prefixItems ??= items;
  return additionalItems === undefined ? rest : { ...rest, items: additionalItems };
}

function splitDependencies({ dependencies, ...rest }: JsonSchema): JsonSchema {
  if (!isPlainObject(dependencies)) return rest;
  const entries = Object.entries(dependencies);
  const lists = entries.filter(([, value]) => Array.isArray(value));
  const schemas = entries.filter(([, value]) => !Array.isArray(value));
  return {
    ...rest,
    ...(lists.length > 0 && { dependentRequired: Object.fromEntries(lists) }),
    ...(schemas.length > 0 && { dependentSchemas: Object.fromEntries(schemas) }),
  };
}
