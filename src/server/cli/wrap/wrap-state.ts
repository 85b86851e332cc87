import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { z } from "zod";
import { moveFileSync } from "../../../../scripts/move-file.mjs";
import { isAlive } from "../../../../scripts/running-server.mjs";
import { CommandError, EXIT } from "../command-error";

const editSchema = z.object({ start: z.number().int(), end: z.number().int(), text: z.string() });

/** What one run of `wrap` did to a file. Values of the file are only in its backup. */
const wrappedFileSchema = z.object({
  client: z.string(),
  path: z.string(),
  /** A file beside the state, with the original bytes. */
  backup: z.string(),
  originalHash: z.string(),
  wrappedHash: z.string(),
  /** The edits from the original text to the wrapped one. */
  edits: z.array(editSchema),
  /** The servers that were taken out, by their positions in the original. */
  sections: z.array(z.object({ path: z.array(z.string()), positions: z.array(z.number().int()) })),
  /** The name of the entry that was added. */
  entryName: z.string(),
  wrappedAt: z.number(),
});
export type WrappedFile = z.infer<typeof wrappedFileSchema>;

const stateSchema = z.object({ version: z.literal(1), files: z.array(wrappedFileSchema) });

export const hashBytes = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/**
 * The wrapped files, newest last: a file that was wrapped again is there again, and is unwrapped in the opposite order. Each
 * file of a client is replaced in one step, after its backup and its record are on the disk.
 */
export class WrapState {
  readonly #folder: string;
  #files: WrappedFile[];

  private constructor(folder: string) {
    this.#folder = folder;
    this.#files = readState(path.join(folder, "state.json"));
  }

  /** @param dataFolder where the database is */
  static open(dataFolder: string): WrapState {
    return new WrapState(path.join(dataFolder, "wrap"));
  }

  get files(): readonly WrappedFile[] {
    return this.#files;
  }

  backupPath(file: Pick<WrappedFile, "backup">): string {
    return path.join(this.#folder, file.backup);
  }

  /** @throws CommandError where the backup is gone or another file */
  readBackup(file: WrappedFile): Buffer {
    const backup = this.backupPath(file);
    const bytes = readIfThere(backup);
    if (bytes !== null && hashBytes(bytes) === file.originalHash) return bytes;
    const fault = bytes === null ? "is gone" : "was changed";
    throw new CommandError(EXIT.notFound, `${file.path} is left as it is: its backup ${backup} ${fault}.`);
  }

  /** Keeps the bytes of a file before it changes. */
  add(record: Omit<WrappedFile, "backup">, original: Buffer): void {
    const backup = `${record.client}-${randomBytes(4).toString("hex")}-${path.basename(record.path)}`;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFile(path.join(this.#folder, backup), original, 0o600);
    this.#files = [...this.#files, { ...record, backup }];
    this.#save();
  }

  replace(file: WrappedFile, by: WrappedFile): void {
    this.#files = this.#files.map((other) => (other === file ? by : other));
    this.#save();
  }

  /** Keeps the backup. */
  remove(file: WrappedFile): void {
    this.#files = this.#files.filter((other) => other !== file);
    this.#save();
  }

  #save(): void {
    const text = `${JSON.stringify({ version: 1, files: this.#files }, null, 2)}\n`;
    replaceFile(path.join(this.#folder, "state.json"), Buffer.from(text), 0o600);
  }
}

/**
 * Locks the folder: one command changes files at a time.
 * @returns a function that releases the lock
 * @throws CommandError while another one holds it
 */
export function lockState(dataFolder: string): () => void {
  const folder = path.join(dataFolder, "wrap");
  const file = path.join(folder, "lock");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const holder = Number(readIfThere(file)?.toString() ?? 0);
  if (holder > 0 && holder !== process.pid && isAlive(holder)) {
    throw new CommandError(
      EXIT.refused,
      "Another wrap or unwrap is running.",
      "Run the command again once it has ended.",
    );
  }
  rmSync(file, { force: true });
  try {
    writeFile(file, Buffer.from(String(process.pid)), 0o600);
  } catch {
    throw new CommandError(
      EXIT.refused,
      "Another wrap or unwrap is running.",
      "Run the command again once it has ended.",
    );
  }
  return () => rmSync(file, { force: true });
}

function readState(file: string): WrappedFile[] {
  const bytes = readIfThere(file);
  if (bytes === null) return [];
  try {
    return stateSchema.parse(JSON.parse(bytes.toString())).files;
  } catch {
    const wayOut = "The files as they were are beside it: copy them back, then delete it.";
    throw new CommandError(EXIT.usage, `${file} is damaged, or of a newer Toolroom.`, wayOut);
  }
}

/** Opening a named pipe waits for its other end, and a device may have no end: neither is read. @throws Error for them */
function readRegularFile(file: string): Buffer {
  const opened = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(opened);
    if (!stats.isFile() && !stats.isDirectory()) throw new Error("it is no regular file");
    return readFileSync(opened);
  } finally {
    closeSync(opened);
  }
}

export function readIfThere(file: string): Buffer | null {
  try {
    return readRegularFile(file);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR") return null;
    throw error;
  }
}

/** Another program sees the file as it was or as it will be. A link stays one: its target is replaced. */
export function replaceFile(file: string, bytes: Buffer, mode?: number): void {
  const target = readIfThere(file) === null ? file : realpathSync(file);
  const draft = `${target}.toolroom-new`;
  try {
    rmSync(draft, { force: true });
    writeFile(draft, bytes, mode ?? statSync(target).mode & 0o777);
    moveFileSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function writeFile(file: string, bytes: Buffer, mode: number): void {
  const handle = openSync(file, "wx", mode);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
    // `fchmod` ignores the process's mask: the file keeps its permissions.
    fchmodSync(handle, mode);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
