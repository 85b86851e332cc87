import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { findPostgres, startCluster } from "../../../../../scripts/postgres-cluster.mjs";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import type { PostgresDatabase } from "../database";
import { quietLogger } from "../database.test-support";
import { migratePostgres } from "./migrate-postgres";
import { openPostgres } from "./postgres-database";

const MIGRATIONS = path.resolve("prisma/migrations-postgres");
const TEMPLATE = "toolroom_template";

/** A server for tests, by the address of its database `postgres`; null where this machine has none. */
export const HAS_POSTGRES = process.env.TOOLROOM_TEST_POSTGRES_URL !== undefined || findPostgres() !== null;
if (!HAS_POSTGRES) {
  process.emitWarning("No PostgreSQL 15 or newer was found: its tests are SKIPPED. Debian: apt-get install postgresql");
}

/** For tests: a migrated database of its own on the run's server. */
export interface ScratchPostgres {
  db: PostgresDatabase;
  url: string;
  /** Closes the database and opens it again, as a restart would. */
  reopen(): Promise<PostgresDatabase>;
  remove(): Promise<void>;
}

let server: Promise<string> | undefined;

/** The address of the server's database `postgres`; one server serves all workers of a test run. */
function findTestServer(): Promise<string> {
  server ??= openServer();
  return server;
}

async function openServer(): Promise<string> {
  const folder = process.env.TOOLROOM_TEST_POSTGRES_FOLDER ?? "";
  const note = path.join(folder, "ready.json");
  try {
    mkdirSync(path.join(folder, "starting"));
  } catch {
    // Another worker starts it.
    await waitUntil(() => existsSync(note));
    return readNote(note);
  }
  const given = process.env.TOOLROOM_TEST_POSTGRES_URL;
  const bin = findPostgres();
  if (given === undefined && bin === null) throw new Error("There is no PostgreSQL: see HAS_POSTGRES");
  const started = given === undefined && bin !== null ? await startCluster(bin) : { url: given ?? "", folder: null };
  await makeTemplate(started.url);
  writeFileSync(`${note}.part`, JSON.stringify(started));
  renameSync(`${note}.part`, note);
  return started.url;
}

const readNote = (file: string): string => (JSON.parse(readFileSync(file, "utf8")) as { url: string }).url;

async function makeTemplate(url: string): Promise<void> {
  await administer(url, `DROP DATABASE IF EXISTS "${TEMPLATE}"`);
  await administer(url, `CREATE DATABASE "${TEMPLATE}" TEMPLATE template0 ENCODING 'UTF8'`);
  await migratePostgres({ url: nameDatabase(url, TEMPLATE), logger: quietLogger(), folder: MIGRATIONS });
}

/** Executes statements as the owner of the server. */
export async function administer(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  // What ends the connection fails the statement under way; without a listener it would fail the whole run.
  client.on("error", () => undefined);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The address of another database of the same server. */
export function nameDatabase(url: string, database: string): string {
  const named = new URL(url);
  named.pathname = `/${database}`;
  return named.href;
}

const createName = () => `t_${randomUUID().slice(0, 13).replace("-", "_")}`;

/** An address whose database exists and is empty, or is migrated. */
export async function createPostgresDatabase({ migrated }: { migrated: boolean }): Promise<{
  url: string;
  remove(): Promise<void>;
}> {
  const admin = await findTestServer();
  const name = createName();
  // Copied as files, half the work of writing each page into the log as well.
  await administer(
    admin,
    `CREATE DATABASE "${name}" TEMPLATE "${migrated ? TEMPLATE : "template0"}" STRATEGY file_copy`,
  );
  return {
    url: nameDatabase(admin, name),
    async remove() {
      // Nobody waits for it: the server goes with the run.
      void administer(admin, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`).catch(() => undefined);
    },
  };
}

/** Empties each table, large ones by a new file, and starts each sequence at its first number. */
const EMPTY_ALL = `
DO $$
DECLARE found record;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR found IN SELECT oid, relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> '_prisma_migrations' AND pg_relation_size(oid) > 0
  LOOP
    IF pg_relation_size(found.oid) > 65536 THEN EXECUTE format('TRUNCATE %I CASCADE', found.relname);
    ELSE EXECUTE format('DELETE FROM %I', found.relname);
    END IF;
  END LOOP;
  PERFORM setval(seqrelid, seqstart, false) FROM pg_sequence;
END $$`;

/** Databases of earlier tests of this worker, each empty once its promise is kept; null where that failed. */
const emptied: Promise<string | null>[] = [];

/**
 * Empties a migrated database for a later test. Its new name keeps out what an earlier test left running, and is refused
 * while a connection is open.
 */
async function emptyDatabase(name: string): Promise<string | null> {
  const admin = await findTestServer();
  const next = createName();
  try {
    await administer(admin, `ALTER DATABASE "${name}" RENAME TO "${next}"`);
    await administer(nameDatabase(admin, next), EMPTY_ALL);
    return next;
  } catch {
    const drop = (database: string) => `DROP DATABASE IF EXISTS "${database}" WITH (FORCE)`;
    await administer(admin, drop(name), drop(next)).catch(() => undefined);
    return null;
  }
}

/** As `createPostgresDatabase`, migrated, for a test that leaves the schema as it is: making 1,200 files took longer than most tests. */
async function takeEmptyDatabase(): Promise<{ url: string; remove(): Promise<void> }> {
  const name = (await emptied.shift()) ?? null;
  const url =
    name === null ? (await createPostgresDatabase({ migrated: true })).url : nameDatabase(await findTestServer(), name);
  return {
    url,
    async remove() {
      emptied.push(emptyDatabase(new URL(url).pathname.slice(1)));
    },
  };
}

/** @param options `keepsSchema`: the test changes rows only, and the database is used again. */
export async function createScratchPostgres({ keepsSchema = false } = {}): Promise<ScratchPostgres> {
  const { url, remove } = await (keepsSchema ? takeEmptyDatabase() : createPostgresDatabase({ migrated: true }));
  const open = () => openPostgres({ url, logger: quietLogger() });
  const scratch: ScratchPostgres = {
    db: await open(),
    url,
    async reopen() {
      await scratch.db.close();
      scratch.db = await open();
      return scratch.db;
    },
    async remove() {
      await scratch.db.close();
      await remove();
    },
  };
  return scratch;
}
