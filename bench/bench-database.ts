import { existsSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { findPostgres, startCluster, stopCluster } from "../scripts/postgres-cluster.mjs";
import { createExecutionStore } from "../src/server/calls/executions/db/execution-store";
import { INDEX_WORKER } from "../src/server/calls/executions/execution.test-support";
import type { ExecutionStore } from "../src/server/calls/executions/execution-store";
import { systemClock } from "../src/server/create-tool-engine";
import type { Database } from "../src/server/platform/db/database";
import {
  createScratchDatabase,
  placeEmptyDatabase,
  quietLogger,
} from "../src/server/platform/db/database.test-support";
import { migratePostgres } from "../src/server/platform/db/postgres/migrate-postgres";
import { openPostgres } from "../src/server/platform/db/postgres/postgres-database";
import { administer, nameDatabase } from "../src/server/platform/db/postgres/scratch-postgres.test-support";
import { openSqlite } from "../src/server/platform/db/sqlite/sqlite-database";

export type Kind = Database["kind"];

export interface BenchDatabase {
  db: Database;
  /** The address of a database of PostgreSQL. */
  url: string;
  remove(): Promise<void>;
}

/** Opens the execution log of a database as the server does, with the thread that fills the search index. */
export function openBenchStore(db: Database, clock = systemClock): ExecutionStore {
  return createExecutionStore({ db, logger: quietLogger(), instanceId: "bench", clock, indexWorker: INDEX_WORKER });
}

/** A server that keeps what it says it keeps, as in production. */
const SETTINGS = ["shared_buffers=256MB", "maintenance_work_mem=256MB", "max_wal_size=2GB"];

/** `--database sqlite` or `--database postgres`; SQLite where it is absent. */
export function readKind(): Kind {
  const given = readOption("--database") ?? "sqlite";
  if (given === "sqlite" || given === "postgres") return given;
  throw new Error(`--database is 'sqlite' or 'postgres', not '${given}'`);
}

/** The word after an option of the command line; undefined where the option is absent. */
export function readOption(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : (process.argv[at + 1] ?? "");
}

async function hasDatabase(admin: string, name: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: admin });
  await client.connect();
  const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
  await client.end();
  return rowCount === 1;
}

/** Opens a SQLite file that stays; creates it where it is missing. */
async function openKeptFile(file: string): Promise<BenchDatabase> {
  const url = `file:${path.resolve(file)}`;
  if (!existsSync(file)) await placeEmptyDatabase(file);
  const db = await openSqlite({ url, logger: quietLogger() });
  return { db, url, remove: () => db.close() };
}

/**
 * Empty databases for a bench. `close` removes the server that was started for them.
 * @param kept a database that stays: a file, or a name on the server of TOOLROOM_TEST_POSTGRES_URL
 */
export async function openBenchDatabases(kind: Kind, kept?: string) {
  if (kind === "sqlite") {
    const create = kept === undefined ? createScratchDatabase : () => openKeptFile(kept);
    return { create, close: async () => undefined };
  }
  const bin = findPostgres();
  const given = process.env.TOOLROOM_TEST_POSTGRES_URL;
  if (bin === null && given === undefined) throw new Error("There is no PostgreSQL 15 or newer on this machine");
  const cluster = given === undefined && bin !== null ? await startCluster(bin, SETTINGS) : null;
  const admin = cluster?.url ?? given ?? "";
  let made = 0;
  return {
    async create(): Promise<BenchDatabase> {
      made += 1;
      const name = kept ?? `bench_${process.pid}_${made}`;
      if (!(await hasDatabase(admin, name)))
        await administer(admin, `CREATE DATABASE "${name}" TEMPLATE template0 ENCODING 'UTF8'`);
      const url = nameDatabase(admin, name);
      await migratePostgres({ url, logger: quietLogger(), folder: "prisma/migrations-postgres" });
      const db = await openPostgres({ url, logger: quietLogger() });
      return {
        db,
        url,
        async remove() {
          await db.close();
          if (kept === undefined) await administer(admin, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
        },
      };
    },
    async close() {
      if (cluster !== null) stopCluster(cluster.folder);
    },
  };
}
