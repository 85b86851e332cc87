import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import Database from "../../../../../scripts/sqlite.mjs";
import type { Logger } from "../../../engine/ports";
import { recordingLogger } from "../../../engine/recording-logger.test-support";
import type { SqliteDatabase } from "../../../platform/db/database";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../../platform/db/database.test-support";
import { anEnd, aStart, INDEX_WORKER, systemClock } from "../execution.test-support";
import type { ExecutionStore } from "../execution-store";
import { createExecutionStore } from "./execution-store";
import { MAX_INDEXED_BYTES } from "./execution-text";
import { interruptOrphans } from "./interrupt-orphans";
import { indexFileOf } from "./text-index-file";

/** Ends as often as a file beside the index asks for; see there. */
export const KILLED_WORKER = path.join(import.meta.dirname, "text-index-killed.test-support.mjs");

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
function readIndexContent({ filePath }: Pick<SqliteDatabase, "filePath">) {
  const index = new Database(indexFileOf(filePath), { readonly: true });
  try {
    index.exec(TRIGRAMS);
    const state = index.prepare("SELECT low, high, removed - purged AS unpurged FROM State").get();
    return { state, content: readContent(index) };
  } finally {
    index.close();
  }
}

/** Builds the content that the index must have once it covers every ended call of the database. */
function buildIndexContent({ raw }: Pick<SqliteDatabase, "raw">): IndexContent {
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
      if (bytes <= MAX_INDEXED_BYTES) insert.run(seq, ...texts);
    }
    return readContent(index);
  } finally {
    index.close();
  }
}

/** The bytes of the index and of its write-ahead log. */
function readIndexBytes({ filePath }: Pick<SqliteDatabase, "filePath">): Buffer {
  const file = indexFileOf(filePath);
  return Buffer.concat([file, `${file}-wal`].filter((each) => existsSync(each)).map((each) => readFileSync(each)));
}

/** A store with a search index on a new database for each test. */
export function useIndexedStore() {
  let scratch: ScratchDatabase;
  let store: ExecutionStore;
  let worker: string | undefined = INDEX_WORKER;
  const logger = recordingLogger();

  const open = (to: Logger) =>
    createExecutionStore({ db: scratch.db, logger: to, instanceId: "i", clock: systemClock, indexWorker: worker });
  beforeEach(async () => {
    scratch = await createScratchDatabase();
    worker = INDEX_WORKER;
    store = open(quietLogger());
  });
  afterEach(async () => {
    await store.close();
    await scratch.remove();
  });

  const harness = {
    get db(): SqliteDatabase {
      return scratch.db;
    },
    get url(): string {
      return scratch.url;
    },
    get store(): ExecutionStore {
      return store;
    },
    get file(): string {
      return indexFileOf(scratch.filePath);
    },
    /** Keeps the log lines since the last start. */
    logger,

    /** Starts the server again, with what is done to its files before. */
    async restart(
      beforeStart: () => void | Promise<void> = () => undefined,
      nextWorker: string | null = INDEX_WORKER,
    ): Promise<void> {
      await store.close();
      await scratch.db.close();
      await beforeStart();
      await scratch.reopen();
      await interruptOrphans(scratch.db, quietLogger());
      logger.lines.length = 0;
      worker = nextWorker ?? undefined;
      store = open(logger);
    },

    async record(argumentsText: string): Promise<string> {
      const start = aStart({ argumentsText });
      await store.record(start, anEnd(start));
      return start.id;
    },

    search: async (q: string): Promise<string[]> => (await store.list({ q }, { limit: 200 })).items.map(({ id }) => id),
    remove: (ids: readonly string[]) => store.delete(ids, { actor: "local-owner", at: 1, includePinned: true }),
    readContent: () => readIndexContent(scratch.db).content,
    buildContent: () => buildIndexContent(scratch.db),
    hasBytes: (text: string): boolean => readIndexBytes(scratch.db).includes(Buffer.from(text)),

    /** The idle index has exactly what the calls give. */
    expectExact(): void {
      const newest = Number(scratch.db.raw.prepare("SELECT max(seq) FROM Execution").pluck().get() ?? 0);
      const { state, content } = readIndexContent(scratch.db);
      expect(content).toEqual(buildIndexContent(scratch.db));
      expect(state).toMatchObject({ low: 0, unpurged: 0 });
      expect((state as { high: number }).high).toBeGreaterThanOrEqual(newest);
    },

    async expectWhole(): Promise<void> {
      await store.drainIndex();
      harness.expectExact();
    },

    /** Why the index was built again since the last start. */
    listRebuilds: () =>
      logger.lines
        .filter(({ message }) => message.includes("is built in the background"))
        .map(({ fields }) => fields.reason),
  };
  return harness;
}
