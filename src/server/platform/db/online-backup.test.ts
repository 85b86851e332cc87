import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import Sqlite from "../../../../scripts/sqlite.mjs";
import { compactDatabase } from "./compact-database";
import { createScratchDatabase, quietLogger } from "./database.test-support";
import { claimSqlite } from "./database-owner";
import { canReleasePages } from "./free-pages";
import { migrateSqlite } from "./migrate";
import { createOnlineBackups } from "./online-backup";
import { restoreDatabase } from "./restore-database";

const workerFile = path.resolve("src/server/platform/db/backup-worker.mjs");
const setting = (key: string) => `INSERT INTO "Setting" (key, value, "updatedAt") VALUES ('${key}', 'v', 1)`;

async function open() {
  const scratch = await createScratchDatabase();
  onTestFinished(scratch.remove);
  const keyFile = `${scratch.filePath}.key`;
  writeFileSync(keyFile, "the key", { mode: 0o600 });
  const backups = createOnlineBackups({ db: scratch.db, keyFile, workerFile, now: Date.now });
  return { scratch, backups };
}

it("a backup made while the database is written is whole, private, has its key, and is restored with what was committed before", async () => {
  const { scratch, backups } = await open();
  const { db } = scratch;
  await db.write(() => void db.raw.exec(setting("before")));
  let isDone = false;
  const writing = (async () => {
    for (let at = 0; !isDone; at += 1) {
      await db.write(() => void db.raw.exec(setting(`during-${at}`)));
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const made = await backups.make().finally(() => {
    isDone = true;
  });
  await writing;
  expect(readFileSync(made.keyFile ?? "", "utf8")).toBe("the key");
  if (process.platform !== "win32") expect(statSync(made.file).mode & 0o077).toBe(0);
  expect(backups.list()).toMatchObject([{ name: made.name, kind: "backup", bytes: made.bytes, hasKey: true }]);

  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-backup-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const url = `file:${path.join(folder, "toolroom.db")}`;
  await restoreDatabase(url, made.file);
  expect(await migrateSqlite({ url, logger: quietLogger() })).toEqual({ applied: [] });
  const raw = new Sqlite(path.join(folder, "toolroom.db"));
  onTestFinished(() => void raw.close());
  expect(raw.prepare(`SELECT count(*) FROM "Setting" WHERE key = 'before'`).pluck().get()).toBe(1);
  expect(raw.pragma("integrity_check", { simple: true })).toBe("ok");
  expect(canReleasePages(raw)).toBe(true);

  expect(await backups.remove("../toolroom.db")).toBe(false);
  expect(await backups.remove(made.name)).toBe(true);
  expect([existsSync(made.file), existsSync(made.keyFile ?? "")]).toEqual([false, false]);
});

it("makes one backup at a time, and says what to do where the disk has no room for it", async () => {
  const { scratch, backups } = await open();
  const first = backups.make();
  expect(() => backups.make()).toThrow("A backup is being made");
  await first;
  const state = { freeBytes: 1024, totalBytes: 1024 ** 3, warning: null, refusesCalls: false };
  const ignore = (): undefined => undefined;
  const full = {
    ...scratch.db,
    disk: { check: ignore, problem: () => null, onChange: ignore, state: () => state },
  };
  const refused = createOnlineBackups({ db: full, keyFile: "none", workerFile, now: Date.now });
  await expect(refused.make()).rejects.toThrow(/takes .* of the disk, and 1 KiB are free\. Delete older copies/);
});

it("compacting gives the free pages of an earlier version's file back, once, and refuses while a server uses it", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-compact-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "toolroom.db");
  const url = `file:${file}`;
  const earlier = new Sqlite(file);
  earlier.exec(`CREATE TABLE "Note" (text TEXT); INSERT INTO "Note" VALUES ('kept')`);
  const insert = earlier.prepare(`INSERT INTO "Note" VALUES (?)`);
  for (let at = 0; at < 200; at += 1) insert.run("x".repeat(8_000));
  earlier.exec(`DELETE FROM "Note" WHERE text <> 'kept'`);
  expect(canReleasePages(earlier)).toBe(false);
  earlier.close();
  const claim = claimSqlite(url, "http://127.0.0.1:3000");
  expect(() => compactDatabase(url)).toThrow(/is (in use|used)/);
  claim.release();
  const { beforeBytes, afterBytes } = compactDatabase(url);
  expect(beforeBytes).toBeGreaterThan(1_000_000);
  expect(afterBytes).toBeLessThan(20_000);
  const raw = new Sqlite(file);
  onTestFinished(() => void raw.close());
  expect(raw.prepare(`SELECT text FROM "Note"`).pluck().all()).toEqual(["kept"]);
  expect(canReleasePages(raw)).toBe(true);
});
