import { randomUUID } from "node:crypto";
import type pg from "pg";
import { getMessage } from "../../../../lib/get-message";
import type { Logger } from "../../../engine/ports";
import { DatabaseOpenError } from "../database-file";
import { describePostgresUrl } from "../describe-database";
import { Prisma } from "../generated-postgres/client";
import { type Amendment, findAmendments, readLandedMigrations, resolveNames } from "../landed-migrations";
import { logMigrations, type Migration, readMigrations } from "../migration-files";
import { MOVE_TABLE, toUnfinishedMoveError } from "../move/move-table";
import { storageCode } from "../storage-error";
import { withPlainClient } from "./plain-client";
import { LOCK_SPACE } from "./postgres-sql";

const OLDEST_SERVER = 150_000;
/** The object of the advisory lock. */
const MIGRATING = 2;
const TABLE = "_prisma_migrations";

/** Prisma's own table, so that its tools can read a database of ours. */
const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS "${TABLE}" (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;

/**
 * Brings the database up to this version's schema, each migration with its record in one transaction. Two processes take
 * turns.
 */
export async function migratePostgres(options: {
  url: string;
  logger: Logger;
  folder: string;
  /** Whether a move into this database may be running. */
  isMoving?: boolean;
}): Promise<{ applied: string[] }> {
  const { url, logger, folder, isMoving = false } = options;
  return await withPlainClient(url, "migrations", async (client) => {
    await demandServer(client, url);
    const { applied, isNew } = await upgrade(client, url, folder, isMoving);
    logMigrations(logger, describePostgresUrl(url), applied, isNew);
    return { applied };
  });
}

/**
 * For a database that is only read.
 * @throws DatabaseOpenError where it is not one of this version
 */
export async function demandMigratedPostgres({ url, folder }: { url: string; folder: string }): Promise<void> {
  const migrations = readMigrations(folder);
  await withPlainClient(url, "migrations", async (client) => {
    const { known, amendments } = await findApplied(client, url, folder, false);
    const older = migrations.find(({ name }) => !known.has(name)) ?? amendments[0];
    if (older !== undefined) {
      throw new DatabaseOpenError(
        known.size === 0
          ? `The database ${describePostgresUrl(url)} is empty. Name the one that holds the data in DATABASE_URL.`
          : `The database ${describePostgresUrl(url)} was made by an older version of Toolroom (it has no migration ${older.name}). Start this version with it once, which upgrades it.`,
      );
    }
    await demandComplete(client, url);
  });
}

async function demandServer(client: pg.Client, url: string): Promise<void> {
  const { rows } = await client.query<{ version: number; name: string; encoding: string; readOnly: string }>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name,
       current_setting('server_encoding') AS encoding, current_setting('transaction_read_only') AS "readOnly"`,
  );
  const [found] = rows;
  const location = describePostgresUrl(url);
  if (found === undefined || found.version < OLDEST_SERVER) {
    throw new DatabaseOpenError(
      `The server of ${location} is PostgreSQL ${found?.name ?? "of an unknown version"}. Toolroom needs PostgreSQL 15 or newer: upgrade the server, or name another one in DATABASE_URL.`,
    );
  }
  if (found.encoding !== "UTF8") {
    throw new DatabaseOpenError(
      `The database ${location} stores texts as ${found.encoding}. Create one for UTF-8: createdb --encoding=UTF8 --template=template0 …`,
    );
  }
  if (found.readOnly === "on") throw Object.assign(new Error("read-only"), { code: "25006" });
}

/** @returns `isNew` for a database without any migration before */
async function upgrade(
  client: pg.Client,
  url: string,
  folder: string,
  isMoving: boolean,
): Promise<{ applied: string[]; isNew: boolean }> {
  const { known, amendments } = await findApplied(client, url, folder, isMoving);
  if (amendments.length > 0) await amend(client, amendments);
  const applied: string[] = [];
  for (const migration of readMigrations(folder)) {
    if (!known.has(migration.name) && (await apply(client, url, migration))) applied.push(migration.name);
  }
  await demandComplete(client, url);
  return { applied, isNew: known.size === 0 };
}

async function findApplied(
  client: pg.Client,
  url: string,
  folder: string,
  isMoving: boolean,
): Promise<{ known: Set<string>; amendments: Amendment[] }> {
  const location = describePostgresUrl(url);
  const tables = await listColumns(client);
  if (!isMoving && tables.has(MOVE_TABLE)) throw toUnfinishedMoveError(location);
  if (!tables.has(TABLE)) {
    const [first] = tables.keys();
    if (first === undefined) return { known: new Set(), amendments: [] };
    throw new DatabaseOpenError(
      `The database ${location} holds tables that are not Toolroom's, such as ${first}. Create a database for Toolroom alone and name it in DATABASE_URL.`,
    );
  }
  const { rows: recorded } = await client.query<{ name: string; checksum: string; finished: number }>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished FROM "${TABLE}" WHERE rolled_back_at IS NULL`,
  );
  const migrations = readMigrations(folder);
  const amendments = findAmendments(recorded, readLandedMigrations(folder));
  const rows = resolveNames(recorded, amendments);
  const unknown = rows.find(({ name }) => !migrations.some((migration) => migration.name === name));
  if (unknown !== undefined) {
    throw new DatabaseOpenError(
      `The database ${location} was made by a newer version of Toolroom (migration ${unknown.name} is not known here). Start that version, or name another database in DATABASE_URL.`,
    );
  }
  const unfinished = rows.find(({ finished }) => finished === 0);
  if (unfinished !== undefined) {
    throw new DatabaseOpenError(
      `The database ${location} stopped in the middle of the migration ${unfinished.name}, which another program began. Restore it from a backup, or name another database in DATABASE_URL.`,
    );
  }
  return { known: new Set(rows.map(({ name }) => name)), amendments };
}

/** The lock is the transaction's: behind a pooler, that of a session would stay on a connection of other clients. */
const TAKE_TURN = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(${LOCK_SPACE}, ${MIGRATING}); ${CREATE_TABLE}`;

