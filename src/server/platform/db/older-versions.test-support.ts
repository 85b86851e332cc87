import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import type pg from "pg";
import Database from "../../../../scripts/sqlite.mjs";
import { type LandedMigration, type RenamedColumn, readLandedMigrations } from "./landed-migrations";
import type { Migration } from "./migration-files";
import { recordMigration } from "./sqlite/applied-migrations";
import type { RawDatabase } from "./sqlite/connection";

export type Row = Record<string, string | number | null>;
/** Rows by table, in an order that foreign keys allow. */
export type Rows = Record<string, Row[]>;

/** What a version of the product had in its folder of migrations. */
export interface OlderVersion {
  version: number;
  /** By name, as its start applied them. */
  migrations: Migration[];
}

/** Rows as earlier versions wrote them. */
const OLDER_ROWS = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "fixtures", "older-rows.json"), "utf8"),
) as Rows;

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The text of a migration as it was before it was edited. */
function undoRenames(sql: string, renamed: readonly RenamedColumn[]): string {
  return renamed.reduceRight((text, { from, to }) => text.replaceAll(`"${to}"`, `"${from}"`), sql);
}

/** All versions that a list of landed migrations tells of, oldest first; each text has the checksum in the list. */
export function readOlderVersions(folder: string): OlderVersion[] {
  const landed = readLandedMigrations(folder);
  const latestName = (name: string): string => landed.findLast(({ formerName }) => formerName === name)?.name ?? name;
  const readText = (change: LandedMigration, later: readonly LandedMigration[]): string => {
    const name = latestName(change.name);
    const text = readFileSync(path.join(folder, name, "migration.sql"), "utf8");
    const edits = later.filter((each) => each.name === name).flatMap(({ renamedColumns = [] }) => renamedColumns);
    return undoRenames(text, edits);
  };
  const current = new Map<string, Migration>();
  const versions: OlderVersion[] = [];
  for (const [index, change] of landed.entries()) {
    const { name, checksum, formerName, version } = change;
    if (formerName !== undefined) current.delete(formerName);
    const sql = readText(change, landed.slice(index + 1));
    if (hash(sql) !== checksum) throw new Error(`${name} is not the text that landed`);
    current.set(name, { name, sql, checksum });
    if (landed[index + 1]?.version === version) continue;
    const migrations = [...current.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
    versions.push({ version, migrations });
  }
  return versions;
}

/** A SQLite file as a version left it after its start, with rows in each table that it had. */
export function buildSqliteVersion(filePath: string, { migrations }: OlderVersion): Rows {
  const raw = new Database(filePath);
  // What a power failure would leave is of no interest here.
  raw.pragma("synchronous = OFF");
  try {
    for (const migration of migrations) {
      raw.exec(migration.sql);
      recordMigration(raw, migration, new Date());
    }
    const written: Rows = {};
    for (const [table, rows] of Object.entries(OLDER_ROWS)) {
      const columns = listColumns(raw, table);
      if (columns.size === 0) continue;
      written[table] = rows.map((row) => keepColumns(row, columns));
      for (const row of written[table]) {
        const names = Object.keys(row);
        const values = names.map(() => "?").join();
        raw
          .prepare(`INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join()}) VALUES (${values})`)
          .run(...Object.values(row));
      }
    }
    return written;
  } finally {
    raw.close();
  }
}

/** As `buildSqliteVersion`, in an empty database on PostgreSQL. */
export async function buildPostgresVersion(client: pg.Client, { migrations }: OlderVersion): Promise<Rows> {
  await client.query(
    `CREATE TABLE _prisma_migrations (id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL,
       finished_at TIMESTAMPTZ, migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
       started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`,
  );
  for (const { name, sql, checksum } of migrations) {
    await client.query(sql);
    await client.query(
      "INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) VALUES ($1, $2, $3, now(), 1)",
      [hash(name).slice(0, 36), checksum, name],
    );
  }
  const { rows: found } = await client.query<{ table: string; column: string; type: string }>(
    `SELECT table_name AS table, column_name AS column, data_type AS type FROM information_schema.columns
     WHERE table_schema = current_schema()`,
  );
  const written: Rows = {};
  for (const [table, rows] of Object.entries(OLDER_ROWS)) {
    const columns = new Map(found.filter((each) => each.table === table).map(({ column, type }) => [column, type]));
    if (columns.size === 0) continue;
    written[table] = rows.map((row) => keepColumns(row, new Set(columns.keys())));
    for (const row of written[table]) {
      const names = Object.keys(row);
      const values = names.map((name) => (columns.get(name) === "boolean" ? row[name] === 1 : row[name]));
      await client.query(
        `INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join()}) VALUES (${names.map((_, index) => `$${index + 1}`).join()})`,
        values,
      );
    }
  }
  return written;
}

export function listColumns(raw: RawDatabase, table: string): Set<string> {
  return new Set(raw.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(table));
}

function keepColumns(row: Row, columns: ReadonlySet<string>): Row {
  return Object.fromEntries(Object.entries(row).filter(([column]) => columns.has(column)));
}

/** The table and column of this version that hold what an older row held; null where a migration removed it. */
export function findSuccessor(table: string, column: string): { table: string; column: string } | null {
  const successor = {
    table: SUCCESSORS[table] ?? table,
    column: column === "untold" ? "pendingEvent" : column,
  };
  return REMOVED.has(`${successor.table}.${successor.column}`) ? null : successor;
}

/** Tables whose rows are in another one. */
const SUCCESSORS: Readonly<Record<string, string>> = {
  ModelCheck: "SuiteRun",
  EvalRun: "SuiteRun",
  TestRun: "SuiteRun",
  TestSuite: "Suite",
  TestResult: "SuiteResult",
};

/** Columns that later versions do without, and the ones that they write in another form. */
const REMOVED = new Set([
  "Execution.instanceId",
  "Run.instanceId",
  "SuiteRun.instanceId",
  "SuiteRun.attempts",
  "SuiteRun.done",
  "Transcript.settings",
  "Transcript.progress",
]);
