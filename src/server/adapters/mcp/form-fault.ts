import { isPlainObject } from "../../../lib/contract/json";

/**
 * What is wrong with a person's answer to a server's form, in the few kinds of fields that such a form may have; null when
 * nothing is. The SDK does not check it, and the server would blame the tool.
 */
export function findFormFault(schema: unknown, content: Readonly<Record<string, unknown>>): string | null {
  const { properties, required } = isPlainObject(schema) ? schema : {};
  const fields = isPlainObject(properties) ? properties : {};
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name === "string" && !Object.hasOwn(content, name)) return `'${name}' is missing`;
  }
  for (const [name, value] of Object.entries(content)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const fault = findFieldFault(field, value);
    if (fault !== null) return `'${name}' ${fault}`;
  }
  return null;
}

function findFieldFault(field: unknown, value: unknown): string | null {
  const { type, enum: choices } = isPlainObject(field) ? field : {};
  if (Array.isArray(choices) && !choices.includes(value)) return `must be one of ${choices.map(String).join(", ")}`;
  switch (type) {
    case "string":
      return typeof value === "string" ? null : "must be text";
    case "boolean":
      return typeof value === "boolean" ? null : "must be true or false";
    case "integer":
      return Number.isInteger(value) ? null : "must be a whole number";
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? null : "must be a number";
    case "array":
      return Array.isArray(value) && value.every((item) => typeof item === "string") ? null : "must be a list of texts";
    default:
      return null;
  }
}
