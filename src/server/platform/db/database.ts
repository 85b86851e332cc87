import type pg from "pg";
import type { Logger } from "../../engine/ports";
import type { Checkpoints } from "./checkpoints";
import type { DamagedRows } from "./damaged-rows";
import type { DatabaseWatch } from "./database-watch";
import type { DiskSpace, ReadDisk } from "./disk-space";
import type { PrismaClient } from "./generated/client";
import type { JournalConnection } from "./postgres/journal-connection";
import type { SqlAccess } from "./sql";
import type { RawDatabase } from "./sqlite/connection";
import type { JointWrite, WriteQueue } from "./write-queue";

/** The database as stores use it, of either kind. */
interface CommonDatabase extends SqlAccess {
  /** With PostgreSQL, a client of the same models, whose generated types differ from those of SQLite. */
  readonly prisma: PrismaClient;
  readonly damaged: DamagedRows;
  /** Such as `SQLite 3.50.4 (node:sqlite)`. */
  readonly product: string;
  /** Bytes of the database; null where they cannot be read. */
  size(): Promise<number | null>;
  /** The sizes of the file's parts; null where the database is on a server. */
  parts(): DatabaseParts | null;
  /** The disk of the file; null where the database is on a server. */
  readonly disk: Pick<DiskSpace, "problem" | "state" | "check" | "onChange"> | null;
  /** Why no call is started; null while there is nothing against it. */
  findProblem(): string | null;
  /**
   * Runs a write. Rejects once the database can no longer be trusted, also for work that was done when this was
   * detected.
   * @throws AppError for users where the database refuses every write
   */
  write: WriteQueue["write"];
  /** Whether the database is still the one that was opened, and this process its owner. */
  readonly watch: Pick<DatabaseWatch, "check" | "problem" | "onProblem">;
  /** Waits for writes, then closes. A second call does nothing. */
  close(): Promise<void>;
}

export interface SqliteDatabase extends CommonDatabase {
  readonly kind: "sqlite";
  /** The connection that Prisma uses too. Reads at any time; writes only inside `write`. */
  readonly raw: RawDatabase;
  readonly filePath: string;
  readonly disk: NonNullable<CommonDatabase["disk"]>;
  parts(): DatabaseParts;
  /** Writes in one transaction with what others write in this turn of the event loop; rejects as `write` does. */
  writeTogether: JointWrite;
  /** Receives the size of commits; see `Checkpoints`. */
  readonly noteWritten: Checkpoints["note"];
  /**
   * Runs work that reads the file for a long time elsewhere. The write-ahead log grows until it ends, and the commit after it would move all
   * of the log: a thread does, and commits move nothing until then.
   */
  withoutCheckpoints<T>(work: () => Promise<T>): Promise<T>;
}

export interface PostgresDatabase extends CommonDatabase {
  readonly kind: "postgres";
  /** For statements that no transaction holds together; each takes the connection that is free. */
  readonly pool: pg.Pool;
  /** The connection on which executions are recorded. */
  readonly journal: JournalConnection;
  readonly route: PostgresRoute;
  /**
   * Opens a connection outside the pool, which the caller ends: by the direct address where there is one. Settings of
   * its session last only where `route.sessions` says so.
   * @param purpose a word that names it in the server's list of connections
   */
  connect(purpose?: string): Promise<pg.Client>;
}

/** How this process reaches its PostgreSQL server. */
export interface PostgresRoute {
  /** Whether DATABASE_URL points to a pooler, such as PgBouncer. */
  readonly pooled: boolean;
  /** Whether DATABASE_DIRECT_URL is set. */
  readonly direct: boolean;
  /** Whether `connect` gives sessions that last: LISTEN, SET, locks of a session, named statements. Without them, poll. */
  readonly sessions: boolean;
}

export type Database = SqliteDatabase | PostgresDatabase;

/** That this process is the one which works with the database, or one of several servers that do. */
export interface DatabaseClaim {
  /** Whether other servers may use the database too. */
  readonly isShared: boolean;
  /**
   * Watches the claim, which on PostgreSQL ends with its connection; null where only the end of the process ends it.
   */
  readonly watch: CommonDatabase["watch"] | null;
  /** Lets another process own the database. A second call does nothing. */
  release(): Promise<void>;
}

export interface OpenDatabaseOptions {
  /** `file:` and a path, or `postgresql://`. */
  url: string;
  /** The address of PostgreSQL without a pooler; see `PostgresRoute`. */
  directUrl?: string | null;
  logger: Logger;
  /** Refuses writes while the claim does not hold. */
  claim?: DatabaseClaim | null;
  /** How long a write waits for another program's lock, in milliseconds. */
  maxLockWaitMs?: number;
  /** The path of `checkpoint-worker.mjs`; without it, commits move the write-ahead log. */
  checkpointWorker?: string;
  /** For tests: how full the disk is. */
  readDisk?: ReadDisk;
}

export interface DatabaseParts {
  /** Pages of deleted rows, which later rows use again. */
  unusedBytes: number;
  walBytes: number;
  /** The search index and its write-ahead log, which are not part of the database. */
  searchBytes: number;
}
