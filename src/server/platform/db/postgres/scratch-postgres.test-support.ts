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

/** An address whose database exists and is empty, or is migrated. */
export async function createPostgresDatabase({ migrated }: { migrated: boolean }): Promise<{
  url: string;
  remove(): Promise<void>;
}> {
  const admin = await findTestServer();
  const name = `t_${randomUUID().slice(0, 13).replace("-", "_")}`;
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

export async function createScratchPostgres(): Promise<ScratchPostgres> {
  const { url, remove } = await createPostgresDatabase({ migrated: true });
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
