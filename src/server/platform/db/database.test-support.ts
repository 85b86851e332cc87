import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Logger } from "../../engine/ports";
import type { SqliteDatabase } from "./database";
import { migrateSqlite } from "./migrate";
import { openSqlite } from "./sqlite/sqlite-database";

/** For tests and benchmarks: a migrated database in a folder of its own. */
export interface ScratchDatabase {
  db: SqliteDatabase;
  url: string;
  filePath: string;
  /** Closes and opens the file again, as a restart would. */
  reopen(): Promise<SqliteDatabase>;
  remove(): Promise<void>;
}

let template: Promise<Buffer> | undefined;

/** Puts a migrated database where a server will open it. */
export async function placeEmptyDatabase(filePath: string): Promise<void> {
  template ??= migrateTemplate();
  writeFileSync(filePath, await template, { mode: 0o600 });
}

/** An empty database of this version: each commit of a migration waits for the disk, so a worker migrates once and copies. */
async function migrateTemplate(): Promise<Buffer> {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-template-"));
  const filePath = path.join(folder, "toolroom.db");
  await migrateSqlite({ url: `file:${filePath}`, logger: quietLogger() });
  const content = readFileSync(filePath);
  rmSync(folder, { recursive: true, force: true });
  return content;
}

export async function createScratchDatabase(options: { maxLockWaitMs?: number } = {}): Promise<ScratchDatabase> {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-"));
  const filePath = path.join(folder, "toolroom.db");
  const url = `file:${filePath}`;
  const logger = quietLogger();
  await placeEmptyDatabase(filePath);
  const scratch: ScratchDatabase = {
    db: await openSqlite({ url, logger, ...options }),
    url,
    filePath,
    async reopen() {
      await scratch.db.close();
      scratch.db = await openSqlite({ url, logger, ...options });
      return scratch.db;
    },
    async remove() {
      await scratch.db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return scratch;
}

export function quietLogger(): Logger {
  const ignore = () => undefined;
  return { debug: ignore, info: ignore, warn: ignore, error: ignore };
}
