import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** Where a file was read up to: whole lines only. Plain JSON. */
export interface LinePosition {
  /** Device and number of the file. */
  file: string;
  /** Bytes. */
  offset: number;
  /** How the file begins, in base64. */
  head: string;
}

export interface ReadLines {
  lines: string[];
  position: LinePosition;
}

const CHUNK_BYTES = 262_144;
const HEAD_BYTES = 64;
const NEWLINE = 10;

/** A file that grows, read line by line. Incomplete lines and characters are left for the next read. */
export class FileLines {
  private constructor(
    private readonly handle: FileHandle,
    readonly file: string,
  ) {}

  /** Never follows a link, and never blocks on a pipe. */
  static async open(path: string): Promise<FileLines> {
    const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw new Error("it is not a file");
      return new FileLines(handle, `${stats.dev}:${stats.ino}`);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  get beginning(): LinePosition {
    return { file: this.file, offset: 0, head: "" };
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  /** The position itself, or the beginning if the file was truncated or replaced since. */
  async resume(position: LinePosition | null): Promise<LinePosition> {
    if (position === null || position.file !== this.file) return this.beginning;
    const { size } = await this.handle.stat();
    const head = Buffer.from(position.head, "base64");
    const same = size >= position.offset && head.equals(await this.#bytes(0, head.length));
    return same ? position : this.beginning;
  }

  /** The whole lines of the next piece; null while there is none. `last`: text without a line break at the end counts as a line. */
  async next(position: LinePosition, last: boolean): Promise<ReadLines | null> {
    const bytes = await this.#bytes(position.offset, CHUNK_BYTES);
    const length = usableLength(bytes, last);
    if (length === 0) return null;
    const text = new TextDecoder().decode(bytes.subarray(0, length)).replaceAll("\0", "");
    const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
    const offset = position.offset + length;
    const known = Buffer.from(position.head, "base64").length;
    const head =
      known === HEAD_BYTES ? position.head : (await this.#bytes(0, Math.min(offset, HEAD_BYTES))).toString("base64");
    return { lines, position: { file: this.file, offset, head } };
  }

  async #bytes(from: number, length: number): Promise<Buffer> {
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await this.handle.read(buffer, 0, length, from);
    return buffer.subarray(0, bytesRead);
  }
}

function usableLength(bytes: Buffer, last: boolean): number {
  const newline = bytes.lastIndexOf(NEWLINE);
  if (newline >= 0) return newline + 1;
  if (bytes.length === CHUNK_BYTES) return wholeCharacters(bytes);
  return last ? bytes.length : 0;
}

/** A line that is longer than a piece is taken in pieces, not in the middle of a character. */
function wholeCharacters(bytes: Buffer): number {
  let at = bytes.length;
  while (at > bytes.length - 4 && ((bytes[at - 1] ?? 0) & 0xc0) === 0x80) at -= 1;
  return ((bytes[at - 1] ?? 0) & 0x80) === 0 ? bytes.length : at - 1;
}
