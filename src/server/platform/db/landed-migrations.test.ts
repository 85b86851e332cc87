import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { landMigrations } from "../../../../scripts/land-migrations.mjs";
import Database from "../../../../scripts/sqlite.mjs";
import { createSample } from "../../../lib/sample.test-support";
import { quietLogger } from "./database.test-support";
import { findAmendments, LANDED_FILE, type LandedMigration, readLandedMigrations } from "./landed-migrations";
import { migrateSqlite } from "./migrate";
import { readMigrations } from "./migration-files";
import {
  buildPostgresVersion,
  buildSqliteVersion,
  findSuccessor,
  listColumns,
  type OlderVersion,
  type Rows,
  readOlderVersions,
} from "./older-versions.test-support";
import { migratePostgres } from "./postgres/migrate-postgres";
import { createPostgresDatabase, HAS_POSTGRES } from "./postgres/scratch-postgres.test-support";
import { readAppliedMigrations } from "./sqlite/applied-migrations";

const logger = quietLogger();
const FOLDERS = ["prisma/migrations", "prisma/migrations-postgres"].map((folder) => path.resolve(folder));
const [SQLITE = "", POSTGRES = ""] = FOLDERS;
/** How to enter a migration in the list. */
const COMMAND = "node scripts/land-migrations.mjs";

