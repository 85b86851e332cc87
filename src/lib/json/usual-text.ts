/** Marks of texts that differ from the form of `JSON.stringify`, in which secrets are searched, or that span lines. */
const UNUSUAL = ["\\u", "\\/", "\n", "\r"];
const ESCAPES = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|.)/g;
/** The length of the longest escape of one unit: `\u1234`. */
const UNIT_CHARS = 6;
/** Takes some milliseconds where each character is escaped. */
const SLICE_CHARS = 64 * 1024;
const SPACE = 0x20;

export const isUnusual = (text: string): boolean => UNUSUAL.some((part) => text.includes(part));

/** JSON text with the same tokens in one line, whose letters are not escaped. */
export function toUsualText(text: string): string {
  if (!isUnusual(text)) return text;
  // In JSON a line break is always between tokens.
  const line = text.replaceAll("\n", " ").replaceAll("\r", " ");
  return line.includes("\\u") || line.includes("\\/") ? line.replace(ESCAPES, toUsualEscape) : line;
}

/** Converts a long text in slices, so that other work runs in between. */
export async function toUsualTextInSlices(text: string): Promise<string> {
  if (!isUnusual(text)) return text;
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + SLICE_CHARS, text.length);
    while (end < text.length && !isBetweenEscapes(text, end)) end += 1;
    parts.push(toUsualText(text.slice(start, end)));
    start = end;
    await new Promise((resolve) => void setImmediate(resolve));
  }
  return parts.join("");
}

function isBetweenEscapes(text: string, at: number): boolean {
  const before = text.slice(at - UNIT_CHARS, at);
  if (text[at] !== "\\") return !before.includes("\\");
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 0 && !/^\\u[dD][89abAB]/.test(before);
}

function toUsualEscape(written: string): string {
  if (written === "\\/") return "/";
  if (written.length === 2) return written;
  if (written.length > UNIT_CHARS) return JSON.parse(`"${written}"`) as string;
  const code = Number.parseInt(written.slice(2), 16);
  const letter = String.fromCharCode(code);
  if (letter === '"' || letter === "\\") return `\\${letter}`;
  return code < SPACE || (code >= 0xd8_00 && code <= 0xdf_ff) ? written : letter;
}
