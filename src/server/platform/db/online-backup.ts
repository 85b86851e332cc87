import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { moveFile } from "../../../../scripts/move-file.mjs";
import type { DatabaseCopy, MadeBackup } from "../../../lib/contract/storage";
import { formatBytes } from "../../../lib/format/bytes";
import { AppError } from "../shared/app-error";
import { removeWithJournals } from "./copy-database";
import type { SqliteDatabase } from "./database";
import { createPrivateFile, PRIVATE_FOLDER } from "./private-files";
import { listCopies } from "./upgrade-copy";

/** The folder beside the database. */
const FOLDER = "backups";
const ENDING = ".db";
const LOCK_WAIT_MS = 10_000;
const SYNC_EVERY_MS = 200;
/** The disk keeps at least this much after a backup. */
const SPARE_BYTES = 128 * 1024 * 1024;

export interface OnlineBackupOptions {
  db: Pick<SqliteDatabase, "filePath" | "size" | "parts" | "disk" | "withoutCheckpoints">;
  /** The file of the key that encrypts stored secrets. It may be absent. */
  keyFile: string;
  /** The path of `backup-worker.mjs`. */
  workerFile: string;
  now(): number;
}

/** Copies of the database: those that users made, and those that upgrades and restores left. */
export function createOnlineBackups({ db, keyFile, workerFile, now }: OnlineBackupOptions) {
  const folder = path.join(path.dirname(db.filePath), FOLDER);
  let running: Promise<MadeBackup> | null = null;

  async function demandSpace(): Promise<void> {
    const needed = ((await db.size()) ?? 0) - db.parts().unusedBytes + db.parts().walBytes + SPARE_BYTES;
    db.disk.check();
    const { freeBytes } = db.disk.state();
    if (freeBytes === null || freeBytes >= needed) return;
    throw new AppError(
      "UNAVAILABLE",
      `A backup takes ${formatBytes(needed)} of the disk, and ${formatBytes(freeBytes)} are free. Delete older copies, or run ` +
        "`toolroom backup <file>` with a file on another disk.",
    );
  }

  async function make(): Promise<MadeBackup> {
    await demandSpace();
    const begun = now();
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    const name = `toolroom-${new Date(begun).toISOString().slice(0, 23).replace(/[:.]/g, "").replace("T", "-")}${ENDING}`;
    const file = path.join(folder, name);
    const unfinished = `${file}.tmp`;
    try {
      createPrivateFile(unfinished);
      const work = { source: db.filePath, target: unfinished, waitMs: LOCK_WAIT_MS };
      await db.withoutCheckpoints(() => syncDuring(unfinished, copyInThread(workerFile, work)));
      const hasKey = existsSync(keyFile);
      // Keeps the mode, which is the user's alone.
      if (hasKey) copyFileSync(keyFile, `${file}.key`, constants.COPYFILE_EXCL);
      await moveFile(unfinished, file);
      const keyCopy = hasKey ? `${file}.key` : null;
      return { name, file, bytes: statSync(file).size, keyFile: keyCopy, tookMs: now() - begun };
    } finally {
      removeWithJournals(unfinished);
    }
  }

  function list(): DatabaseCopy[] {
    const own = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(ENDING)) : [];
    const files = [...own.map((name) => path.join(folder, name)), ...listCopies(db.filePath)];
    return files.flatMap((file) => describeCopy(file) ?? []).sort((one, other) => other.at - one.at);
  }

  return {
    list,
    keyFile: (): string | null => (existsSync(keyFile) ? keyFile : null),
    isRunning: (): boolean => running !== null,
    /** Makes one backup at a time. @throws AppError where the disk has no room for it */
    make(): Promise<MadeBackup> {
      if (running !== null) throw new AppError("CONFLICT", "A backup is being made. Wait until it has ended.");
      running = make().finally(() => {
        running = null;
      });
      return running;
    },
    /** Beside the event loop: some file systems take seconds for gigabytes. @returns false where there is no such copy */
    async remove(name: string): Promise<boolean> {
      const copy = list().find((each) => each.name === name);
      if (copy === undefined) return false;
      for (const suffix of ["", "-wal", "-shm", "-journal", ".key", ".audit-anchor"]) {
        await rm(copy.file + suffix, { force: true });
      }
      return true;
    },
  };
}

function describeCopy(file: string): DatabaseCopy | null {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return null;
  const name = path.basename(file);
  const beside = name.includes(".before-restore-") ? "restore" : "upgrade";
  const kind = name.endsWith(ENDING) ? "backup" : beside;
  return { name, file, kind, bytes: found.size, hasKey: existsSync(`${file}.key`), at: Math.round(found.mtimeMs) };
}

/**
 * Moves what is written to a file to the disk bit by bit. The system would hold all writes of the process, also those of commits, once
 * gigabytes wait for the disk.
 */
async function syncDuring(file: string, writing: Promise<void>): Promise<void> {
  let isOver = false;
  const ended = writing.finally(() => {
    isOver = true;
  });
  // Rejects below.
  ended.catch(() => undefined);
  const handle = await open(file, "r+");
  try {
    while (!isOver) {
      await Promise.race([wait(SYNC_EVERY_MS), ended]);
      await handle.datasync();
    }
  } finally {
    await handle.close();
    await ended;
  }
}

function copyInThread(workerFile: string, workerData: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile, { workerData });
    let isDone = false;
    worker.once("message", () => {
      isDone = true;
    });
    worker.once("error", reject);
    worker.once("exit", () => (isDone ? resolve() : reject(new Error("The thread that makes the backup ended early"))));
  });
}
