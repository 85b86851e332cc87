import { ProtocolError } from "@modelcontextprotocol/client";

/** Of what a person is shown as text, and of the schema or the request behind it. */
const MAX_MESSAGE_BYTES = 10 * 1024;
const MAX_DETAILS_BYTES = 256 * 1024;
/** A form is flat by the protocol; this leaves room for unions in its fields. */
const MAX_SCHEMA_DEPTH = 32;
export const INVALID_PARAMS = -32_602;

/** @throws ProtocolError that names the part which is too long */
export function refuseLongText(part: "message" | "url", text: string): void {
  refuse(part, text, MAX_MESSAGE_BYTES);
}

/**
 * The part as JSON text.
 * @throws ProtocolError when it is too large or nested too deeply
 */
export function detailsText(part: "params" | "requestedSchema", value: unknown): string {
  if (part === "requestedSchema" && isDeeperThan(value, MAX_SCHEMA_DEPTH)) {
    throw new ProtocolError(INVALID_PARAMS, `'${part}' is nested more than ${MAX_SCHEMA_DEPTH} levels deep`);
  }
  const text = jsonTextOf(part, value);
  refuse(part, text, MAX_DETAILS_BYTES);
  return text;
}

function refuse(part: string, text: string, maxBytes: number): void {
  if (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes) return;
  throw new ProtocolError(INVALID_PARAMS, `'${part}' is larger than the ${maxBytes} bytes that it may have`);
}

function jsonTextOf(part: string, value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    throw new ProtocolError(INVALID_PARAMS, `'${part}' is nested too deeply to be read`);
  }
}

/** Level by level, since what is asked about may be deeper than the stack. */
function isDeeperThan(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}
