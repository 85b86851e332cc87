import { statfsSync } from "node:fs";
import path from "node:path";
import { formatBytes } from "../../../lib/format";
import type { Logger } from "../../engine/ports";

/** Bytes of the disk that holds a folder. @throws where the system does not say */
export type ReadDisk = (folder: string) => { free: number; total: number };

export interface DiskState {
  /** Null where the system does not say. */
  freeBytes: number | null;
  totalBytes: number | null;
  /** Much of the disk is used: what to do. Null while there is enough. */
  warning: string | null;
}

const CHECK_MS = 5_000;
const WARN_SHARE = 0.8;
/** Kept for what must still be written: ends of calls that run, deletions, the audit log. */
const RESERVE_BYTES = 64 * 1024 * 1024;
const RESERVE_SHARE = 0.1;
/** Between two looks, while calls start: fast ones fill a small disk within seconds. */
const FRESH_MS = 250;
const WAY_OUT = "Free some space on that disk, or delete executions: Executions → Delete";

const readDisk: ReadDisk = (folder) => {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { free: bavail * bsize, total: blocks * bsize };
};

/** `12 MB are free on the disk.`, or nothing where the system does not say. */
export function describeFree(filePath: string, read: ReadDisk = readDisk): string {
  try {
    return ` ${formatBytes(read(path.dirname(filePath)).free)} are free on its disk.`;
  } catch {
    return "";
  }
}

/** Knows how full the disk of the database is, before SQLite fails on it. */
export class DiskSpace {
  readonly #folder: string;
  readonly #logger: Logger;
  readonly #read: ReadDisk;
  readonly #timer: NodeJS.Timeout;
  #found: { free: number; total: number } | null = null;
  /** A write failed for lack of space: a quota may be smaller than the disk. */
  #refused = false;
  #warned = false;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(filePath: string, logger: Logger, read: ReadDisk = readDisk) {
    this.#folder = path.dirname(filePath);
    this.#logger = logger;
    this.#read = read;
    this.check();
    this.#timer = setInterval(() => this.check(), CHECK_MS).unref();
  }

  /** Also done every five seconds. */
  check(): void {
    this.#checkedAt = performance.now();
    try {
      this.#found = this.#read(this.#folder);
    } catch {
      this.#found = null;
    }
    const { warning } = this.state();
    if (warning !== null && !this.#warned) this.#logger.warn({ folder: this.#folder }, warning);
    this.#warned = warning !== null;
  }

  /** @param failed a write failed since the disk is full; else one succeeded */
  noteWrite(failed: boolean): void {
    this.#refused = failed;
  }

  /** Why no call is started; null while there is room for it. */
  problem(): string | null {
    if (this.#refused) return `The disk of the database is full. ${WAY_OUT}`;
    if (performance.now() - this.#checkedAt > FRESH_MS) this.check();
    if (this.#found === null) return null;
    const { free, total } = this.#found;
    if (free >= Math.min(RESERVE_BYTES, total * RESERVE_SHARE)) return null;
    return `The disk of the database is almost full: ${formatBytes(free)} free. ${WAY_OUT}`;
  }

  state(): DiskState {
    if (this.#found === null) return { freeBytes: null, totalBytes: null, warning: this.problem() };
    const { free, total } = this.#found;
    const used = total === 0 ? 0 : 1 - free / total;
    const share = `${Math.floor(used * 100)}% of the disk of the database is used: ${formatBytes(free)} free.`;
    const warning = this.problem() ?? (used < WARN_SHARE ? null : `${share} ${WAY_OUT}`);
    return { freeBytes: free, totalBytes: total, warning };
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
