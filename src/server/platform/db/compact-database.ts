import { existsSync, statfsSync, statSync } from "node:fs";
import path from "node:path";
import Database from "../../../../scripts/sqlite.mjs";
import { formatBytes } from "../../../lib/format/bytes";
import { DatabaseOpenError, databaseFilePath, describeOpenError } from "./database-file";
import { claimSqlite } from "./database-owner";
import { type RawDatabase, SYNCHRONOUS_WAIT_MS } from "./sqlite/connection";

export interface Compacted {
  file: string;
  beforeBytes: number;
  afterBytes: number;
}

/**
 * Rewrites a database that no process uses without its free pages; from then on a running server returns them
 * automatically. If it is interrupted, the database is unchanged.
 * @throws DatabaseOpenError with the reason and what to do
 */
export function compactDatabase(url: string): Compacted {
  const file = databaseFilePath(url);
  if (!existsSync(file)) throw new DatabaseOpenError(`There is no database ${file}. Name its folder with --data.`);
  const claim = claimSqlite(url, null);
  let raw: RawDatabase | undefined;
  try {
    const beforeBytes = statSync(file).size;
    // The new content goes through a temporary file and the write-ahead log.
    const { bavail, bsize } = statfsSync(path.dirname(file));
    if (bavail * bsize < 2 * beforeBytes) {
      throw new DatabaseOpenError(
        `Compacting ${file} takes up to ${formatBytes(2 * beforeBytes)} for a while, and ${formatBytes(bavail * bsize)} are free. ` +
          "Free some space on that disk, or move the database to a larger one.",
      );
    }
    raw = new Database(file, { fileMustExist: true, timeout: SYNCHRONOUS_WAIT_MS });
    raw.pragma("auto_vacuum = INCREMENTAL");
    raw.exec("VACUUM");
    raw.pragma("wal_checkpoint(TRUNCATE)");
    return { file, beforeBytes, afterBytes: statSync(file).size };
  } catch (error) {
    throw describeOpenError(error, file);
  } finally {
    raw?.close();
    claim.release();
  }
}
