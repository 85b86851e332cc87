import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordingLogger } from "../../engine/recording-logger.test-support";
import type { SqliteDatabase } from "./database";
import { migrateSqlite } from "./migrate";
import { buildOlderDatabase, copyOlderMigrations } from "./migrate.test-support";
import { openSqlite } from "./sqlite/sqlite-database";

let folder: string;
let filePath: string;
let url: string;
let db: SqliteDatabase | null = null;
let umask: number;

beforeEach(() => {
  umask = process.umask(0o022);
  folder = mkdtempSync(path.join(tmpdir(), "toolroom-private-"));
  filePath = path.join(folder, "data", "toolroom.db");
  url = `file:${filePath}`;
});
afterEach(async () => {
  process.umask(umask);
  await db?.close();
  db = null;
  rmSync(folder, { recursive: true, force: true });
});

const getMode = (file: string) => (statSync(file).mode & 0o777).toString(8);

describe.skipIf(process.platform === "win32")("the files of a database", () => {
  it("can be read by their user alone, and so can the folder that is created for them", async () => {
    await migrateSqlite({ url, logger: recordingLogger() });
    db = await openSqlite({ url, logger: recordingLogger() });
    db.raw.exec("INSERT INTO DisabledTool (name, disabledAt) VALUES ('x', 1)");
    expect([filePath, `${filePath}-wal`, `${filePath}-shm`].map(getMode)).toEqual(["600", "600", "600"]);
    expect(getMode(path.dirname(filePath))).toBe("700");
  });

  it("that others could read are made private at the next start, which the log says once", async () => {
    mkdirSync(path.dirname(filePath));
    await buildOlderDatabase(filePath, copyOlderMigrations(folder));
    writeFileSync(`${filePath}.key`, "0".repeat(64));
    writeFileSync(`${filePath}.before-1.bak`, "");
    const files = [filePath, `${filePath}.key`, `${filePath}.before-1.bak`];
    for (const file of files) chmodSync(file, 0o644);

    const logger = recordingLogger();
    await migrateSqlite({ url, logger });
    await migrateSqlite({ url, logger });
    expect(files.filter(existsSync).map(getMode)).toEqual(["600", "600", "600"]);
    expect(getMode(`${filePath}.before-20261123000000_agent.bak`)).toBe("600");
    const warnings = logger.lines.filter(({ level }) => level === "warn");
    expect(warnings).toEqual([expect.objectContaining({ fields: { files } })]);
  });
});
