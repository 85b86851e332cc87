import { statfsSync } from "node:fs";
import path from "node:path";
import { formatBytes } from "../../../lib/format";
import type { Logger } from "../../engine/ports";

/** Bytes of the disk that holds a folder. @throws where the system does not report them */
export type ReadDisk = (folder: string) => { free: number; total: number };

export interface DiskState {
  /** Null where the system does not report it. */
  freeBytes: number | null;
  totalBytes: number | null;
  /** Much of the disk is used: what to do. Null while there is enough. */
  warning: string | null;
  /** Whether new calls are refused. */
  refusesCalls: boolean;
}

const CHECK_MS = 5_000;
const WARN_SHARE = 0.8;
/** Kept for what must still be written: ends of calls that run, deletions, the audit log. */
const RESERVE_BYTES = 64 * 1024 * 1024;
const RESERVE_SHARE = 0.1;
/** The time between two checks while calls start: fast ones fill a small disk within seconds. */
const FRESH_MS = 250;
const WAY_OUT = "Free some space on that disk, or delete calls and old copies: Settings → Storage";

const readDisk: ReadDisk = (folder) => {
  const { bavail, bfree, blocks, bsize } = statfsSync(folder);
  // Excludes the blocks that only the system's administrator may fill, as `df` does.
  return { free: bavail * bsize, total: (blocks - bfree + bavail) * bsize };
};

/** `12 MB are free on the disk.`, or nothing where the system does not say. */
export function describeFree(filePath: string, read: ReadDisk = readDisk): string {
  try {
    return ` ${formatBytes(read(path.dirname(filePath)).free)} are free on its disk.`;
  } catch {
    return "";
  }
}

type DiskLevel = "enough" | "warned" | "refused";

/** Knows how full the disk of the database is, before SQLite fails on it. */
export class DiskSpace {
  readonly #folder: string;
  readonly #logger: Logger;
  readonly #read: ReadDisk;
  readonly #timer: NodeJS.Timeout;
  #found: { free: number; total: number } | null = null;
  /** A write failed for lack of space: a quota may be smaller than the disk. */
  #refused = false;
  /** The level that was logged last: none, the disk fills up, or calls are refused. */
  #said: DiskLevel = "enough";
  readonly #listeners: (() => void)[] = [];
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(filePath: string, logger: Logger, read: ReadDisk = readDisk) {
    this.#folder = path.dirname(filePath);
    this.#logger = logger;
    this.#read = read;
    this.check();
    this.#timer = setInterval(() => this.check(), CHECK_MS).unref();
  }

  /** Checks now; a timer also does so every five seconds. */
  check(): void {
    this.#checkedAt = performance.now();
    try {
      this.#found = this.#read(this.#folder);
    } catch {
      this.#found = null;
    }
    const level = this.#findLevel();
    if (level !== this.#said) this.#say(level);
  }

  /** Called when calls begin to be refused, when a warning begins, and when either is over. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** How full the disk is, without the words for it: calls look at it several times a second. */
  #findLevel(): DiskLevel {
    if (this.#refused) return "refused";
    if (this.#found === null) return "enough";
    const { free, total } = this.#found;
    if (free < Math.min(RESERVE_BYTES, total * RESERVE_SHARE)) return "refused";
    return total === 0 || 1 - free / total < WARN_SHARE ? "enough" : "warned";
  }

  #say(now: DiskLevel): void {
    const { warning } = this.state();
    const before = this.#said;
    this.#said = now;
    const folder = { folder: this.#folder };
    if (now === "refused") this.#logger.error(folder, `New calls are refused. ${warning}`);
    else if (now === "enough") this.#logger.info(folder, "The disk of the database has room again");
    else this.#logger.warn(folder, before === "refused" ? `Calls run again. ${warning}` : (warning ?? ""));
    for (const listener of this.#listeners) listener();
  }

  /** @param failed whether a write failed since the disk is full; else one succeeded */
  noteWrite(failed: boolean): void {
    if (failed === this.#refused) return;
    this.#refused = failed;
    this.check();
  }

  /** Why no call is started; null while there is room for it. */
  readonly problem = (): string | null => {
    if (!this.#refused && performance.now() - this.#checkedAt > FRESH_MS) this.check();
    return this.#said === "refused" ? this.#describe(this.#said) : null;
  };

  #describe(level: DiskLevel): string | null {
    if (level === "enough") return null;
    if (this.#refused || this.#found === null) return `The disk of the database is full. ${WAY_OUT}`;
    const { free, total } = this.#found;
    const left = formatBytes(free);
    if (level === "refused") return `The disk of the database is almost full: ${left} free. ${WAY_OUT}`;
    const percent = Math.floor((1 - free / total) * 100);
    return `${percent}% of the disk of the database is used: ${left} free. ${WAY_OUT}`;
  }

  state(): DiskState {
    const level = this.#findLevel();
    return {
      freeBytes: this.#found?.free ?? null,
      totalBytes: this.#found?.total ?? null,
      warning: this.#describe(level),
      refusesCalls: level === "refused",
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
