import type { JsonSchema } from "../../lib/contract/json";

/** One schema with values that fit and values that do not, as plain JSON Schema sees them. */
export interface SchemaCase {
  title: string;
  schema: JsonSchema;
  fits: unknown[];
  refused: unknown[];
}
