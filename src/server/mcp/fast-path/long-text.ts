import { isPlainObject } from "../../../lib/contract/json";
import { getKeptText, writeKeptParts } from "../../../lib/json/known-text";
import type { LooseMessage } from "../client/transport/json-rpc";

/** From this length, the copies that V8 makes of a text cost more than avoiding them. */
const LONG_CHARS = 16_384;

/** The end of a message whose arguments are null. */
const ARGUMENTS_END = "null}}";

/**
 * Joins what is written to a socket or a pipe. Long texts become bytes: V8 copies a string when it is joined and again
 * when a header is put in front of it, and Node takes three times its length to encode it.
 */
export function joinForWriting(parts: readonly string[]): string | Buffer {
  if (!parts.some(({ length }) => length > LONG_CHARS)) return parts.join("");
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0));
  let at = 0;
  for (const part of parts) at += bytes.write(part, at);
  return bytes;
}

/** The text of a sent message for the log, which serializes long ones itself, in part; empty for those. */
export function toLoggedText(parts: readonly string[]): string {
  return parts.length === 1 || parts.every(({ length }) => length <= LONG_CHARS) ? parts.join("") : "";
}

/**
 * The JSON text of a message in parts. Arguments whose text was kept are not serialized again, and answers that a client gave to a
 * server have their numbers digit for digit.
 */
export function toMessageText(message: LooseMessage): readonly string[] {
  const { params, ...head } = message;
  const write = isAnswering(message) ? writeKeptParts : JSON.stringify;
  const text = isPlainObject(params?.arguments) ? getKeptText(params.arguments) : undefined;
  if (text === undefined) return [write(message) ?? ""];
  const { arguments: _arguments, ...others } = params ?? {};
  const withoutText = write({ ...head, params: { ...others, arguments: null } }) ?? "";
  return [withoutText.slice(0, -ARGUMENTS_END.length), text, "}}"];
}

const isAnswering = ({ method, params }: LooseMessage): boolean =>
  method === undefined || params?.inputResponses !== undefined;
