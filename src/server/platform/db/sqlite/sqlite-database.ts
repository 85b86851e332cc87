import { statSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { Statement } from "better-sqlite3";
import { describeSqlite } from "../../../../../scripts/sqlite.mjs";
import { AppError } from "../../shared/app-error";
import { type Checkpoints, createCheckpoints } from "../checkpoints";
import { DamagedRows } from "../damaged-rows";
import type { DatabaseParts, OpenDatabaseOptions, SqliteDatabase } from "../database";
import { databaseFilePath, describeOpenError } from "../database-file";
import { DatabaseWatch } from "../database-watch";
import { DiskSpace } from "../disk-space";
import { PrismaClient } from "../generated/client";
import { createDatabaseFile, SEARCH_SUFFIX } from "../private-files";
import type { Outcome, SqlAccess, Statement as SqlStatement, SqlValue, Steps } from "../sql";
import { isBusy, storageCode } from "../storage-error";
import { createJointWrites, createWriteQueue, untilUnlocked, type WriteQueue } from "../write-queue";
import { openFileFactory, type RawDatabase } from "./connection";

function readParts(raw: RawDatabase, filePath: string): DatabaseParts {
  const pages = Number(raw.pragma("freelist_count", { simple: true }));
  const size = Number(raw.pragma("page_size", { simple: true }));
  const sizeOf = (suffix: string): number => statSync(filePath + suffix, { throwIfNoEntry: false })?.size ?? 0;
  return {
    unusedBytes: pages * size,
    walBytes: sizeOf("-wal"),
    searchBytes: sizeOf(SEARCH_SUFFIX) + sizeOf(`${SEARCH_SUFFIX}-wal`),
  };
}

const NO_CHECKPOINTS: Checkpoints = {
  note: () => undefined,
  move: async () => undefined,
  close: async () => undefined,
};

/** Opens a SQLite database; see `openDatabase`. */
export async function openSqlite(options: OpenDatabaseOptions): Promise<SqliteDatabase> {
  const { url, logger, maxLockWaitMs, checkpointWorker } = options;
  const filePath = databaseFilePath(url);
  const { prisma, raw } = await connect(filePath);
  const product = describeSqlite();
  const queue = createWriteQueue(maxLockWaitMs);
  const watch = new DatabaseWatch(raw, filePath, logger);
  const disk = new DiskSpace(filePath, logger, options.readDisk);
  const checkpoints =
    checkpointWorker === undefined ? NO_CHECKPOINTS : createCheckpoints(filePath, checkpointWorker, logger);
  let closing: Promise<void> | null = null;
  logger.debug({ database: filePath, product }, "Database opened");
  const write: SqliteDatabase["write"] = (work) =>
    queue
      .write(async () => {
        watch.demandTrusted();
        const result = await work();
        watch.demandIntact();
        disk.noteWrite(false);
        return result;
      })
      .catch((error: unknown) => {
        if (storageCode(error).startsWith("SQLITE_FULL")) disk.noteWrite(true);
        throw toStorageRefusal(error);
      });
  return {
    kind: "sqlite",
    prisma,
    raw,
    filePath,
    ...createSqliteSql(raw, write),
    product,
    findProblem: disk.problem,
    damaged: new DamagedRows(logger),
    disk,
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
    async withoutCheckpoints(work) {
      raw.pragma("wal_autocheckpoint = 0");
      try {
        return await work();
      } finally {
        await checkpoints.move();
        if (raw.open) raw.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
      }
    },
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

/**
 * An error with a message for users, for a write that failed for a reason outside the program. Other errors stay
 * unchanged.
 */
function toStorageRefusal(error: unknown): unknown {
  if (isBusy(error)) {
    return refusal("The database is locked by another program", "Close that program or wait, then try again.", error);
  }
  const code = storageCode(error);
  const known = REFUSALS.find(([prefix]) => code.startsWith(prefix));
  return known === undefined ? error : refusal(known[1], known[2], error);
}

function refusal(reason: string, wayOut: string, cause: unknown): AppError {
  return new AppError("UNAVAILABLE", `${reason}, so nothing was saved. ${wayOut}`, [], { cause });
}

/** Pages that `checkpoints.ts` has not moved by then. With the usual 1,000 every tenth call that carries 100 kB would wait for the disk. */
const LOG_PAGES = 8_000;

/**
 * WAL: readers and the writer do not stop each other. `NORMAL`: a commit survives the end of the process, however it
 * comes; a power cut may take the last commits, never the file.
 */
function prepareConnection(raw: RawDatabase): void {
  raw.pragma("journal_mode = WAL");
  raw.pragma("synchronous = NORMAL");
  raw.pragma("foreign_keys = ON");
  raw.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
  // A page cache for lists over large files; the default of 2 MB is re-read at every page.
  raw.pragma("cache_size = -32000");
  // The files of the write-ahead log are opened with the first read.
  raw.prepare("SELECT 1 FROM sqlite_master").get();
}

type Bound = string | number | null | Uint8Array;
type Prepared = Statement<Bound[]>;

/** More texts than the stores have: some are made of the columns that a request names. */
const MAX_PREPARED = 500;

/** Runs the steps of a transaction, inside one that is open. */
type RunSteps = <T>(steps: Steps<T>) => T;

function createExecution(raw: RawDatabase) {
  const prepared = new Map<string, Prepared>();

  function prepare(sql: string): Prepared {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    if (prepared.size >= MAX_PREPARED) prepared.clear();
    const statement = raw.prepare<Bound[]>(sql).safeIntegers(false);
    prepared.set(sql, statement);
    return statement;
  }

  function execute({ sql, values }: SqlStatement): Outcome {
    const statement = prepare(sql);
    const bound = values.map(toBound);
    if (!statement.reader) return { rows: [], changes: statement.run(...bound).changes };
    const rows = statement.all(...bound);
    // Each row of RETURNING is one change.
    return { rows, changes: rows.length };
  }

  const runSteps: RunSteps = (steps) => {
    let step = steps.next();
    while (step.done !== true) step = steps.next(execute(step.value));
    return step.value;
  };
  return { execute, runSteps };
}

export const createRunSteps = (raw: RawDatabase): RunSteps => createExecution(raw).runSteps;

function createSqliteSql(raw: RawDatabase, write: WriteQueue["write"]): SqlAccess {
  const { execute, runSteps } = createExecution(raw);
  const runTransaction = raw.transaction(<T>(work: () => Steps<T>): T => runSteps(work()));
  return {
    rows: async <Row>(sql: string, ...values: SqlValue[]) => execute({ sql, values }).rows as Row[],
    row: async <Row>(sql: string, ...values: SqlValue[]) => execute({ sql, values }).rows[0] as Row | undefined,
    change: (sql, ...values) => write(() => execute({ sql, values }).changes),
    transaction: <T>(work: () => Steps<T>) => write(() => runTransaction.immediate(work) as T),
  };
}

function toBound(value: SqlValue): Bound {
  return Array.isArray(value) ? JSON.stringify(value) : (value as Bound);
}
