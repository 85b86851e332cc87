import type { TextSpan } from "../../../lib/json/json-text";
import { isSecret } from "../../../lib/server-settings/hide-secrets";

/** A string or a number of a JSON text, and whether a string is a key. */
const SCALARS = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*/g;
/** A longer value is checked by its key alone: no kind of key is as long. */
const MAX_VALUE_CHARS = 4_096;

/**
 * The values of a JSON text that are secrets by their key or by their kind, for arguments that no schema describes. Each
 * value of a list counts as one of the list's key.
 */
export function findLikelySecrets(text: string): TextSpan[] {
  const found: TextSpan[] = [];
  let key = "";
  for (const match of text.matchAll(SCALARS)) {
    const [whole, colon] = match;
    if (colon !== undefined) {
      key = readText(whole.slice(0, -colon.length));
      continue;
    }
    const value = whole.startsWith('"') ? readText(whole) : whole;
    if (!isSecret(key, value.length > MAX_VALUE_CHARS ? value.slice(0, MAX_VALUE_CHARS) : value)) continue;
    found.push({ start: match.index, end: match.index + whole.length });
  }
  return found;
}

function readText(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return json;
  }
}
