import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import Sqlite from "../../../../scripts/sqlite.mjs";
import { createSample } from "../../../lib/sample.test-support";
import { recordingLogger } from "../../engine/recording-logger.test-support";
import { quietLogger } from "./database.test-support";
import { migrateSqlite } from "./migrate";
import { buildOlderDatabase, copyOlderMigrations, MIGRATIONS, readOlderData } from "./migrate.test-support";
import { readMigrations } from "./migration-files";
import { recordMigration } from "./sqlite/applied-migrations";
import { executeByStatement } from "./sqlite/complete-migration";
import { buildSchema } from "./sqlite/schema-objects";

const logger = quietLogger();
const migrations = readMigrations(MIGRATIONS);
let folder: string;
let filePath: string;
let url: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "toolroom-migrate-"));
  filePath = path.join(folder, "toolroom.db");
  url = `file:${filePath}`;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function withDatabase<T>(work: (raw: Sqlite) => T, file = filePath): T {
  const raw = new Sqlite(file);
  try {
    return work(raw);
  } finally {
    raw.close();
  }
}

function readSchema(file: string): unknown {
  const sql =
    "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE tbl_name <> '_prisma_migrations' ORDER BY 1, 2";
  return withDatabase((raw) => raw.prepare(sql).all(), file);
}

/** A folder with all migrations and one more. */
function withMigration(name: string, sql: string): string {
  const target = path.join(folder, "migrations");
  cpSync(MIGRATIONS, target, { recursive: true });
  mkdirSync(path.join(target, name));
  writeFileSync(path.join(target, name, "migration.sql"), sql);
  return target;
}

/** A database as an earlier version left it when it ended after `count` statements of a migration. */
function leaveHalfMigrated(index: number, count: number): void {
  withDatabase((raw) => {
    for (const migration of migrations.slice(0, index)) {
      raw.exec(migration.sql);
      recordMigration(raw, migration, new Date());
    }
    const migration = migrations[index];
    if (migration === undefined) throw new Error("no such migration");
    recordMigration(raw, migration, new Date());
    raw
      .prepare("UPDATE _prisma_migrations SET finished_at = NULL, applied_steps_count = 0 WHERE migration_name = ?")
      .run(migration.name);
    let done = 0;
    if (count > 0) for (const _ of executeByStatement(raw, migration.sql)) if (++done === count) break;
  });
}

describe("an upgrade", () => {
  it("keeps the data, and leaves a private copy of the database as it was, which the log names", async () => {
    await buildOlderDatabase(filePath, copyOlderMigrations(folder));
    const before = readOlderData(filePath);
    const recorded = recordingLogger();
    await migrateSqlite({ url, logger: recorded });
    expect(readOlderData(filePath)).toBe(before);

    const copy = `${filePath}.before-20261123000000_agent.bak`;
    expect(readOlderData(copy)).toBe(before);
    expect(withDatabase((raw) => raw.prepare("SELECT count(*) n FROM _prisma_migrations").get(), copy)).toEqual({
      n: 2,
    });
    expect(JSON.stringify(recorded.lines)).toContain(copy);
  });

  it("names its migrations in the log, and a new database as created", async () => {
    const recording = recordingLogger();
    await migrateSqlite({ url, logger: recording, folder: copyOlderMigrations(folder) });
    expect(recording.lines.map(({ message }) => message)).toContain("Database created");
    recording.lines.length = 0;
    await migrateSqlite({ url, logger: recording });
    expect(recording.lines.find(({ message }) => message === "Database migrated")?.fields).toMatchObject({
      migrations: migrations.slice(2).map(({ name }) => name),
    });
  });

  it("copies nothing when the database is new, empty or up to date", async () => {
    await migrateSqlite({ url, logger, folder: copyOlderMigrations(folder) });
    await migrateSqlite({ url, logger });
    await migrateSqlite({ url, logger });
    expect(readdirSync(folder).filter((name) => name.includes(".bak"))).toEqual([]);
  });

  it("keeps the newest two copies, and removes what a process that ended left of one", async () => {
    await buildOlderDatabase(filePath, copyOlderMigrations(folder));
    for (const name of ["1", "2", "3"]) writeFileSync(`${filePath}.before-${name}.bak`, "");
    writeFileSync(`${filePath}.before-3.bak.999999999.tmp`, "");
    await migrateSqlite({ url, logger });
    const copies = readdirSync(folder).filter((name) => name.includes(".before-"));
    expect(copies).toHaveLength(2);
    expect(copies).toContain("toolroom.db.before-20261123000000_agent.bak");
  });

  it("that fails changes nothing, and says so: the older program opens the database", async () => {
    const older = copyOlderMigrations(folder);
    await migrateSqlite({ url, logger, folder: older });
    const before = readSchema(filePath);
    const target = withMigration("20990101000000_bad", "CREATE TABLE half (a); INSERT INTO missing VALUES (1);");
    await expect(migrateSqlite({ url, logger, folder: target })).rejects.toThrow(
      /migration 20990101000000_bad failed \(no such table: missing\).*no data was changed/,
    );
    expect(readSchema(filePath)).toEqual(before);
    expect(await migrateSqlite({ url, logger, folder: older })).toEqual({ applied: [] });
  });

  const REBUILD = `PRAGMA foreign_keys=OFF;
    CREATE TABLE "new_Definition" ("hash" TEXT NOT NULL PRIMARY KEY, "toolName" TEXT NOT NULL, "json" TEXT NOT NULL, "extra" TEXT);
    INSERT INTO "new_Definition" ("hash", "toolName", "json") SELECT "hash", "toolName", "json" FROM "Definition" WHERE FILTER;
    DROP TABLE "Definition";
    ALTER TABLE "new_Definition" RENAME TO "Definition";
    PRAGMA foreign_keys=ON;`;

  it("can rebuild a table that others refer to", async () => {
    await buildOlderDatabase(filePath, copyOlderMigrations(folder));
    const target = withMigration("20990101000000_rebuild", REBUILD.replace("FILTER", "true"));
    await migrateSqlite({ url, logger, folder: target });
    expect(withDatabase((raw) => raw.prepare("SELECT hash, extra FROM Definition").all())).toEqual([
      { hash: "h1", extra: null },
    ]);
    expect(withDatabase((raw) => raw.pragma("foreign_key_check"))).toEqual([]);
  });

  it("that would lose rows others refer to is undone", async () => {
    await buildOlderDatabase(filePath, copyOlderMigrations(folder));
    const before = readOlderData(filePath);
    const target = withMigration("20990101000000_rebuild", REBUILD.replace("FILTER", "false"));
    await expect(migrateSqlite({ url, logger, folder: target })).rejects.toThrow(/refer to rows that do not exist/);
    expect(readOlderData(filePath)).toBe(before);
  });
});

