import fs, { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished, vi } from "vitest";
import { quietLogger } from "./database.test-support";
import { migrateDatabase } from "./migrate";
import { buildOlderDatabase, copyOlderMigrations, readOlderData } from "./migrate.test-support";
import { hasData } from "./upgrade-copy";

/** For this test alone; modules that import by name see it too. */
function pretendFreeBytes(bytes: number): void {
  const statfs = vi.spyOn(fs, "statfsSync").mockReturnValue({ bavail: bytes, bsize: 1 } as fs.StatsFs);
  syncBuiltinESMExports();
  onTestFinished(() => {
    statfs.mockRestore();
    syncBuiltinESMExports();
  });
}

it("an upgrade without room for the copy does not begin, and says how much is needed where", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-full-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const filePath = path.join(folder, "toolroom.db");
  const older = copyOlderMigrations(folder);
  await buildOlderDatabase(filePath, older);
  const before = readOlderData(filePath);
  pretendFreeBytes(8 * 1024 * 1024);
  await expect(migrateDatabase({ url: `file:${filePath}`, logger: quietLogger() })).rejects.toMatchObject({
    name: "DatabaseOpenError",
    message: expect.stringMatching(/no room for the copy.*\d+ MiB are needed in .*, 8 MiB are free\. Free some space/),
  });
  expect(readOlderData(filePath)).toBe(before);
  expect(readdirSync(folder).filter((name) => name.includes(".before-"))).toEqual([]);
  expect(await migrateDatabase({ url: `file:${filePath}`, logger: quietLogger(), folder: older })).toEqual({
    applied: [],
  });
});

it("a table that another process drops while data is looked for does not end the start", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-data-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const filePath = path.join(folder, "toolroom.db");
  const other = new Database(filePath);
  other.pragma("journal_mode = WAL");
  other.exec("CREATE TABLE Early (id TEXT); CREATE TABLE Late (id TEXT); INSERT INTO Late VALUES ('kept')");
  const raw = new Database(filePath);
  onTestFinished(() => void [raw.close(), other.close()]);
  const prepare = raw.prepare.bind(raw);
  vi.spyOn(raw, "prepare").mockImplementation((sql: string) => {
    if (sql.includes('"Early"')) other.exec("DROP TABLE Late");
    return prepare(sql);
  });
  expect(hasData(raw)).toBe(true);
});
