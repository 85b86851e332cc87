import Database from "../../../../../scripts/sqlite.mjs";
import { databaseFilePath, describeOpenError } from "../database-file";
import { listTables } from "../sqlite/applied-migrations";
import type { RawDatabase } from "../sqlite/connection";
import { BATCH_CHARACTERS } from "./copy-lines";
import { listColumns, type MoveSource, type MoveTarget, quote, type TableProgress } from "./move-side";
import { MOVE_TABLE } from "./move-table";
import { createLineFormat, type MovedTable, type SqliteValue } from "./row-lines";

const LOCK_WAIT_MS = 10_000;
const CACHE_KB = 64_000;

/** Tables without a row id lie in the order of their key. */
function orderRows(raw: RawDatabase, { name, key }: MovedTable): string {
  const table = raw.prepare<[string], number>("SELECT wr FROM pragma_table_list(?)").pluck().safeIntegers(false);
  return table.get(name) === 1 ? key.map(quote).join(", ") : "rowid";
}

async function* readLines(raw: RawDatabase, table: MovedTable): AsyncGenerator<string[]> {
  const { fromValues } = createLineFormat(table);
  const statement = raw
    .prepare<[], SqliteValue[]>(
      `SELECT ${listColumns(table)} FROM ${quote(table.name)} ORDER BY ${orderRows(raw, table)}`,
    )
    .raw()
    .safeIntegers();
  let lines: string[] = [];
  let characters = 0;
  for (const values of statement.iterate()) {
    const line = fromValues(values);
    lines.push(line);
    characters += line.length;
    if (characters < BATCH_CHARACTERS) continue;
    yield lines;
    lines = [];
    characters = 0;
  }
  if (lines.length > 0) yield lines;
}

/** @throws DatabaseOpenError in place of SQLite's own errors */
function readable<T>(filePath: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw describeOpenError(error, filePath);
  }
}

function createReads(raw: RawDatabase, filePath: string) {
  return {
    async *read(table: MovedTable) {
      try {
        yield* readLines(raw, table);
      } catch (error) {
        throw describeOpenError(error, filePath);
      }
    },
    countRows: async ({ name }: MovedTable) =>
      readable(filePath, () =>
        Number(
          raw
            .prepare(`SELECT count(*) FROM ${quote(name)}`)
            .pluck()
            .get(),
        ),
      ),
    readCounter: async ({ name }: MovedTable) =>
      readable(filePath, () =>
        Number(raw.prepare("SELECT seq FROM sqlite_sequence WHERE name = ?").pluck().get(name) ?? 0),
      ),
    close: async () => void raw.close(),
  };
}

/** Opens a file of this version's schema for reading. Its bytes stay as they are. */
export function openSqliteSource(filePath: string): MoveSource {
  return readable(filePath, () => {
    const raw = new Database(filePath, { readonly: true, timeout: LOCK_WAIT_MS });
    raw.exec("BEGIN");
    return {
      ...createReads(raw, filePath),
      selectTexts: async (sql) => raw.prepare<[], string>(sql).pluck().all(),
    };
  });
}

/** Opens a migrated file that this process owns. */
export function openSqliteTarget(url: string): MoveTarget {
  const filePath = databaseFilePath(url);
  const raw = readable(filePath, () => new Database(filePath, { timeout: LOCK_WAIT_MS }));
  raw.pragma("journal_mode = WAL");
  raw.pragma("synchronous = NORMAL");
  // Tables arrive one after another, whole; that rows are equal to the source's is checked at the end.
  raw.pragma("foreign_keys = OFF");
  raw.pragma("wal_autocheckpoint = 8000");
  raw.pragma(`cache_size = -${CACHE_KB}`);

  const append = raw.transaction((table: MovedTable, lines: readonly string[], progress: TableProgress) => {
    const { toValues } = createLineFormat(table);
    const places = table.columns.map(() => "?").join(", ");
    const insert = raw.prepare(`INSERT INTO ${quote(table.name)} (${listColumns(table)}) VALUES (${places})`);
    for (const line of lines) insert.run(...toValues(line));
    raw
      .prepare(
        `INSERT INTO ${MOVE_TABLE} (name, rows, checksum) VALUES (?, ?, ?)
         ON CONFLICT (name) DO UPDATE SET rows = excluded.rows, checksum = excluded.checksum`,
      )
      .run(table.name, progress.rows, progress.checksum);
  });

  return {
    ...createReads(raw, filePath),
    async readProgress() {
      if (!listTables(raw).includes(MOVE_TABLE)) return null;
      const rows = raw
        .prepare<[], TableProgress & { name: string }>(`SELECT name, rows, checksum FROM ${MOVE_TABLE}`)
        .safeIntegers(false)
        .all();
      return new Map(rows.map(({ name, ...progress }) => [name, progress]));
    },
    begin: async () =>
      readable(
        filePath,
        () => void raw.exec(`CREATE TABLE ${MOVE_TABLE} (name TEXT PRIMARY KEY, rows INTEGER, checksum TEXT)`),
      ),
    append: async (table, lines, progress) => readable(filePath, () => append.immediate(table, lines, progress)),
    raiseCounter: async ({ name }, number) =>
      readable(filePath, () => {
        const update = raw.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?");
        if (update.run(number, name).changes > 0) return;
        raw.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(name, number);
      }),
    finish: async () =>
      readable(filePath, () => {
        raw.exec(`DROP TABLE ${MOVE_TABLE}`);
        raw.pragma("wal_checkpoint(TRUNCATE)");
      }),
  };
}