describe("a database that an earlier version left in the middle of a migration", () => {
  it.each(migrations.slice(0, 3).map(({ name }, index) => [name, index] as const))(
    "is completed after any statement of %s (all in continuous integration, elsewhere a sample)",
    { timeout: 120_000 },
    async (name, index) => {
      const expected = buildSchema(migrations).serialize();
      const model = path.join(folder, "model.db");
      writeFileSync(model, expected);
      const statements = [...executeByStatement(buildSchema(migrations.slice(0, index)), migrations[index]?.sql ?? "")];
      expect(statements.length).toBeGreaterThan(1);
      const isSampled = createSample(4, name);
      for (let count = 0; count <= statements.length; count += 1) {
        if (!isSampled() && count > 0 && count < statements.length) continue;
        leaveHalfMigrated(index, count);
        await migrateSqlite({ url, logger });
        expect(readSchema(filePath)).toEqual(readSchema(model));
        expect(await migrateSqlite({ url, logger })).toEqual({ applied: [] });
        rmSync(filePath);
      }
    },
  );

  it("is refused with the way out when it cannot be told what was applied", async () => {
    leaveHalfMigrated(2, 4);
    withDatabase((raw) => raw.exec("CREATE TABLE surprise (a)"));
    await expect(migrateSqlite({ url, logger })).rejects.toMatchObject({
      name: "DatabaseOpenError",
      message: expect.stringMatching(/stopped in the middle of the migration 20261123000000_agent.*Restore it from/),
    });
  });
});

describe("a database that is not whole", () => {
  it("says which tables are missing, and names the copy made before the last upgrade", async () => {
    await buildOlderDatabase(filePath, copyOlderMigrations(folder));
    await migrateSqlite({ url, logger });
    withDatabase((raw) => raw.exec("DROP TABLE Run; DROP TABLE RunEvent"));
    const fault = migrateSqlite({ url, logger });
    await expect(fault).rejects.toThrow(/is incomplete: it has no table Run, table RunEvent/);
    await expect(fault).rejects.toThrow(/toolroom\.db\.before-20261123000000_agent\.bak/);
  });

  it("says when a column, an index or a trigger is missing", async () => {
    await migrateSqlite({ url, logger });
    withDatabase((raw) => raw.exec('ALTER TABLE Run DROP COLUMN title; DROP INDEX "Approval_open"'));
    await expect(migrateSqlite({ url, logger })).rejects.toThrow(/column Run\.title/);
    await expect(migrateSqlite({ url, logger })).rejects.toThrow(/index Approval_open/);
  });

  it("says when the list of migrations is missing", async () => {
    await migrateSqlite({ url, logger });
    withDatabase((raw) => raw.exec("DROP TABLE _prisma_migrations"));
    await expect(migrateSqlite({ url, logger })).rejects.toThrow(/not the list of its migrations.*Restore it from/);
    expect(existsSync(filePath)).toBe(true);
  });

  it("of another program that uses Prisma is not taken for a newer version", async () => {
    withDatabase((raw) => recordMigration(raw, { name: "20200101000000_init", sql: "", checksum: "x" }, new Date()));
    await expect(migrateSqlite({ url, logger })).rejects.toThrow(/is not a Toolroom database/);
  });
});
