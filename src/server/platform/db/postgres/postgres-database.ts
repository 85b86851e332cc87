import { PrismaPg } from "@prisma/adapter-pg";
import { AppError } from "../../shared/app-error";
import { DamagedRows } from "../damaged-rows";
import type { OpenDatabaseOptions, PostgresDatabase } from "../database";
import type { PrismaClient } from "../generated/client";
import { PrismaClient as PostgresClient } from "../generated-postgres/client";
import { storageCode } from "../storage-error";
import { untilUnlocked } from "../write-queue";
import { toDirectConfig, toPooledConfig } from "./client-config";
import { findRoute } from "./find-route";
import { createJournalConnection } from "./journal-connection";
import { createPool, toConnectionRefusal } from "./pool";
import { createPostgresSql } from "./postgres-sql";
import { TextClient } from "./text-client";

export { migratePostgres } from "./migrate-postgres";
export { claimPostgres } from "./postgres-claim";

/** Of a command that works beside the server. */
const NO_WATCH: PostgresDatabase["watch"] = {
  check: () => undefined,
  problem: () => null,
  onProblem: () => undefined,
};

/** As `openDatabase`. */
export async function openPostgres({
  url,
  directUrl = null,
  logger,
  maxLockWaitMs,
  claim,
}: OpenDatabaseOptions): Promise<PostgresDatabase> {
  const { route, version } = await findRoute(url, directUrl);
  const toConfig = route.pooled ? toPooledConfig : toDirectConfig;
  const pool = createPool(url, toConfig(url, "pool"), logger);
  // SQLite's types are the narrower ones, so that nothing can be used that one of the two lacks.
  const prisma = new PostgresClient({ adapter: new PrismaPg(pool) }) as unknown as PrismaClient;
  const watch = claim?.watch ?? NO_WATCH;
  const writing = new Set<Promise<unknown>>();
  let closing: Promise<void> | null = null;

  const write: PostgresDatabase["write"] = (work) => {
    const problem = watch.problem();
    if (problem !== null) return Promise.reject(new AppError("UNAVAILABLE", problem));
    const result = untilUnlocked(work, maxLockWaitMs).catch((error: unknown) => {
      throw toRefusal(error, url);
    });
    const settled = result.then(forget, forget);
    function forget(): void {
      writing.delete(settled);
    }
    writing.add(settled);
    return result;
  };

  async function connect(purpose = "session"): Promise<TextClient> {
    const config = directUrl === null ? toConfig(url, purpose) : toDirectConfig(directUrl, purpose);
    const client = new TextClient(config);
    await client.connect().catch((error: unknown) => {
      throw toConnectionRefusal(error, directUrl ?? url);
    });
    return client;
  }
  const journal = createJournalConnection(
    () => connect("journal"),
    () => watch.problem(),
    route,
  );

  return {
    kind: "postgres",
    prisma,
    pool,
    journal,
    connect,
    ...createPostgresSql(pool, write),
    // Behind the number, distributions say which package it is.
    product: `PostgreSQL ${version.split(" ")[0] ?? ""}`,
    route,
    parts: () => null,
    disk: null,
    findProblem: () => watch.problem(),
    damaged: new DamagedRows(logger),
    async size() {
      try {
        const { rows } = await pool.query<{ size: number }>("SELECT pg_database_size(current_database()) AS size");
        return rows[0]?.size ?? null;
      } catch {
        return null;
      }
    },
    watch,
    write,
    close() {
      closing ??= (async () => {
        await Promise.all(writing);
        await journal.close();
        await prisma.$disconnect();
        await pool.end();
      })();
      return closing;
    },
  };
}

/** What the database says when it refuses every write: the cause and the fix. */
const REFUSALS: ReadonlyMap<string, string> = new Map([
  ["53100", "The disk of the database server is full, so nothing was saved. Free some space there, then try again."],
  ["25006", "The database is read-only, so nothing was saved. Name the primary server in DATABASE_URL and restart."],
  ["42501", "The database does not allow this write. Give the user of DATABASE_URL the rights of the tables' owner."],
]);

function toRefusal(error: unknown, url: string): unknown {
  const known = REFUSALS.get(storageCode(error));
  return known === undefined
    ? toConnectionRefusal(error, url)
    : new AppError("UNAVAILABLE", known, [], { cause: error });
}
