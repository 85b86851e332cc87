import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import Sqlite from "../../../../scripts/sqlite.mjs";
import { createScratchDatabase, quietLogger } from "./database.test-support";
import { claimSqlite } from "./database-owner";
import { migrateSqlite } from "./migrate";
import { buildOlderDatabase, copyOlderMigrations, readOlderData } from "./migrate.test-support";
import { restoreDatabase } from "./restore-database";
import { listCopies } from "./upgrade-copy";

const logger = quietLogger();
let folder: string;
let filePath: string;
let url: string;
let older: string;
let before: string;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "toolroom-restore-"));
  filePath = path.join(folder, "toolroom.db");
  url = `file:${filePath}`;
  older = copyOlderMigrations(folder);
  await buildOlderDatabase(filePath, older);
  before = readOlderData(filePath);
  await migrateSqlite({ url, logger });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function change(sql: string, file = filePath): void {
  const raw = new Sqlite(file);
  raw.exec(sql);
  raw.close();
}

describe("restoreDatabase", () => {
  it("brings back the copy from before an upgrade, which the older program opens, and keeps the newer database", async () => {
    change("INSERT INTO ToolApprovalMode (name, mode, setAt) VALUES ('later', 'always', 1)");
    writeFileSync(`${filePath}.audit-anchor`, "{}");
    const [copy = ""] = listCopies(filePath);
    await expect(migrateSqlite({ url, logger, folder: older })).rejects.toThrow(
      `bring back the copy from before its upgrade (toolroom restore "${copy}"), or set DATABASE_URL`,
    );
    const files = readdirSync(folder);
    const { previous, migration } = await restoreDatabase(url, copy);
    expect(migration).toBe("20261122000000_mcp_servers");
    expect(readOlderData(filePath)).toBe(before);
    expect(await migrateSqlite({ url, logger, folder: older })).toEqual({ applied: [] });
    expect(existsSync(copy)).toBe(true);
    // What the newer version had recorded is there to be brought back in turn.
    if (previous === null) throw new Error("nothing was kept");
    const kept = new Sqlite(previous, { readonly: true });
    expect(kept.prepare("SELECT name FROM ToolApprovalMode").pluck().all()).toEqual(["later"]);
    kept.close();
    expect(readFileSync(`${previous}.audit-anchor`, "utf8")).toBe("{}");
    await restoreDatabase(url, previous);
    expect(await migrateSqlite({ url, logger })).toEqual({ applied: [] });
    expect(readdirSync(folder).filter((name) => /restore$|\.tmp$/.test(name))).toEqual([]);
    expect(files.every((name) => existsSync(path.join(folder, name)) || name.endsWith(".audit-anchor"))).toBe(true);
  });

  it("loses no commit that is only in the log of a database whose process was killed", async () => {
    const scratch = await createScratchDatabase();
    const killed = path.join(folder, "killed.db");
    await scratch.db.prisma.toolApprovalMode.create({ data: { name: "x", mode: "always", setAt: 1n } });
    for (const suffix of ["", "-wal"]) cpSync(scratch.filePath + suffix, killed + suffix);
    await scratch.remove();
    const { previous } = await restoreDatabase(`file:${killed}`, filePath);
    const kept = new Sqlite(previous ?? "", { readonly: true });
    expect(kept.prepare("SELECT name FROM ToolApprovalMode").pluck().all()).toEqual(["x"]);
    kept.close();
    expect(readOlderData(killed)).toBe(readOlderData(filePath));
  });

  it("replaces a database that is damaged, and keeps it with its log", async () => {
    const [copy = ""] = listCopies(filePath);
    writeFileSync(filePath, "not a database");
    writeFileSync(`${filePath}-wal`, "its log");
    const { previous } = await restoreDatabase(url, copy);
    expect(readOlderData(filePath)).toBe(before);
    expect([readFileSync(previous ?? "", "utf8"), readFileSync(`${previous}-wal`, "utf8")]).toEqual([
      "not a database",
      "its log",
    ]);
  });

  it("changes nothing for a file that is no copy of Toolroom's, and while a server owns the database", async () => {
    const other = path.join(folder, "other.db");
    change("CREATE TABLE Note (text TEXT)", other);
    const text = path.join(folder, "text.bak");
    writeFileSync(text, "x".repeat(5000));
    const unchanged = readFileSync(filePath);
    await expect(restoreDatabase(url, other)).rejects.toThrow(/other\.db is not a Toolroom database/);
    await expect(restoreDatabase(url, text)).rejects.toThrow(/text\.bak is not a Toolroom database/);
    await expect(restoreDatabase(url, `${filePath}.none`)).rejects.toThrow(/There is no file .*\.none\. Name a copy/);
    const claim = claimSqlite(url, "http://127.0.0.1:1");
    await expect(restoreDatabase(url, listCopies(filePath)[0] ?? "")).rejects.toThrow(/in use by the Toolroom at/);
    claim.release();
    expect(readFileSync(filePath).equals(unchanged)).toBe(true);
    expect(readdirSync(folder).filter((name) => /before-restore|\.restore/.test(name))).toEqual([]);
  });
});
