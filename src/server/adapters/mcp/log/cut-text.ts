/** The head of a text, with a note of how much is missing. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${flatHead(text, maxChars)}… [${text.length - maxChars} more characters]`;
}

/** A copy: a plain slice keeps the whole string in memory. */
export function flatHead(text: string, maxChars: number): string {
  return Buffer.from(text.slice(0, maxChars), "utf16le").toString("utf16le");
}
