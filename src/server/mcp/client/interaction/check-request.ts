import { ProtocolError } from "@modelcontextprotocol/client";
import { isPlainObject } from "../../../../lib/contract/json";
import { isNestedDeeperThan, MAX_JSON_LEVELS } from "../../../../lib/json/limits";

/** The size of a text that users read, and of the schema or the request behind it. */
const MAX_TEXT_BYTES = 10 * 1024;
const MAX_DETAILS_BYTES = 256 * 1024;
/** The protocol allows flat forms only; this leaves room for unions in their fields. */
const MAX_SCHEMA_DEPTH = 32;
export const INVALID_PARAMS = -32_602;

/** @throws ProtocolError that names the part which is too large */
export function assertTextSize(part: string, text: string, maxBytes: number = MAX_TEXT_BYTES): void {
  if (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes) return;
  throw new ProtocolError(INVALID_PARAMS, `'${part}' is larger than the ${maxBytes} bytes allowed`);
}

/** The part as JSON text. @throws ProtocolError when it is too large or nested too deeply */
export function stringifyDetails(part: "params" | "requestedSchema", value: unknown): string {
  const levels = part === "requestedSchema" ? MAX_SCHEMA_DEPTH : MAX_JSON_LEVELS;
  if (isNestedDeeperThan(value, levels)) {
    throw new ProtocolError(INVALID_PARAMS, `'${part}' is nested more than ${levels} levels deep`);
  }
  const text = JSON.stringify(value);
  assertTextSize(part, text, MAX_DETAILS_BYTES);
  return text;
}

const FIELD_TYPES: Readonly<Record<string, { expected: string; test: (value: unknown) => boolean }>> = {
  string: { expected: "text", test: (value) => typeof value === "string" },
  boolean: { expected: "true or false", test: (value) => typeof value === "boolean" },
  integer: { expected: "an integer", test: (value) => Number.isInteger(value) },
  number: { expected: "a number", test: (value) => typeof value === "number" && Number.isFinite(value) },
  array: {
    expected: "a list of strings",
    test: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  },
};

/**
 * The first problem of a user's answer to an elicitation form, or null. The SDK does not check answers, and the server
 * would report the problem as an error of the tool.
 */
export function findFormProblem(schema: unknown, content: Readonly<Record<string, unknown>>): string | null {
  const { properties, required } = isPlainObject(schema) ? schema : {};
  const fields = isPlainObject(properties) ? properties : {};
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name === "string" && !Object.hasOwn(content, name)) return `'${name}' is missing`;
  }
  for (const [name, value] of Object.entries(content)) {
    const problem = findFieldProblem(Object.hasOwn(fields, name) ? fields[name] : undefined, value);
    if (problem !== null) return `'${name}' must be ${problem}`;
  }
  return null;
}

function findFieldProblem(field: unknown, value: unknown): string | null {
  const { type, enum: choices } = isPlainObject(field) ? field : {};
  if (Array.isArray(choices) && !choices.includes(value)) return `one of ${choices.map(String).join(", ")}`;
  const known = typeof type === "string" && Object.hasOwn(FIELD_TYPES, type) ? FIELD_TYPES[type] : undefined;
  return known === undefined || known.test(value) ? null : known.expected;
}
