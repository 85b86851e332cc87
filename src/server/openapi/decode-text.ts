const MARKS: readonly (readonly [encoding: string, ...bytes: number[]])[] = [
  ["utf-8", 0xef, 0xbb, 0xbf],
  ["utf-16le", 0xff, 0xfe],
  ["utf-16be", 0xfe, 0xff],
];

/** The encoding that a byte order mark at the beginning names; null without one. */
export function findMark(bytes: Uint8Array): string | null {
  return MARKS.find(([, ...mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0] ?? null;
}

/**
 * Text as its byte order mark says, else as its content type, else in UTF-8; the mark is no part of the text. An unknown
 * charset counts as UTF-8.
 */
export function decodeText(bytes: Uint8Array, type = ""): string {
  const charset = /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(type)?.[1];
  try {
    return new TextDecoder(findMark(bytes) ?? charset ?? "utf-8").decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