function askGit(...args: string[]): string {
  return execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

/** The list of landed migrations as each commit of this clone has it; empty without a history. */
function readCommittedLists(folder: string): LandedMigration[][] {
  const file = path.relative(process.cwd(), path.join(folder, LANDED_FILE));
  if (!existsSync(".git") || askGit("rev-list", "--all", "--max-count=1") === "") return [];
  const commits = askGit("log", "--format=%H", "--", file).split("\n").filter(Boolean);
  return commits.map((commit) => JSON.parse(askGit("show", `${commit}:${file}`)) as LandedMigration[]);
}

describe.each(FOLDERS)("what landed in %s", (folder) => {
  const landed = readLandedMigrations(folder);
  const latest = new Map<string, string>();
  for (const { name, checksum, formerName } of landed) {
    if (formerName !== undefined) latest.delete(formerName);
    latest.set(name, checksum);
  }

  it("is there unchanged under its name", () => {
    const present = new Map(readMigrations(folder).map(({ name, checksum }) => [name, checksum]));
    const changed = [...latest].filter(([name, checksum]) => present.get(name) !== checksum).map(([name]) => name);
    expect(changed, "restore these migrations, and put the change into a new one").toEqual([]);
  });

  it("is listed as a whole", () => {
    const unlisted = readMigrations(folder).flatMap(({ name }) => (latest.has(name) ? [] : [name]));
    expect(unlisted, `enter these migrations in the list: ${COMMAND}`).toEqual([]);
  });

  it("keeps each line that a commit has had", () => {
    const lines = new Set(landed.map((line) => JSON.stringify(line)));
    const lost = readCommittedLists(folder).flatMap((list) => list.filter((line) => !lines.has(JSON.stringify(line))));
    expect(lost).toEqual([]);
  });
});

it("the lists hold the versions of the database that databases in use have", () => {
  expect(readOlderVersions(SQLITE).length).toBeGreaterThanOrEqual(47);
  expect(readOlderVersions(POSTGRES).length).toBeGreaterThanOrEqual(20);
});

/** The oldest version, the newest, and in continuous integration all between them; elsewhere a sample of those. */
function chooseVersions(versions: readonly OlderVersion[], name: string): (readonly [number, OlderVersion])[] {
  const isSampled = createSample(6, name);
  const chosen = versions.filter((each) => isSampled() || each === versions[0] || each === versions.at(-1));
  return chosen.map((each) => [each.version, each] as const);
}

/** Types and columns, without the order in which versions added them. */
function describeSchema(filePath: string): unknown {
  const raw = new Database(filePath, { readonly: true });
  try {
    return raw
      .prepare(
        `SELECT m.type, m.name, c.name AS "column", c.type AS kind, c."notnull", c.dflt_value, c.pk FROM sqlite_master m
         LEFT JOIN pragma_table_info(m.name) c ON m.type = 'table' WHERE m.name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY 1, 2, 3`,
      )
      .all();
  } finally {
    raw.close();
  }
}

/** Each written value that is not where this version reads it. */
function findLost(written: Rows, read: (table: string) => Record<string, unknown>[]): unknown[] {
  return Object.entries(written).flatMap(([table, rows]) => {
    const present = read(findSuccessor(table, "")?.table ?? table);
    return rows.flatMap((row, index) => {
      const found = present[index];
      return Object.entries(row).flatMap(([column, value]) => {
        const successor = findSuccessor(table, column);
        if (successor === null) return [];
        const now = found?.[successor.column];
        const same = typeof now === "boolean" ? now === (value === 1) : String(now) === String(value);
        return same ? [] : [{ table, index, column, value, now }];
      });
    });
  });
}

describe("a database of an earlier version on SQLite", () => {
  const versions = readOlderVersions(SQLITE);
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-older-"));
  const model = path.join(folder, "model.db");

  async function expectUpgraded(filePath: string, version: OlderVersion): Promise<void> {
    const written = buildSqliteVersion(filePath, version);
    await migrateSqlite({ url: `file:${filePath}`, logger });
    const raw = new Database(filePath, { readonly: true });
    try {
      const lost = findLost(
        written,
        (table) => raw.prepare(`SELECT * FROM "${table}" ORDER BY rowid`).all() as Record<string, unknown>[],
      );
      expect(lost).toEqual([]);
      expect(readAppliedMigrations(raw)?.map(({ name, checksum }) => ({ name, checksum }))).toEqual(
        readMigrations(SQLITE).map(({ name, checksum }) => ({ name, checksum })),
      );
      expect(raw.pragma("foreign_key_check")).toEqual([]);
    } finally {
      raw.close();
    }
    expect(describeSchema(filePath)).toEqual(describeSchema(model));
    expect(await migrateSqlite({ url: `file:${filePath}`, logger })).toEqual({ applied: [] });
  }

  it.each(chooseVersions(versions, "sqlite"))(
    "opens with all its rows and the schema of this one: version %i of a sample, in continuous integration of all",
    async (number, version) => {
      if (!existsSync(model)) await migrateSqlite({ url: `file:${model}`, logger });
      await expectUpgraded(path.join(folder, `${number}.db`), version);
      if (number === versions.length) rmSync(folder, { recursive: true });
    },
  );

  it("opens also where its owner has renamed the row or the column by hand, or holds both rows", async () => {
    const at = mkdtempSync(path.join(tmpdir(), "toolroom-older-"));
    onTestFinished(() => rmSync(at, { recursive: true, force: true }));
    const version = versions.find(({ migrations }) => migrations.some(({ sql }) => sql.includes('"untold"')));
    if (version === undefined) throw new Error("no version had the column");
    for (const [index, statement] of [
      'ALTER TABLE "Alert" RENAME COLUMN "untold" TO "pendingEvent"',
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) SELECT 'x', checksum, '20270126070000_evals', finished_at
         FROM _prisma_migrations WHERE migration_name = '20270108070000_evals'`,
    ].entries()) {
      const filePath = path.join(at, `${index}.db`);
      buildSqliteVersion(filePath, version);
      const raw = new Database(filePath);
      raw.exec(statement);
      raw.close();
      await migrateSqlite({ url: `file:${filePath}`, logger });
      const opened = new Database(filePath, { readonly: true });
      expect(listColumns(opened, "Alert").has("pendingEvent")).toBe(true);
      expect(readAppliedMigrations(opened)).toHaveLength(readMigrations(SQLITE).length);
      opened.close();
    }
  });
});

describe.skipIf(!HAS_POSTGRES)("a database of an earlier version on PostgreSQL", () => {
  it.each(chooseVersions(readOlderVersions(POSTGRES), "postgres"))(
    "opens with all its rows: version %i of a sample, in continuous integration of all",
    async (_number, version) => {
      const { url, remove } = await createPostgresDatabase({ migrated: false });
      onTestFinished(remove);
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        const written = await buildPostgresVersion(client, version);
        await migratePostgres({ url, logger, folder: POSTGRES });
        const read = new Map<string, Record<string, unknown>[]>();
        for (const table of Object.keys(written)) {
          const name = findSuccessor(table, "")?.table ?? table;
          read.set(name, (await client.query(`SELECT * FROM "${name}" ORDER BY ctid`)).rows);
        }
        expect(findLost(written, (table) => read.get(table) ?? [])).toEqual([]);
        const { rows } = await client.query(
          "SELECT migration_name AS name, checksum FROM _prisma_migrations ORDER BY 1",
        );
        expect(rows).toEqual(readMigrations(POSTGRES).map(({ name, checksum }) => ({ name, checksum })));
        expect(await migratePostgres({ url, logger, folder: POSTGRES })).toEqual({ applied: [] });
      } finally {
        await client.end();
      }
    },
  );
});

it("a record that no version made is left to the check for newer versions", () => {
  const record = { name: "20990101000000_later", checksum: "f".repeat(64) };
  expect(findAmendments([record], readLandedMigrations(SQLITE))).toEqual([]);
});

describe("node scripts/land-migrations.mjs", () => {
  const name = "20990101000000_later";

  it("enters a new migration once, and refuses to go on where a landed one was changed or is gone", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "toolroom-land-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    cpSync(SQLITE, folder, { recursive: true });
    const before = readLandedMigrations(folder);
    mkdirSync(path.join(folder, name));
    writeFileSync(path.join(folder, name, "migration.sql"), "SELECT 1;");
    expect(landMigrations(folder)).toEqual([name]);
    expect(landMigrations(folder)).toEqual([]);
    expect(readLandedMigrations(folder).slice(0, -1)).toEqual(before);
    writeFileSync(path.join(folder, name, "migration.sql"), "SELECT 2;");
    expect(() => landMigrations(folder)).toThrow(`${name} landed, and databases have it`);
    rmSync(path.join(folder, name), { recursive: true });
    expect(() => landMigrations(folder)).toThrow(`${name} landed, and databases have it`);
  });
});
