import { ProtocolError } from "@modelcontextprotocol/client";
import { isNestedDeeperThan } from "../../../../lib/json/nesting";

/** Of a text that people read, and of the schema or the request behind it. */
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
  if (part === "requestedSchema" && isNestedDeeperThan(value, MAX_SCHEMA_DEPTH)) {
    throw new ProtocolError(INVALID_PARAMS, `'${part}' is nested more than ${MAX_SCHEMA_DEPTH} levels deep`);
  }
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch {
    throw new ProtocolError(INVALID_PARAMS, `'${part}' is nested too deeply to be read`);
  }
  assertTextSize(part, text, MAX_DETAILS_BYTES);
  return text;
}
