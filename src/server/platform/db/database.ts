import { statSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { Logger } from "../../engine/ports";
import { AppError } from "../shared/app-error";
import { type Checkpoints, createCheckpoints } from "./checkpoints";
import { DamagedRows } from "./damaged-rows";
import { databaseFilePath, describeOpenError } from "./database-file";
import { DatabaseWatch } from "./database-watch";
import { DiskSpace, type ReadDisk } from "./disk-space";
import { PrismaClient } from "./generated/client";
import { createJointWrites, type JointWrite } from "./joint-writes";
import { createDatabaseFile } from "./private-files";
import { openFileFactory, type RawDatabase } from "./sqlite/connection";
import { isBusy, sqliteCode } from "./sqlite/sqlite-error";
import { createWriteQueue, untilUnlocked, type WriteQueue } from "./write-queue";

export interface Database {
  readonly prisma: PrismaClient;
  /** The connection that Prisma uses too. Reads at any time; writes only inside `write`. */
  readonly raw: RawDatabase;
  readonly filePath: string;
  readonly damaged: DamagedRows;
  readonly disk: Pick<DiskSpace, "problem" | "state" | "check">;
  /** The sizes of the file's parts, in bytes. */
  parts(): DatabaseParts;
  /** Bytes of the database file; null where it cannot be read. */
  size(): Promise<number | null>;
  /**
   * Rejects once the file was deleted or replaced, also for work that was done when this was detected.
   * @throws AppError for people where the disk or the file refuses every write
   */
  write: WriteQueue["write"];
  /** Writes in one transaction with what others write in this turn of the event loop; rejects as `write` does. */
  writeTogether: JointWrite;
  /** Tells of large or frequent commits; see `Checkpoints`. */
  readonly noteWritten: Checkpoints["note"];
  /** Whether the file is still the one that was opened. */
  readonly watch: Pick<DatabaseWatch, "check" | "problem" | "onProblem">;
  /** Waits for queued writes, then closes. A second call does nothing. */
  close(): Promise<void>;
}

export interface OpenDatabaseOptions {
  /** `file:` and a path. */
  url: string;
  logger: Logger;
  /** How long a write waits for another program's lock, in milliseconds. */
  maxLockWaitMs?: number;
  /** `checkpoint-worker.mjs`; without it, commits move the write-ahead log. */
  checkpointWorker?: string;
  /** For tests: how full the disk is. */
  readDisk?: ReadDisk;
}

export interface DatabaseParts {
  /** Left by deleted rows, and used again by later ones. */
  unusedBytes: number;
  walBytes: number;
}

function readParts(raw: RawDatabase, filePath: string): DatabaseParts {
  const pages = Number(raw.pragma("freelist_count", { simple: true }));
  const size = Number(raw.pragma("page_size", { simple: true }));
  const walBytes = statSync(`${filePath}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return { unusedBytes: pages * size, walBytes };
}

const NO_CHECKPOINTS: Checkpoints = { note: () => undefined, close: async () => undefined };

/** Opens a migrated database. Throws `DatabaseOpenError` with a reason for people. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const { url, logger, maxLockWaitMs, checkpointWorker } = options;
  const filePath = databaseFilePath(url);
  const { prisma, raw } = await connect(filePath);
  const queue = createWriteQueue(maxLockWaitMs);
  const watch = new DatabaseWatch(raw, filePath, logger);
  const disk = new DiskSpace(filePath, logger, options.readDisk);
  const checkpoints =
    checkpointWorker === undefined ? NO_CHECKPOINTS : createCheckpoints(filePath, checkpointWorker, logger);
  let closing: Promise<void> | null = null;
  logger.debug({ database: filePath }, "Database opened");
  const write: Database["write"] = (work) =>
    queue
      .write(async () => {
        watch.demandTrusted();
        const result = await work();
        watch.demandIntact();
        disk.noteWrite(false);
        return result;
      })
      .catch((error: unknown) => {
        if (sqliteCode(error).startsWith("SQLITE_FULL")) disk.noteWrite(true);
        throw toStorageRefusal(error);
      });
  return {
    prisma,
    raw,
    filePath,
    damaged: new DamagedRows(logger),
    disk: { problem: () => disk.problem(), state: () => disk.state(), check: () => disk.check() },
    parts: () => readParts(raw, filePath),
    size: () =>
      stat(filePath).then(
        ({ size }) => size,
        () => null,
      ),
    watch,
    write,
    writeTogether: createJointWrites(raw, write),
    noteWritten: checkpoints.note,
    close() {
      closing ??= queue.idle().then(async () => {
        disk.close();
        await watch.close();
        await checkpoints.close();
        await prisma.$disconnect();
      });
      return closing;
    },
  };
}

async function connect(filePath: string): Promise<{ prisma: PrismaClient; raw: RawDatabase }> {
  let raw: RawDatabase | undefined;
  try {
    createDatabaseFile(filePath);
    const factory = openFileFactory(filePath, (handle) => {
      raw = handle;
    });
    const prisma = new PrismaClient({ adapter: factory });
    await prisma.$connect();
    if (raw === undefined) throw new Error("Prisma connected without opening the database.");
    const handle = raw;
    await untilUnlocked(() => prepareConnection(handle));
    return { prisma, raw: handle };
  } catch (error) {
    if (raw?.open) raw.close();
    throw describeOpenError(error, filePath);
  }
}

/** Error message when the database refuses every write: the cause and the fix. */
const REFUSALS: readonly (readonly [code: string, reason: string, wayOut: string])[] = [
  ["SQLITE_FULL", "The disk is full", "Free some space on the disk that holds the database, then try again."],
  ["SQLITE_READONLY", "The database is read-only", "Make the database file and its folder writable, then try again."],
  ["SQLITE_IOERR", "The disk could not be read or written", "Check the disk that holds the database, then try again."],
  ["SQLITE_CANTOPEN", "The database file could not be opened", "Check its folder and permissions, then try again."],
  ["SQLITE_CORRUPT", "The database file is damaged", "Stop Toolroom and restore the file from a backup."],
  ["SQLITE_NOTADB", "The database file is damaged", "Stop Toolroom and restore the file from a backup."],
];

/** A write failed for a reason outside the program: an error with a message for people. Other errors stay as they are. */
function toStorageRefusal(error: unknown): unknown {
  if (isBusy(error)) {
    return refusal("The database is locked by another program", "Close that program or wait, then try again.", error);
  }
  const code = sqliteCode(error);
  const known = REFUSALS.find(([prefix]) => code.startsWith(prefix));
  return known === undefined ? error : refusal(known[1], known[2], error);
}

function refusal(reason: string, wayOut: string, cause: unknown): AppError {
  return new AppError("UNAVAILABLE", `${reason}, so nothing was saved. ${wayOut}`, [], { cause });
}

/**
 * WAL: readers and the writer do not stop each other. `NORMAL`: a commit survives the end of the process, however it
 * comes; a power cut may take the last commits, never the file.
 */
function prepareConnection(raw: RawDatabase): void {
  raw.pragma("journal_mode = WAL");
  raw.pragma("synchronous = NORMAL");
  raw.pragma("foreign_keys = ON");
  // The pages that `checkpoints.ts` has not moved by then. With the usual 1,000 pages every tenth call that carries 100 kB would wait for the disk.
  raw.pragma("wal_autocheckpoint = 8000");
  // A page cache for lists over large files; the default of 2 MB is re-read at every page.
  raw.pragma("cache_size = -32000");
  // The files of the write-ahead log are opened with the first read.
  raw.prepare("SELECT 1 FROM sqlite_master").get();
}
