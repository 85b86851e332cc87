import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import Database from "../../../../../scripts/sqlite.mjs";
import type { Logger } from "../../../engine/ports";
import { removeWithJournals } from "../../../platform/db/copy-database";
import { createPrivateFile, SEARCH_SUFFIX } from "../../../platform/db/private-files";
import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import { storageCode } from "../../../platform/db/storage-error";

/** The version of the tables and of what is in them: a file of another version is built again. */
const VERSION = 1;
const LOCK_WAIT_MS = 2_000;

/**
 * Calls above `low` and up to `high` are indexed, except those in `Waiting`, which had not ended, and in `Large`. The
 * index has the changes of the database up to `changes`. `Texts` has no positions and no copy of the texts.
 */
const TABLES = `
  CREATE TABLE State (version INTEGER NOT NULL, binding TEXT NOT NULL, next TEXT NOT NULL, low INTEGER NOT NULL,
    high INTEGER NOT NULL, changes INTEGER NOT NULL, removed INTEGER NOT NULL, purged INTEGER NOT NULL);
  CREATE TABLE Waiting (seq INTEGER NOT NULL PRIMARY KEY);
  CREATE TABLE Large (seq INTEGER NOT NULL PRIMARY KEY);
  CREATE VIRTUAL TABLE Texts USING fts5(arguments, result, error, reason, content='', contentless_delete=1,
    tokenize='trigram', detail='none');`;

export const indexFileOf = (filePath: string): string => filePath + SEARCH_SUFFIX;

interface Identity {
  version: number;
  binding: string;
  next: string;
  high: number;
  changes: number;
}

interface Position {
  binding: string | null;
  /** The highest number that a call was given. */
  newest: number;
  lastChange: number;
}

function readPosition(raw: RawDatabase): Position {
  const read = <Value>(sql: string): Value | undefined => raw.prepare<[], Value>(sql).pluck().safeIntegers(false).get();
  return {
    binding: read<string>('SELECT id FROM "ExecutionTextBinding"') ?? null,
    newest: read<number>("SELECT seq FROM sqlite_sequence WHERE name = 'Execution'") ?? 0,
    lastChange: read<number | null>('SELECT max(id) FROM "ExecutionTextChange"') ?? 0,
  };
}

/**
 * Makes the index file ready for this start of the server, inside a write. A file that is damaged, of another version or
 * of another state of the database is replaced by an empty one. Its name in both files changes with each start, so that a
 * database and an index that were parted, and changed apart, are not taken for a pair.
 * @param isDamaged the file was found damaged while it was used
 * @returns whether recorded calls have to be indexed again
 */
export function prepareIndexFile(raw: RawDatabase, filePath: string, logger: Logger, isDamaged = false): boolean {
  const file = indexFileOf(filePath);
  const position = readPosition(raw);
  const next = randomUUID();
  const reason = isDamaged ? "it is damaged" : existsSync(file) ? takeOver(file, position, next) : null;
  const isNew = reason !== null || !existsSync(file);
  if (isNew) {
    removeWithJournals(file);
    createIndexFile(file, position, next);
    if (position.newest > 0) {
      const why = reason === null ? "there is none" : reason;
      logger.info(
        { file, reason: why },
        "The search index is built in the background, newest calls first; until then searches read the other calls, which takes longer",
      );
    }
  }
  const rename = raw.transaction(() => {
    raw.prepare('DELETE FROM "ExecutionTextBinding"').run();
    raw.prepare('INSERT INTO "ExecutionTextBinding" (id) VALUES (?)').run(next);
  });
  rename.immediate();
  return isNew && position.newest > 0;
}

function createIndexFile(file: string, { newest, lastChange }: Position, next: string): void {
  createPrivateFile(file);
  const index = new Database(file, { timeout: LOCK_WAIT_MS });
  try {
    index.pragma("journal_mode = WAL");
    index.pragma("synchronous = NORMAL");
    const create = index.transaction(() => {
      index.exec(TABLES);
      index
        .prepare("INSERT INTO State VALUES (?, ?, ?, CAST(? AS INTEGER), CAST(? AS INTEGER), CAST(? AS INTEGER), 0, 0)")
        .run(VERSION, next, next, newest, newest, lastChange);
    });
    create.immediate();
  } finally {
    index.close();
  }
}

/** Returns why the file cannot be used; null where it can, which it then records. */
function takeOver(file: string, position: Position, next: string): string | null {
  let index: RawDatabase | undefined;
  try {
    createPrivateFile(file);
    index = new Database(file, { fileMustExist: true, timeout: LOCK_WAIT_MS });
    const found = index.prepare<[], Identity>("SELECT version, binding, next, high, changes FROM State").get();
    if (found?.version !== VERSION) return "it is of another version";
    const { binding, newest, lastChange } = position;
    if (binding === null || (binding !== found.binding && binding !== found.next)) return "it is of another database";
    if (found.high > newest || found.changes > lastChange) return "it is of a later state of the database";
    index.pragma("synchronous = NORMAL");
    index.prepare("UPDATE State SET binding = ?, next = ?").run(binding, next);
    return null;
  } catch (error) {
    if (isIndexDamage(error)) return "it is damaged";
    throw error;
  } finally {
    index?.close();
  }
}

/** Returns true for errors of a file that is not a readable index: a table is missing, or the content is not SQLite's. */
export function isIndexDamage(error: unknown): boolean {
  const code = storageCode(error);
  if (/^SQLITE_(?:CORRUPT|NOTADB|MISMATCH)/.test(code)) return true;
  return code === "SQLITE_ERROR" && error instanceof Error && /^no such (?:table|column)/.test(error.message);
}
