import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { derivePostgresSchema } from "../../../../../scripts/postgres-schema.mjs";
import { recordingLogger } from "../../../engine/recording-logger.test-support";
import { createScratchDatabase, quietLogger } from "../database.test-support";
import { readMigrationList } from "../sqlite/schema-engine.test-support";
import { migratePostgres } from "./migrate-postgres";
import { POSTGRES_FILTER, withPostgresEngine } from "./schema-engine.test-support";
import {
  administer,
  createPostgresDatabase,
  createScratchPostgres,
  HAS_POSTGRES,
} from "./scratch-postgres.test-support";

const FOLDER = path.resolve("prisma/migrations-postgres");
const schema = readFileSync("prisma/postgres.prisma", "utf8");

/** The migrations of this version, and one more. */
function withMigration(name: string, sql: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-pg-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(FOLDER, folder, { recursive: true });
  mkdirSync(path.join(folder, name));
  writeFileSync(path.join(folder, name, "migration.sql"), sql);
  return folder;
}

async function createEmpty(): Promise<string> {
  const { url, remove } = await createPostgresDatabase({ migrated: false });
  onTestFinished(remove);
  return url;
}

const migrate = (url: string, folder = FOLDER) => migratePostgres({ url, logger: quietLogger(), folder });

it("the schema for PostgreSQL is the one that follows from SQLite's", () => {
  expect(derivePostgresSchema(readFileSync("prisma/schema.prisma", "utf8"))).toBe(schema);
});

describe.skipIf(!HAS_POSTGRES)("the schema on PostgreSQL", () => {
  it("is what its migrations give, and a column that none adds is noticed", async () => {
    const url = await createEmpty();
    const compare = (content: string) =>
      withPostgresEngine(url, (engine) =>
        engine.diff({
          from: { tag: "migrations", ...readMigrationList(FOLDER) },
          to: { tag: "schemaDatamodel", files: [{ path: "schema.prisma", content }] },
          script: true,
          exitCode: true,
          filters: POSTGRES_FILTER,
        }),
      );
    expect(await compare(schema)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("empty migration") });
    const extended = schema.replace("model Tool {", "model Tool {\n  forgotten String?");
    expect(await compare(extended)).toMatchObject({ exitCode: 2, stdout: expect.stringContaining("forgotten") });
  });

  it("Prisma's engine takes a database that this product migrated for up to date", async () => {
    const url = await createEmpty();
    await migrate(url);
    const applied = await withPostgresEngine(url, (engine) =>
      engine.applyMigrations({ migrationsList: readMigrationList(FOLDER), filters: POSTGRES_FILTER }),
    );
    expect(applied.appliedMigrationNames).toEqual([]);
  });

  it("has the tables and columns of SQLite's, and every text compares byte by byte", async () => {
    const postgres = await createScratchPostgres();
    const sqlite = await createScratchDatabase();
    onTestFinished(async () => void (await Promise.all([postgres.remove(), sqlite.remove()])));
    const onSqlite = await sqlite.db.rows<{ at: string }>(
      `SELECT m.name || '.' || c.name AS at FROM sqlite_master m, pragma_table_info(m.name) c
       WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE 'ExecutionText%'
         AND m.name <> '_prisma_migrations'`,
    );
    const onPostgres = await postgres.db.rows<{ at: string; type: string; collation: string | null }>(
      `SELECT table_name || '.' || column_name AS at, data_type AS type, collation_name AS collation
       FROM information_schema.columns
       WHERE table_schema = 'public'
         AND table_name NOT IN ('ExecutionText', 'Copy', 'Bulletin', 'Lease', '_prisma_migrations')`,
    );
    expect(onPostgres.map(({ at }) => at).sort()).toEqual(onSqlite.map(({ at }) => at).sort());
    expect(onPostgres.filter(({ type, collation }) => type === "text" && collation !== "C")).toEqual([]);
  });
});

