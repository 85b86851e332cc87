import { stat } from "node:fs/promises";
import { messageOf } from "../../lib/message-of";
import { allowedPath, isMissing, PathRefused } from "./allowed-path";
import { FileLines, type LinePosition } from "./file-lines";

export interface TailedFile {
  /** Whole lines, in order. Reading continues when this resolves, and from the same position when it rejects. */
  onLines(lines: readonly string[], position: LinePosition): Promise<void>;
  onTrouble(reason: string | null): void;
  onFault(reason: string): void;
}

export interface FileTailOptions {
  /** Only files below these are read; a relative path is relative to the first. */
  allowedFolders: readonly string[];
  pollMs?: number;
}

const POLL_MS = 300;

/**
 * Follows growing files by polling, since file system events get lost on network drives and in containers. A file may not
 * exist yet, be truncated, rotated or deleted; the next one of its name is read from the beginning.
 */
export function createFileTail({ allowedFolders, pollMs = POLL_MS }: FileTailOptions) {
  return {
    async check(path: string): Promise<void> {
      try {
        const real = await allowedPath(path, allowedFolders);
        const stats = await stat(real).catch((error: unknown) => {
          if (!isMissing(error)) throw error;
          return null;
        });
        if (stats !== null && !stats.isFile()) throw new PathRefused("this is not a file");
      } catch (error) {
        throw new Error(`source.path: ${reasonOf(error)}`, { cause: error });
      }
    },
    watch: (path: string, position: LinePosition | null, watched: TailedFile) =>
      new Tail(path, position, watched, allowedFolders, pollMs),
  };
}

class Tail {
  #lines: FileLines | null = null;
  #trouble: string | null | undefined;
  #closed = false;
  #wake: () => void = () => undefined;
  readonly #done: Promise<void>;

  constructor(
    private readonly path: string,
    private position: LinePosition | null,
    private readonly watched: TailedFile,
    private readonly folders: readonly string[],
    private readonly pollMs: number,
  ) {
    this.#done = this.#follow();
  }

  async close({ handOver }: { handOver: boolean }): Promise<void> {
    const wasClosed = this.#closed;
    this.#closed = true;
    this.#wake();
    // `onFault` is called from within the loop: awaiting the loop there would never end.
    if (!wasClosed) await this.#done;
    if (handOver && !wasClosed) await this.#readNew(true).catch(() => undefined);
    await this.#lines?.close();
    this.#lines = null;
  }

  async #follow(): Promise<void> {
    while (!this.#closed) {
      try {
        this.#report(await this.#readNew(false));
      } catch (error) {
        if (error instanceof PathRefused) {
          this.#closed = true;
          this.watched.onFault(`source.path: ${error.message}`);
          return;
        }
        this.#report(`source.path: ${reasonOf(error)}; retrying`);
      }
      if (!this.#closed) await this.#pause();
    }
  }

  /** Reads the new lines. @returns why the file cannot be read; null when it can */
  async #readNew(last: boolean): Promise<string | null> {
    const real = await allowedPath(this.path, this.folders);
    const now = await stat(real).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
      return null;
    });
    if (now === null) {
      // Its writer may still append to the renamed or deleted file.
      if (this.#lines !== null) await this.#drain(this.#lines, last);
      return "source.path: the file does not exist; it is read as soon as it does";
    }
    if (!now.isFile()) throw new PathRefused("this is not a file");
    if (this.#lines !== null && this.#lines.file !== `${now.dev}:${now.ino}`) {
      await this.#drain(this.#lines, true);
      await this.#lines.close();
      this.#lines = null;
    }
    this.#lines ??= await FileLines.open(real);
    this.position = await this.#lines.resume(this.position);
    await this.#drain(this.#lines, last);
    return null;
  }

  async #drain(lines: FileLines, last: boolean): Promise<void> {
    this.position = await lines.resume(this.position);
    for (;;) {
      const read = await lines.next(this.position, last);
      if (read === null) return;
      await this.watched.onLines(read.lines, read.position);
      this.position = read.position;
      if (this.#closed && !last) return;
    }
  }

  #report(trouble: string | null): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.watched.onTrouble(trouble);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.pollMs);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Without the file system's message, which contains the resolved path. */
function reasonOf(error: unknown): string {
  if (error instanceof PathRefused) return error.message;
  const code = (error as { code?: unknown } | null)?.code;
  if (code === "EACCES" || code === "EPERM") return "Toolroom's user has no permission to read the file";
  return typeof code === "string" ? `the file cannot be read (${code})` : messageOf(error);
}
