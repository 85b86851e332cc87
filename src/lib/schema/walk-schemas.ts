import { isPlainObject, type JsonSchema } from "../contract/json";
import { DATA_KEYWORDS, SCHEMA_MAPS } from "./keywords";

/**
 * A keyword's value with a change of each schema in it. References may lead into unknown keywords, so what these hold counts as
 * schemas.
 */
export function mapSchemas(keyword: string, value: unknown, change: (schema: unknown) => unknown): unknown {
  if (DATA_KEYWORDS.has(keyword)) return value;
  if (SCHEMA_MAPS.has(keyword) && isPlainObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, change(schema)]));
  }
  return Array.isArray(value) ? value.map(change) : change(value);
}

/** Whether a schema, or one inside it, passes the test; in the order of the document. */
export function someSchema(schema: unknown, test: (node: JsonSchema) => boolean): boolean {
  if (Array.isArray(schema)) return schema.some((item) => someSchema(item, test));
  if (!isPlainObject(schema)) return false;
  if (test(schema)) return true;
  return Object.entries(schema).some(([keyword, value]) => {
    if (DATA_KEYWORDS.has(keyword)) return false;
    const parts = SCHEMA_MAPS.has(keyword) && isPlainObject(value) ? Object.values(value) : value;
    return someSchema(parts, test);
  });
}
