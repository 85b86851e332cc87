/** A copy: a plain slice keeps the whole string in memory. */
export function flatHead(text: string, maxChars: number): string {
  return Buffer.from(text.slice(0, maxChars), "utf16le").toString("utf16le");
}
