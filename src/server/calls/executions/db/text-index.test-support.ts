import { existsSync, readFileSync } from "node:fs";
import Database from "../../../../../scripts/sqlite.mjs";
import type { SqliteDatabase } from "../../../platform/db/database";
import { indexFileOf } from "./text-index-file";

const EMPTY_INDEX = `CREATE VIRTUAL TABLE Texts USING fts5(arguments, result, error, reason, content='', contentless_delete=1,
  tokenize='trigram', detail='none')`;
const TRIGRAMS = `CREATE VIRTUAL TABLE temp.Trigrams USING fts5vocab('main', 'Texts', 'row');`;

interface StoredTexts {
  seq: number;
  arguments: string;
  result: string | null;
  error: string | null;
  reason: string | null;
}

interface IndexContent {
  /** How many calls have each trigram. */
  trigrams: unknown[];
  seqs: unknown[];
}

const readContent = (index: InstanceType<typeof Database>): IndexContent => ({
  trigrams: index.prepare("SELECT term, doc FROM temp.Trigrams ORDER BY term").raw().all(),
  seqs: index.prepare("SELECT id FROM Texts_docsize ORDER BY id").pluck().all(),
});

/** The index of a database, whose thread must be idle. */
export function readIndexContent({ filePath }: Pick<SqliteDatabase, "filePath">) {
  const index = new Database(indexFileOf(filePath), { readonly: true });
  try {
    index.exec(TRIGRAMS);
    const state = index.prepare("SELECT low, high, removed - purged AS unpurged FROM State").get();
    return { state, content: readContent(index) };
  } finally {
    index.close();
  }
}

/** What the index has to have once every ended call of the database is in it. */
export function buildIndexContent({ raw }: Pick<SqliteDatabase, "raw">, maxBytes: number): IndexContent {
  const index = new Database(":memory:");
  try {
    index.exec(EMPTY_INDEX);
    index.exec(TRIGRAMS);
    const insert = index.prepare(
      "INSERT INTO Texts (rowid, arguments, result, error, reason) VALUES (CAST(? AS INTEGER), ?, ?, ?, ?)",
    );
    const rows = raw
      .prepare<[], StoredTexts>(
        `SELECT seq, arguments, result, error, reason FROM "Execution" WHERE status NOT IN ('running', 'waiting') ORDER BY seq`,
      )
      .safeIntegers(false)
      .all();
    for (const { seq, arguments: given, result, error, reason } of rows) {
      const texts = [given, result, error, reason];
      const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ""), 0);
      if (bytes <= maxBytes) insert.run(seq, ...texts);
    }
    return readContent(index);
  } finally {
    index.close();
  }
}

/** The bytes of the index and of its write-ahead log. */
export function readIndexBytes({ filePath }: Pick<SqliteDatabase, "filePath">): Buffer {
  const file = indexFileOf(filePath);
  return Buffer.concat([file, `${file}-wal`].filter((each) => existsSync(each)).map((each) => readFileSync(each)));
}
