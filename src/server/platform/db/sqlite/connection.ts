import { PrismaBetterSqlite3 } from "@prisma/adapter-better-sqlite3";
import type Database from "better-sqlite3";
import { getSqliteDriver } from "../../../../../scripts/sqlite.mjs";

export type RawDatabase = Database.Database;

/**
 * How long SQLite itself may wait for a lock. It waits with the whole process standing still, so this is short and the
 * write queue does the real waiting.
 */
export const SYNCHRONOUS_WAIT_MS = 10;

/** Prisma's adapter, which also hands out the connection it opened: one connection a process, for Prisma and for SQL. */
class SharedHandleFactory extends PrismaBetterSqlite3 {
  readonly #onConnect: (raw: RawDatabase) => void;

  constructor(filePath: string, onConnect: (raw: RawDatabase) => void) {
    // Like the other times in the database; only the tables of accounts have columns of this type.
    const { options } = getSqliteDriver();
    super({ url: `file:${filePath}`, timeout: SYNCHRONOUS_WAIT_MS, ...options }, { timestampFormat: "unixepoch-ms" });
    this.#onConnect = onConnect;
  }

  override async connect() {
    const adapter = await super.connect();
    this.#onConnect(rawHandle(adapter));
    return adapter;
  }
}

/** The adapter keeps its connection in `client`, which its types leave out. */
function rawHandle(adapter: object): RawDatabase {
  const client: unknown = Reflect.get(adapter, "client");
  if (!isRawDatabase(client)) throw new Error("The SQLite adapter no longer exposes its connection as `client`.");
  return client;
}

function isRawDatabase(value: unknown): value is RawDatabase {
  return typeof value === "object" && value !== null && "prepare" in value && "inTransaction" in value;
}

export function openFileFactory(filePath: string, onConnect: (raw: RawDatabase) => void = () => undefined) {
  return new SharedHandleFactory(filePath, onConnect);
}
