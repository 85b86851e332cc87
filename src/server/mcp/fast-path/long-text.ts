import { isPlainObject } from "../../../lib/contract/json";
import { getKeptText, keepText } from "../../../lib/json/known-text";
import { findStringEnd } from "../../../lib/too-many-keys";
import type { LooseMessage } from "../client/transport/json-rpc";

/** From here on the copies that V8 makes of a text cost more than looking for a way around them. */
const LONG_CHARS = 16_384;
/** Text between its strings: beyond, serializing the value again is as fast as reading the text. */
const MAX_CHARS_BETWEEN = 2_000;
/** In texts that have another form than `JSON.stringify` gives them, in which secrets are searched, or that span lines. */
const UNUSUAL = ["\\u", "\\/", "\n", "\r"];

/** The end of a message whose arguments are null. */
const ARGUMENTS_END = "null}}";

const QUOTE = 34;
const COLON = 58;

export const isUnusual = (text: string): boolean => UNUSUAL.some((part) => text.includes(part));

/**
 * What is written to a socket or a pipe. Long texts are bytes: V8 copies a string when it is joined and again when a header is put
 * in front of it, and Node takes three times its length to encode it.
 */
export function joinForWriting(parts: readonly string[]): string | Buffer {
  if (!parts.some(({ length }) => length > LONG_CHARS)) return parts.join("");
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0));
  let at = 0;
  for (const part of parts) at += bytes.write(part, at);
  return bytes;
}

/** Keeps the text of long arguments for the server of the tool, unless a server could read something else in it than was validated. */
export function keepArgumentsText(value: object, text: string): void {
  if (text.length > LONG_CHARS && !isUnusual(text) && hasNoDuplicates(value, text)) keepText(value, text);
}

/** The JSON text of a `tools/call` in parts: arguments whose text was kept are not serialized again. */
export function toCallText(message: LooseMessage): readonly string[] {
  const { params, ...head } = message;
  const text = isPlainObject(params?.arguments) ? getKeptText(params.arguments) : undefined;
  if (text === undefined) return [JSON.stringify(message)];
  const { arguments: _arguments, ...others } = params ?? {};
  const withoutText = JSON.stringify({ ...head, params: { ...others, arguments: null } });
  return [withoutText.slice(0, -ARGUMENTS_END.length), text, "}}"];
}

/** Whether the text has as many members as the value that was parsed from it. False also for a text that has much between its strings. */
function hasNoDuplicates(value: object, text: string): boolean {
  let members = 0;
  let between = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) index = findStringEnd(text, index);
    else if (unit === COLON) members += 1;
    between += 1;
    if (between > MAX_CHARS_BETWEEN) return false;
  }
  return members === countMembers(value);
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const parts = Object.values(value);
  return parts.reduce<number>((sum, part) => sum + countMembers(part), Array.isArray(value) ? 0 : parts.length);
}
