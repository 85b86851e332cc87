/** Larger images do not count as icons. */
export const MAX_ICON_BYTES = 64 * 1024;

export interface IconImage {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** How much of a text is looked at for the element that makes it an SVG. */
const SVG_HEAD_CHARS = 1_000;

const SIGNATURES: readonly [type: string, at: number, bytes: readonly number[]][] = [
  ["image/png", 0, [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", 0, [0xff, 0xd8, 0xff]],
  ["image/gif", 0, [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", 8, [0x57, 0x45, 0x42, 0x50]],
  ["image/x-icon", 0, [0, 0, 1, 0]],
];

/** Recognizes an image by its bytes, regardless of its declared type; null for anything that is not a small image. */
export function readImage(bytes: Uint8Array<ArrayBuffer>): IconImage | null {
  if (bytes.length === 0 || bytes.length > MAX_ICON_BYTES) return null;
  const found = SIGNATURES.find(([, at, signature]) => signature.every((byte, index) => bytes[at + index] === byte));
  if (found !== undefined) return { type: found[0], bytes };
  const head = new TextDecoder().decode(bytes.subarray(0, SVG_HEAD_CHARS)).trimStart();
  return /^(?:<\?xml|<!--|<!doctype svg|<svg[\s>])/i.test(head) && /<svg[\s>]/i.test(head)
    ? { type: "image/svg+xml", bytes }
    : null;
}

/** Reads an address such as `data:image/png;base64,…`. */
export function readDataAddress(src: string): IconImage | null {
  const comma = src.indexOf(",");
  if (comma === -1) return null;
  const isBase64 = /;\s*base64\s*$/i.test(src.slice(0, comma));
  const text = src.slice(comma + 1);
  try {
    return readImage(new Uint8Array(Buffer.from(decodeURIComponent(text), isBase64 ? "base64" : "utf8")));
  } catch {
    return null;
  }
}
