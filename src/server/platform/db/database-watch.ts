import { mkdirSync, rmSync, statSync } from "node:fs";

import path from "node:path";
import type { Logger } from "../../engine/ports";
import { AppError } from "../shared/app-error";
import { copyDatabase } from "./copy-database";
import { PRIVATE_FOLDER } from "./private-files";
import type { RawDatabase } from "./sqlite/connection";

const CHECK_MS = 1_000;

/** One of the files of the write-ahead log, and what it was when the database was opened. */
interface Journal {
  file: string;
  opened: string;
}

/**
 * Notices that the file of an open database was deleted or replaced: SQLite still writes to the file that it opened,
 * which no longer has a name, and all of it is lost when the process ends. From then on every write is refused until a
 * restart, and the data written so far is copied out of the open file. A file whose content is overwritten in place
 * keeps its identity and is not noticed.
 */
export class DatabaseWatch {
  readonly #raw: RawDatabase;
  readonly #filePath: string;
  readonly #logger: Logger;
  #opened: string;
  readonly #journals: Journal[];
  readonly #listeners = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  #problem: string | null = null;
  #saving: Promise<void> = Promise.resolve();

  constructor(raw: RawDatabase, filePath: string, logger: Logger) {
    this.#raw = raw;
    this.#filePath = filePath;
    this.#logger = logger;
    this.#opened = identifyFile(filePath);
    this.#journals = ["-wal", "-shm"].map((suffix) => {
      const file = filePath + suffix;
      return { file, opened: identifyFile(file) };
    });
    this.#timer = setInterval(() => this.check(), CHECK_MS);
    this.#timer.unref();
  }

  /** @throws AppError once it is known that the files are not those that were opened */
  demandTrusted(): void {
    if (this.#problem !== null) throw new AppError("UNAVAILABLE", this.#problem);
  }

  /** Looks at the file, so it costs a tenth of a commit. @throws AppError as `demandTrusted` */
  demandIntact(): void {
    if (identifyFile(this.#filePath) !== this.#opened) this.#checkFile();
    this.demandTrusted();
  }

  /** Looks at all files now; also done every second. */
  check(): void {
    this.#checkFile();
    for (const journal of this.#journals) this.#checkJournal(journal);
  }

  /** Returns the problem with its fix; null for none. */
  problem(): string | null {
    return this.#problem;
  }

  /** Called when `problem` changes. */
  onProblem(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Stops the checks, and waits for a copy that is being made. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#saving;
  }

  #checkFile(): void {
    if (this.#problem !== null || !this.#raw.open) return;
    const found = identifyFile(this.#filePath);
    if (this.#opened === UNKNOWN) this.#opened = found;
    if (found === this.#opened || found === UNKNOWN) return;
    const isMissing = found === MISSING;
    const what = `The database file ${this.#filePath} was ${isMissing ? "deleted or moved" : "replaced"} while Toolroom was running.`;
    const refused = `${what} Calls are refused until Toolroom restarts, even if the file comes back.`;
    this.#report(
      isMissing
        ? `${refused} Stop Toolroom, put the database back at ${this.#filePath}, and start it again.`
        : `${refused} Restart Toolroom to use the file that is there now.`,
    );
    this.#logger.error({ database: this.#filePath }, what);
    this.#saving = this.#save(refused, isMissing);
  }

  async #save(refused: string, isMissing: boolean): Promise<void> {
    const database = this.#filePath;
    const copy = `${database}.saved-${new Date().toISOString().replace(/[-:]|\.\d+/g, "")}.bak`;
    try {
      mkdirSync(path.dirname(database), { recursive: true, mode: PRIVATE_FOLDER });
      await copyDatabase(this.#raw, copy);
      this.#removeJournals();
    } catch (error) {
      this.#logger.error({ database, err: error }, "The data of the lost database file could not be saved");
      return;
    }
    const orElse = isMissing ? "." : ", or restart it to use the file that is there now.";
    this.#report(
      `${refused} All data up to that point is in ${copy}. Stop Toolroom, move that file to ${database}, and start it again${orElse}`,
    );
    this.#logger.error({ database, copy }, "The data of the lost database file was saved. Calls are refused");
  }

  /** The journals belong to the deleted file; SQLite would apply them to any file that is there at the next start. */
  #removeJournals(): void {
    for (const { file, opened } of this.#journals) if (opened === identifyFile(file)) rmSync(file, { force: true });
  }

  #checkJournal(journal: Journal): void {
    if (this.#problem !== null || !this.#raw.open) return;
    const found = identifyFile(journal.file);
    if (journal.opened === MISSING || journal.opened === UNKNOWN) journal.opened = found;
    if (found === journal.opened || found === UNKNOWN) return;
    const what = `The file ${journal.file}, which belongs to the database, was deleted or replaced while Toolroom was running.`;
    const saved = moveJournalIntoFile(this.#raw);
    const data = saved ? "All data up to that point is in the database file. " : "";
    this.#report(`${what} Calls are refused. ${data}Restart Toolroom.`);
    this.#logger.error({ database: this.#filePath, file: journal.file, saved }, `${what} Calls are refused`);
  }

  #report(problem: string): void {
    this.#problem = problem;
    for (const listener of this.#listeners) listener();
  }
}

function moveJournalIntoFile(raw: RawDatabase): boolean {
  try {
    const result: unknown = raw.pragma("wal_checkpoint(TRUNCATE)");
    return Array.isArray(result) && Number(result[0]?.busy) === 0;
  } catch {
    return false;
  }
}

const MISSING = "missing";
/** The file system does not respond; the file may still exist. */
export const UNKNOWN = "unknown";

/** Device and inode: they change when a file is replaced, and stay when it is written. */
export function identifyFile(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? MISSING : `${found.dev}:${found.ino}`;
  } catch {
    return UNKNOWN;
  }
}
