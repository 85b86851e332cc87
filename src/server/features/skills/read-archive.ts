import { crc32 } from "node:zlib";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import {
  MAX_SKILL_ARCHIVE_BYTES,
  MAX_SKILL_BYTES,
  MAX_SKILL_FILE_BYTES,
  MAX_SKILL_FILES,
} from "../../../lib/contract/skill-limits";
import { getMessage } from "../../../lib/get-message";
import { explainPath, isLeftover } from "../../../lib/skill-files";
import { AppError } from "../../platform/shared/app-error";
import type { FolderFile } from "./skill-folder";

/** Entries of folders and of what is left out are read too. */
const MAX_ENTRIES = 1000;
const STORED = 0;
const DEFLATED = 8;
const TYPE_MASK = 0o170_000;
const FOLDER = 0o040_000;
const REGULAR = 0o100_000;
const BACKSLASH = /\\/;

/**
 * Reads the files of a zip archive. What it declares is checked before anything is decompressed, and what is decompressed
 * against it.
 * @throws AppError INVALID that names the entry that keeps the archive from being read
 */
export async function readArchive(bytes: Buffer): Promise<FolderFile[]> {
  if (bytes.length > MAX_SKILL_ARCHIVE_BYTES) {
    throw refuse(null, `has ${bytes.length} bytes, more than the ${MAX_SKILL_ARCHIVE_BYTES} allowed`);
  }
  let archive: ZipFile;
  try {
    archive = await fromBufferPromise(bytes, { lazyEntries: true, strictFileNames: true });
  } catch (error) {
    throw refuse(null, `is not a zip archive that can be read: ${getMessage(error).slice(0, 300)}`);
  }
  const entries = await listFiles(archive);
  const files: FolderFile[] = [];
  for (const entry of entries) files.push({ path: entry.fileName, bytes: await readEntry(archive, entry) });
  return files;
}

/** The entries of files, each of which may be read. */
async function listFiles(archive: ZipFile): Promise<Entry[]> {
  if (archive.entryCount > MAX_ENTRIES) {
    throw refuse(null, `has ${archive.entryCount} entries, more than the ${MAX_ENTRIES} allowed`);
  }
  const files: Entry[] = [];
  let total = 0;
  try {
    for await (const entry of archive.eachEntry()) {
      const problem = explainEntry(entry);
      if (problem !== null) throw refuse(entry.fileName, problem);
      if (entry.fileName.endsWith("/") || isLeftover(entry.fileName)) continue;
      files.push(entry);
      total += entry.uncompressedSize;
      if (files.length > MAX_SKILL_FILES) throw refuse(null, `has more than the ${MAX_SKILL_FILES} files allowed`);
      if (total > MAX_SKILL_BYTES) {
        throw refuse(entry.fileName, `makes the files larger than the ${MAX_SKILL_BYTES} bytes allowed together`);
      }
    }
  } catch (error) {
    throw toRefusal(error);
  }
  return files;
}

/** Says why an entry must not be read; null where it may. */
function explainEntry(entry: Entry): string | null {
  const { fileName, uncompressedSize, compressionMethod } = entry;
  const type = (entry.externalFileAttributes >>> 16) & TYPE_MASK;
  const isFolder = fileName.endsWith("/");
  if (entry.isEncrypted()) return "is encrypted: make the archive without a password";
  if (type !== 0 && type !== (isFolder ? FOLDER : REGULAR)) return "is a link or a device, not a file: leave it out";
  const problem = explainPath(isFolder ? fileName.slice(0, -1) : fileName);
  if (problem !== null) return problem;
  if (isFolder) return uncompressedSize === 0 ? null : "is a folder with content";
  if (compressionMethod !== STORED && compressionMethod !== DEFLATED) {
    return "is compressed in another way than deflate: make the archive again";
  }
  return uncompressedSize > MAX_SKILL_FILE_BYTES && !isLeftover(fileName)
    ? `has ${uncompressedSize} bytes, more than the ${MAX_SKILL_FILE_BYTES} allowed`
    : null;
}

async function readEntry(archive: ZipFile, entry: Entry): Promise<Buffer> {
  const { fileName } = entry;
  const pieces: Buffer[] = [];
  try {
    // yauzl ends the stream with an error as soon as it has more bytes than the entry declares.
    for await (const piece of await archive.openReadStreamPromise(entry)) pieces.push(piece as Buffer);
  } catch (error) {
    throw refuse(fileName, `cannot be decompressed: ${getMessage(error).slice(0, 300)}`);
  }
  const bytes = Buffer.concat(pieces);
  if (crc32(bytes) !== entry.crc32) throw refuse(fileName, "is damaged: its checksum is another one");
  return bytes;
}

/** yauzl refuses names with `..`, a leading slash or a backslash itself, with the name in its message. */
function toRefusal(error: unknown): AppError {
  if (error instanceof Error && error.name === "AppError") return error as AppError;
  const message = getMessage(error).slice(0, 300);
  const [, name] =
    /^(?:invalid relative path|absolute path|invalid characters in fileName): (.*)$/s.exec(message) ?? [];
  if (name === undefined) return refuse(null, `is damaged: ${message}`);
  const reason = BACKSLASH.test(name) ? "has a backslash in its name" : "leads out of the skill's folder";
  return refuse(name, `${reason}: rename it`);
}

/** @param entry the entry of the archive; null for the archive itself */
function refuse(entry: string | null, message: string): AppError {
  const path = entry === null ? "archive" : `archive: ${JSON.stringify(entry.slice(0, 200))}`;
  return new AppError("INVALID", `${path} ${message}`, [{ path: "archive", message: `${path} ${message}` }]);
}
