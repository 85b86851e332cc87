const LONG_TEXT = 512;
const encoder = new TextEncoder();
const PART_CHARS = 65_536;
let buffer: Uint8Array | undefined;

export function utf8Bytes(text: string): number {
  // Encoding is native code, which wins over looking at each character as soon as the text is long.
  if (text.length > LONG_TEXT) return countEncoded(text);
  // Most JSON is ASCII, where the two counts agree and nothing needs encoding.
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) return index + encoder.encode(text.slice(index)).length;
  }
  return text.length;
}

/** Encodes in parts: encoding a long text whole would use as much memory again. */
function countEncoded(text: string): number {
  buffer ??= new Uint8Array(3 * PART_CHARS);
  let bytes = 0;
  for (let at = 0; at < text.length; ) {
    // Half a surrogate pair at a part's end is read with the next one.
    const { read, written } = encoder.encodeInto(text.slice(at, at + PART_CHARS), buffer);
    at += read;
    bytes += written;
  }
  return bytes;
}
