import { formatNode } from "../../lib/json-diff/format-node";
import { parseJsonNode } from "../../lib/json-diff/json-node";
import { stripControlCharacters } from "../../lib/strip-control-characters";
import type { CommandIo } from "./command-io";

/** The most characters that are formatted for a terminal. */
const MAX_FORMATTED_CHARS = 2_000_000;
const MAX_FORMATTED_LEVELS = 400;

/** JSON for a program as it is; for a user on a terminal indented, a string as its text. */
export function formatResult(text: string, { stdout }: Pick<CommandIo, "stdout">): string {
  return stdout.isTTY === true ? `${formatForUser(text)}\n` : `${text}\n`;
}

/** Formats for a terminal: numbers keep all their digits, and nothing moves the cursor. */
export function formatForUser(text: string): string {
  if (text.length > MAX_FORMATTED_CHARS) return stripControlCharacters(text);
  const node = parseJsonNode(text);
  if (node === null || node.height > MAX_FORMATTED_LEVELS) return stripControlCharacters(text);
  if (text.startsWith('"')) return stripControlCharacters(JSON.parse(text) as string);
  return stripControlCharacters(formatNode(node));
}
