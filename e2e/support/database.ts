import { createHash } from "node:crypto";
import path from "node:path";
import pg from "pg";
import { findPostgres, startCluster, stopCluster } from "../../scripts/postgres-cluster.mjs";

/** `TOOLROOM_E2E_DATABASE=postgres` runs journeys on PostgreSQL. */
const WITH_POSTGRES = process.env.TOOLROOM_E2E_DATABASE === "postgres";
/** The server of a run, for its workers. */
const ADMIN = "TOOLROOM_E2E_POSTGRES_URL";
const SECRET_KEY = "the key of the journeys, always the same";

/** Starts PostgreSQL for a run whose journeys want it. Returns what ends it. */
export async function openPostgres(): Promise<() => void> {
  if (!WITH_POSTGRES) return () => undefined;
  const bin = findPostgres();
  if (bin === null) throw new Error("No PostgreSQL 15 or newer was found. Debian: apt-get install postgresql");
  const { url, folder } = await startCluster(bin);
  process.env[ADMIN] = url;
  return () => stopCluster(folder);
}

/** The variables of a server whose SQLite file would be this one: the same file is the same database after a restart. */
export async function chooseDatabase(databaseFile: string): Promise<Record<string, string>> {
  const admin = process.env[ADMIN];
  if (!WITH_POSTGRES || admin === undefined) return { DATABASE_URL: `file:${databaseFile}` };
  const name = `e2e_${createHash("sha256").update(databaseFile).digest("hex").slice(0, 12)}`;
  const client = new pg.Client({ connectionString: admin });
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE "${name}" TEMPLATE template0 ENCODING 'UTF8'`);
  } finally {
    await client.end();
  }
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return {
    DATABASE_URL: url.href,
    TOOLROOM_SECRET_KEY: SECRET_KEY,
    TOOLROOM_DATA: path.dirname(databaseFile),
    // No balancer is before it.
    TOOLROOM_DRAIN_SECONDS: "0",
  };
}
