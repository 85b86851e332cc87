import type { JsonObject, JsonSchema } from "../contract/json";
import { describeField } from "./describe/describe-field";

/** The defaults of required parameters: the initial values of a form. */
export function requiredDefaults(schema: JsonSchema): JsonObject {
  const entries = describeField(schema, schema).properties.flatMap((property) => {
    const { defaultValue } = describeField(property.schema, schema);
    return property.required && defaultValue !== undefined ? [[property.name, defaultValue] as const] : [];
  });
  return Object.fromEntries(entries);
}
