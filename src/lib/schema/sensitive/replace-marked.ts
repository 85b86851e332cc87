import type { ToolDefinition } from "../../contract/tool-definition";
import { isJsonText } from "../../json/is-json-text";
import { toMask } from "../../masked-value";
import { findMarked } from "./find-marked";
import { getMarks } from "./marks";

/** The text in place of a value that a page does not show. */
export const CONCEALED = "••••••";
/** The text in place of a value that a page does not keep: the form then asks for it again. */
export const NOT_KEPT = toMask("0".repeat(12));

/**
 * The JSON text of arguments with another text in place of each value that the tool marks as secret. Null for a text that
 * is not JSON while the tool marks any.
 */
export function replaceMarked(text: string, definition: ToolDefinition, replacement: string): string | null {
  const { arguments: marks } = getMarks(definition);
  if (marks === null) return text;
  if (!isJsonText(text)) return null;
  let at = 0;
  let replaced = "";
  for (const { start, end } of findMarked(text, marks)) {
    if (text.slice(start, end) === '""') continue;
    replaced += `${text.slice(at, start)}"${replacement}"`;
    at = end;
  }
  return replaced + text.slice(at);
}