describe.skipIf(!HAS_POSTGRES)("a migration on PostgreSQL", () => {
  it("is applied once, also where two processes start together", async () => {
    const url = await createEmpty();
    const [one, other] = await Promise.all([migrate(url), migrate(url)]);
    // They may take turns.
    expect([...one.applied, ...other.applied].sort()).toEqual(
      readMigrationList(FOLDER)
        .migrationDirectories.map(({ path: name }) => name)
        .sort(),
    );
    expect(await migrate(url)).toEqual({ applied: [] });
  });

  it("that fails is undone as a whole, and says so", async () => {
    const url = await createEmpty();
    const folder = withMigration(
      "29990101000000_faulty",
      'CREATE TABLE "Half" (id INT); INSERT INTO "Nowhere" VALUES (1);',
    );
    await expect(migrate(url, folder)).rejects.toThrow(
      /migration 29990101000000_faulty failed \(relation "Nowhere" does not exist\)\. That migration was undone as a whole/,
    );
    await expect(administer(url, 'SELECT * FROM "Half"')).rejects.toThrow(/does not exist/);
    expect(await migrate(url)).toEqual({ applied: [] });
  });

  it("may hold functions, whose text has semicolons", async () => {
    const url = await createEmpty();
    const body =
      "CREATE FUNCTION twice(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN n := n * 2; RETURN n; END $$; -- a; b";
    await migrate(url, withMigration("29990101000000_function", body));
    await administer(url, "SELECT twice(2)");
  });
});

describe.skipIf(!HAS_POSTGRES)("a database that cannot be used is refused with the way out", () => {
  it("of another program, of a newer version, and one that lacks a table or a column", async () => {
    const foreign = await createEmpty();
    await administer(foreign, "CREATE TABLE customers (id INT)");
    await expect(migrate(foreign)).rejects.toThrow(/holds tables that are not Toolroom's, such as customers/);
    const newer = await createEmpty();
    await migrate(newer, withMigration("29990101000000_later", "SELECT 1;"));
    await expect(migrate(newer)).rejects.toThrow(/newer version of Toolroom \(migration 29990101000000_later/);
    const partial = await createEmpty();
    await migrate(partial);
    await administer(partial, 'DROP TABLE "ToolLens"', 'ALTER TABLE "Tool" DROP COLUMN enabled');
    await expect(migrate(partial)).rejects.toThrow(/not complete: column Tool\.enabled, table ToolLens are missing/);
  });

  it("that does not exist, whose server is not there, whose password is wrong, and of another encoding", async () => {
    const url = await createEmpty();
    const named = (change: Partial<Pick<URL, "pathname" | "username" | "password">>): string =>
      Object.assign(new URL(url), change).href;
    await expect(migrate(named({ pathname: "/nowhere" }))).rejects.toThrow(
      /^The database postgresql:\/\/127\.0\.0\.1:\d+\/nowhere does not exist\. Create it with: createdb nowhere$/,
    );
    await expect(migrate("postgresql://ada:geheim@127.0.0.1:1/toolroom")).rejects.toThrow(
      /^The database postgresql:\/\/127\.0\.0\.1:1\/toolroom cannot be reached \(ECONNREFUSED\)\. Check host and port/,
    );
    await administer(
      url,
      `DROP DATABASE IF EXISTS ascii`,
      "CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0",
    );
    const ascii = migrate(named({ pathname: "/ascii" }));
    await expect(ascii).rejects.toThrow(/stores texts as SQL_ASCII\. Create one for UTF-8/);
    await administer(url, "DROP ROLE IF EXISTS guarded", "CREATE ROLE guarded LOGIN PASSWORD 'right'");
    const guarded = named({ username: "guarded", password: "wr0ng-secret" });
    await expect(migrate(guarded)).rejects.toThrow(/refused the user or the password of DATABASE_URL/);
    await expect(migrate(guarded)).rejects.not.toThrow(/wr0ng/);
    const reader = named({ username: "guarded", password: "right" });
    await expect(migrate(reader)).rejects.toThrow(
      /does not let the user of DATABASE_URL create tables\. Make the user/,
    );
  });

  it("says nothing of a faulty address", async () => {
    const logger = recordingLogger();
    const attempt = migratePostgres({ url: "postgresql://ada:geheim@host/", logger, folder: FOLDER });
    await expect(attempt).rejects.toThrow(/DATABASE_URL is not the address of a PostgreSQL database/);
    await expect(attempt).rejects.not.toThrow(/geheim/);
  });
});