/** Brings what earlier versions recorded and created under other names to the names of this version; has no effect the second time. */
async function amend(client: pg.Client, amendments: readonly Amendment[]): Promise<void> {
  try {
    await client.query(TAKE_TURN);
    const columns = await listColumns(client);
    for (const { recordedName, name, checksum, renamedColumns } of amendments) {
      for (const { table, from, to } of renamedColumns) {
        const present = columns.get(table);
        if (present === undefined || present.has(to) || !present.has(from)) continue;
        await client.query(`ALTER TABLE "${table}" RENAME COLUMN "${from}" TO "${to}"`);
      }
      if (name !== recordedName) {
        await client.query(
          `DELETE FROM "${TABLE}" WHERE migration_name = $1
             AND EXISTS (SELECT 1 FROM "${TABLE}" WHERE migration_name = $2 AND rolled_back_at IS NULL)`,
          [recordedName, name],
        );
      }
      await client.query(`UPDATE "${TABLE}" SET migration_name = $1, checksum = $2 WHERE migration_name = $3`, [
        name,
        checksum,
        recordedName,
      ]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** Returns false where another process applied it in the meantime. */
async function apply(client: pg.Client, url: string, { name, sql, checksum }: Migration): Promise<boolean> {
  try {
    await client.query(TAKE_TURN);
    const { rowCount } = await client.query(
      `SELECT 1 FROM "${TABLE}" WHERE migration_name = $1 AND rolled_back_at IS NULL`,
      [name],
    );
    if (rowCount !== 0) {
      await client.query("COMMIT");
      return false;
    }
    await client.query(sql);
    await client.query(
      `INSERT INTO "${TABLE}" (id, checksum, migration_name, finished_at, applied_steps_count) VALUES ($1, $2, $3, now(), 1)`,
      [randomUUID(), checksum, name],
    );
    await client.query("COMMIT");
    return true;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    // Matches errors of syntax, objects and rows; others have separate messages.
    if (!/^(?:42(?!501)|2[23])/.test(storageCode(error))) throw error;
    throw new DatabaseOpenError(
      `The database ${describePostgresUrl(url)} could not be upgraded: migration ${name} failed (${getMessage(error)}). ` +
        "That migration was undone as a whole and no data was changed. Start the previous version of Toolroom, or name another database in DATABASE_URL.",
      { cause: error },
    );
  }
}

/** Reports a partial database at the start, and not by the first query that needs what is missing. */
async function demandComplete(client: pg.Client, url: string): Promise<void> {
  const tables = await listColumns(client);
  const missing = Object.values(Prisma.ModelName).flatMap((model) => {
    const columns = tables.get(model);
    if (columns === undefined) return [`table ${model}`];
    const expected: object = Reflect.get(Prisma, `${model}ScalarFieldEnum`) ?? {};
    return Object.keys(expected).flatMap((column) => (columns.has(column) ? [] : [`column ${model}.${column}`]));
  });
  if (missing.length === 0) return;
  throw new DatabaseOpenError(
    `The database ${describePostgresUrl(url)} is not complete: ${missing.slice(0, 3).join(", ")} ${missing.length === 1 ? "is" : "are"} missing. Restore it from a backup, or name another database in DATABASE_URL.`,
  );
}

/** Lists the columns of the tables that our statements find without naming their schema. */
async function listColumns(client: pg.Client): Promise<Map<string, Set<string>>> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `SELECT table_name AS table, array_agg(column_name::text) AS columns FROM information_schema.columns
     WHERE table_schema = current_schema() GROUP BY 1 ORDER BY 1`,
  );
  return new Map(rows.map(({ table, columns }) => [table, new Set(columns)]));
}
