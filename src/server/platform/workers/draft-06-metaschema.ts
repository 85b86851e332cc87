import type { Ajv } from "ajv";
import type { JsonSchema } from "../../../lib/contract/json";

/** Keywords that draft-07 added to draft-06. */
const ADDED = ["$comment", "readOnly", "writeOnly", "contentMediaType", "contentEncoding", "if", "then", "else"];
const DRAFT_07 = "http://json-schema.org/draft-07/schema";
const DRAFT_06 = "http://json-schema.org/draft-06/schema#";

/**
 * Lets schemas refer to the schema of draft-06 itself, which ajv carries as a JSON file only: the one of draft-07 without
 * what was added later.
 */
export function addDraft06(ajv: Ajv) {
  const draft07 = ajv.schemas[DRAFT_07]?.schema ?? {};
  const { properties, ...rest } = draft07 as { properties: Record<string, JsonSchema> };
  const kept = Object.fromEntries(Object.entries(properties).filter(([keyword]) => !ADDED.includes(keyword)));
  const { propertyNames: _, ...patternProperties } = properties.patternProperties ?? {};
  const schema = { ...rest, $schema: DRAFT_06, $id: DRAFT_06, properties: { ...kept, patternProperties } };
  return ajv.addMetaSchema(schema, undefined, false);
}
