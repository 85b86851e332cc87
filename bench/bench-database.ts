import { findPostgres, startCluster, stopCluster } from "../scripts/postgres-cluster.mjs";
import type { Database } from "../src/server/platform/db/database";
import { createScratchDatabase, quietLogger } from "../src/server/platform/db/database.test-support";
import { migratePostgres } from "../src/server/platform/db/postgres/migrate-postgres";
import { openPostgres } from "../src/server/platform/db/postgres/postgres-database";
import { administer, nameDatabase } from "../src/server/platform/db/postgres/scratch-postgres.test-support";

export type Kind = Database["kind"];

export interface BenchDatabase {
  db: Database;
  /** The address of a database of PostgreSQL. */
  url: string;
  remove(): Promise<void>;
}

/** A server that keeps what it says it keeps, as in production. */
const SETTINGS = ["shared_buffers=256MB", "maintenance_work_mem=256MB", "max_wal_size=2GB"];

/** `--database sqlite` or `--database postgres`; SQLite where it is absent. */
export function readKind(): Kind {
  const at = process.argv.indexOf("--database");
  const given = at === -1 ? "sqlite" : process.argv[at + 1];
  if (given === "sqlite" || given === "postgres") return given;
  throw new Error(`--database is 'sqlite' or 'postgres', not '${given ?? ""}'`);
}

/** Empty databases for a bench. `close` removes the server that was started for them. */
export async function openBenchDatabases(kind: Kind) {
  if (kind === "sqlite") return { create: createScratchDatabase, close: async () => undefined };
  const bin = findPostgres();
  const given = process.env.TOOLROOM_TEST_POSTGRES_URL;
  if (bin === null && given === undefined) throw new Error("There is no PostgreSQL 15 or newer on this machine");
  const cluster = given === undefined && bin !== null ? await startCluster(bin, SETTINGS) : null;
  const admin = cluster?.url ?? given ?? "";
  let made = 0;
  return {
    async create(): Promise<BenchDatabase> {
      made += 1;
      const name = `bench_${process.pid}_${made}`;
      await administer(admin, `CREATE DATABASE "${name}" TEMPLATE template0 ENCODING 'UTF8'`);
      const url = nameDatabase(admin, name);
      await migratePostgres({ url, logger: quietLogger(), folder: "prisma/migrations-postgres" });
      const db = await openPostgres({ url, logger: quietLogger() });
      return {
        db,
        url,
        async remove() {
          await db.close();
          await administer(admin, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
        },
      };
    },
    async close() {
      if (cluster !== null) stopCluster(cluster.folder);
    },
  };
}
