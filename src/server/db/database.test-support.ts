import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Logger } from "../engine/ports";
import { type Database, openDatabase } from "./database";
import { migrateDatabase } from "./migrate";

/** For tests and benchmarks: a migrated database in a folder of its own. */
export interface ScratchDatabase {
  db: Database;
  url: string;
  filePath: string;
  /** Closes and opens the file again, as a restart would. */
  reopen(): Promise<Database>;
  remove(): Promise<void>;
}

export async function createScratchDatabase(options: { maxLockWaitMs?: number } = {}): Promise<ScratchDatabase> {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-"));
  const filePath = path.join(folder, "toolroom.db");
  const url = `file:${filePath}`;
  const logger = quietLogger();
  await migrateDatabase({ url, logger });
  const scratch: ScratchDatabase = {
    db: await openDatabase({ url, logger, ...options }),
    url,
    filePath,
    async reopen() {
      await scratch.db.close();
      scratch.db = await openDatabase({ url, logger, ...options });
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
