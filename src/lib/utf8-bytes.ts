const LONG_TEXT = 512;
const encoder = new TextEncoder();

/** UTF-8 bytes of a text. */
export function utf8Bytes(text: string): number {
  // Encoding is native code, which wins over looking at each character as soon as the text is long.
  if (text.length > LONG_TEXT) return encoder.encode(text).length;
  // Most JSON is ASCII, where the two counts agree and nothing needs encoding.
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) return index + encoder.encode(text.slice(index)).length;
  }
  return text.length;
}
