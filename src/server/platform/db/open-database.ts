import path from "node:path";
import type { Logger } from "../../engine/ports";
import type { Database, DatabaseClaim, OpenDatabaseOptions } from "./database";
import { isPostgresUrl } from "./describe-database";

/** The drivers of both kinds are loaded when they are needed: SQLite's may not have been built. */
const loadSqlite = () =>
  Promise.all([import("./migrate"), import("./database-owner"), import("./sqlite/sqlite-database")]);
const loadPostgres = () => import("./postgres/postgres-database");

/**
 * Makes this process the one that works with the database, until it releases the claim or ends; on PostgreSQL one of the servers that do.
 * @param address where this process serves; null for a command, which needs the database alone
 * @throws DatabaseOpenError that names the processes that use it, where they exclude this one
 */
export async function claimDatabase(url: string, address: string | null, logger: Logger): Promise<DatabaseClaim> {
  if (isPostgresUrl(url)) return (await loadPostgres()).claimPostgres(url, address, logger);
  const [, { claimSqlite }] = await loadSqlite();
  const claim = claimSqlite(url, address);
  return { isShared: false, watch: null, release: async () => claim.release() };
}

/**
 * Brings the database up to this version's schema; a SQLite file is created where there is none.
 * @param home the product's files
 * @throws DatabaseOpenError with a reason for users
 */
export async function migrateDatabase(url: string, home: string, logger: Logger): Promise<{ applied: string[] }> {
  const folder = (name: string) => path.join(home, "prisma", name);
  if (isPostgresUrl(url)) {
    return (await loadPostgres()).migratePostgres({ url, logger, folder: folder("migrations-postgres") });
  }
  const [{ migrateSqlite }] = await loadSqlite();
  return migrateSqlite({ url, logger, folder: folder("migrations") });
}

/** Opens a migrated database. @throws DatabaseOpenError with a reason for users */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  if (isPostgresUrl(options.url)) return (await loadPostgres()).openPostgres(options);
  const [, , { openSqlite }] = await loadSqlite();
  return openSqlite(options);
}
