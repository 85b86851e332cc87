/** The head of a text, which says how much is missing. Holds no reference to the rest. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${flatHead(text, maxChars)}… [${text.length - maxChars} more characters]`;
}

/** A slice of a long string keeps the whole string in memory; this one is a copy. */
export function flatHead(text: string, maxChars: number): string {
  return Buffer.from(text.slice(0, maxChars), "utf16le").toString("utf16le");
}
