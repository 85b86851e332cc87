import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import Sqlite from "../../../../scripts/sqlite.mjs";
import { quietLogger } from "./database.test-support";
import { databaseFilePath } from "./database-file";
import { migrateSqlite } from "./migrate";
import { openSqlite } from "./sqlite/sqlite-database";

const logger = quietLogger();
let folder: string;
let url: string;
let filePath: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "toolroom-db-"));
  filePath = path.join(folder, "nested", "toolroom.db");
  url = `file:${filePath}`;
});
afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true, force: true });
});

describe("migrateSqlite", () => {
  it("makes the folder and the file, and has nothing to do the second time", async () => {
    const first = await migrateSqlite({ url, logger });
    expect(first.applied.length).toBeGreaterThan(0);
    expect(await migrateSqlite({ url, logger })).toEqual({ applied: [] });
  });

  it("refuses a database from a newer version and says so", async () => {
    await migrateSqlite({ url, logger });
    const raw = new Sqlite(filePath);
    raw
      .prepare(
        `INSERT INTO _prisma_migrations(id, checksum, finished_at, migration_name, applied_steps_count)
         VALUES ('x', 'x', 1, '29990101000000_future', 1)`,
      )
      .run();
    raw.close();
    await expect(migrateSqlite({ url, logger })).rejects.toThrow(/newer version of Toolroom.*29990101000000_future/);
  });

  it("says when the file is no database, and when it belongs to another program", async () => {
    await migrateSqlite({ url, logger });
    writeFileSync(path.join(folder, "text.db"), "this is not a database, it is a sentence.".repeat(200));
    await expect(migrateSqlite({ url: `file:${folder}/text.db`, logger })).rejects.toThrow(
      /is not a Toolroom database/,
    );

    const foreign = new Sqlite(path.join(folder, "foreign.db"));
    foreign.exec("CREATE TABLE invoices(id INTEGER)");
    foreign.close();
    await expect(migrateSqlite({ url: `file:${folder}/foreign.db`, logger })).rejects.toThrow(
      /is not a Toolroom database/,
    );
  });

  it("says when the place cannot be written", async () => {
    writeFileSync(path.join(folder, "file"), "");
    await expect(migrateSqlite({ url: `file:${folder}/file/toolroom.db`, logger })).rejects.toMatchObject({
      name: "DatabaseOpenError",
      message: expect.stringContaining("cannot be opened"),
    });
  });
});

describe("openSqlite", () => {
  it("gives Prisma and raw SQL one connection in WAL mode with foreign keys", async () => {
    await migrateSqlite({ url, logger });
    const db = await openSqlite({ url, logger });
    expect(db.raw.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(db.raw.pragma("foreign_keys", { simple: true })).toBe(1n);
    db.raw.exec("CREATE TEMP TABLE only_here(a)");
    expect(await db.prisma.$queryRawUnsafe("SELECT a FROM only_here")).toEqual([]);
    await db.close();
    await db.close();
    expect(db.raw.open).toBe(false);
  });

  it("says when the file is no database", async () => {
    const file = path.join(folder, "text.db");
    writeFileSync(file, "this is not a database, it is a sentence.".repeat(200));
    await expect(openSqlite({ url: `file:${file}`, logger })).rejects.toMatchObject({ name: "DatabaseOpenError" });
  });

  it("a DATABASE_URL that names no file is refused with an example", () => {
    expect(() => databaseFilePath("postgres://x")).toThrow(/must start with "file:"/);
    expect(() => databaseFilePath("file::memory:")).toThrow(/must name a file/);
    expect(databaseFilePath("file:./data/a.db")).toBe(path.resolve("data/a.db"));
    expect(databaseFilePath("file:///tmp/a.db?x=1")).toBe("/tmp/a.db");
  });
});
