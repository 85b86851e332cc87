import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Logger } from "../../../engine/ports";
import type { SqliteDatabase } from "../../../platform/db/database";
import { demandNoTransaction } from "../../../platform/db/write-queue";
import { MAX_INDEXED_BYTES } from "./execution-text";
import { indexFileOf, isIndexDamage, prepareIndexFile } from "./text-index-file";
import { closeIndexReader, openIndexReader } from "./text-index-reader";
import type { ExecutionIndexer } from "./text-indexer";

/** Calls of this time are indexed together. */
const GATHERING_MS = 500;
/** The first calls of a start do not wait for a thread that starts. */
const START_MS = 250;
/** Calls in the last moment count as load. */
const BUSY_WINDOW_MS = 250;
/** The pause after work while calls come in, in lengths of it: large texts would take a core that calls can use. */
const LOADED_PAUSE = 9;
/** Without work for this long, the thread ends and returns its memory. */
const IDLE_MS = 10_000;
const RETRY_AFTER_ERROR_MS = 5_000;
const HEAP_MB = 96;
const ALIVE_MS = 60_000;
/** Rows of processed changes that one write removes. */
const FORGOTTEN_ROWS = 2_000;

export interface TextIndexOptions {
  db: SqliteDatabase;
  logger: Logger;
  /** The path of `text-index-worker.mjs`; without it, searches read the calls that an earlier start has not indexed. */
  workerFile: string | undefined;
}

/** The thread's answer after at most some hundred milliseconds of work. */
interface Progress {
  /** The changes that are in the index. */
  changes: number;
  low: number;
  isMore: boolean;
  /** When removed texts can be purged; null where none wait. */
  againMs: number | null;
}

/** The search index beside a SQLite file, which a thread fills: searches find calls that it does not have yet by reading them. */
export function createTextIndex({ db, logger, workerFile }: TextIndexOptions): ExecutionIndexer {
  const { raw, filePath, write } = db;
  const file = indexFileOf(filePath);
  let thread: IndexThread | null = null;
  let isPrepared = false;
  let isDamaged = false;
  let isClosed = false;
  let isBuilding = false;
  let forgotten = 0;
  let timer: NodeJS.Timeout | null = null;
  let timerAt = 0;
  let lastPoke = Number.NEGATIVE_INFINITY;
  let restUntil = Number.NEGATIVE_INFINITY;
  let isQueued = false;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();

  /** Works one after the other: the thread answers one request at a time. */
  function enqueue(work: () => Promise<void>): Promise<void> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  }

  function schedule(delayMs: number): void {
    if (workerFile === undefined || isClosed) return;
    const now = performance.now();
    const waitMs = Math.max(delayMs, restUntil - now);
    const at = now + waitMs;
    if (timer !== null && timerAt <= at) return;
    if (timer !== null) clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(() => {
      timer = null;
      if (isQueued) return;
      isQueued = true;
      void enqueue(() => {
        isQueued = false;
        return indexAll(false);
      }).catch(handleFailure);
    }, waitMs);
    timer.unref();
  }

  const prepareFile = (): Promise<void> =>
    write(() => {
      demandNoTransaction(raw);
      isBuilding = prepareIndexFile(raw, filePath, logger, isDamaged);
    });

  async function prepare(): Promise<void> {
    if (isPrepared && !isDamaged) return;
    await stopThread();
    closeIndexReader(raw);
    await prepareFile();
    openReader();
  }

  function openReader(): void {
    isDamaged = false;
    isPrepared = true;
    openIndexReader(raw, file, (error) => {
      isDamaged = true;
      noteDamage(error);
      schedule(0);
    });
  }

  async function indexAll(isWhole: boolean): Promise<void> {
    clearTimeout(idle);
    await indexRest(isWhole).finally(() => {
      idle = setTimeout(() => void enqueue(stopThread).catch(handleFailure), IDLE_MS);
      idle.unref();
    });
  }

  async function indexRest(isWhole: boolean): Promise<void> {
    for (let isMore = workerFile !== undefined; isMore && !isClosed; ) {
      // On a nearly full disk the free space is kept for recording calls.
      if (!isWhole && db.disk.state().refusesCalls) return;
      await prepare();
      const begun = performance.now();
      thread ??= new IndexThread(workerFile as string, { database: filePath, file, maxBytes: MAX_INDEXED_BYTES });
      const progress = await thread.work(isWhole).catch(async (error: unknown) => {
        await stopThread();
        isDamaged ||= isIndexDamage(error);
        throw error;
      });
      await forgetChanges(progress.changes);
      noteProgress(progress);
      isMore = progress.isMore;
      if (progress.againMs !== null) schedule(progress.againMs);
      const now = performance.now();
      if (isWhole || now - lastPoke > BUSY_WINDOW_MS) continue;
      restUntil = now + (now - begun) * LOADED_PAUSE;
      if (isMore) return schedule(0);
    }
  }

  /** The newest row stays, so that its number is not given again. */
  async function forgetChanges(upTo: number): Promise<void> {
    if (upTo <= forgotten) return;
    const select = raw
      .prepare<[], number | null>('SELECT min(id) FROM "ExecutionTextChange"')
      .pluck()
      .safeIntegers(false);
    for (let first = select.get(); first != null && first < upTo; first = select.get()) {
      await db.change('DELETE FROM "ExecutionTextChange" WHERE id < ?', Math.min(first + FORGOTTEN_ROWS, upTo));
    }
    forgotten = upTo;
  }

  function noteProgress({ low }: Progress): void {
    if (isBuilding && low === 0) logger.info({ file }, "The search index has all calls");
    isBuilding &&= low > 0;
  }

  function noteDamage(error: unknown): void {
    logger.warn({ file, err: error }, "The search index is damaged and is built again");
  }

  function handleFailure(error: unknown): void {
    if (isClosed) return;
    if (isIndexDamage(error)) noteDamage(error);
    else logger.warn({ err: error }, "Indexing calls for search failed; searches read them, which takes longer");
    schedule(RETRY_AFTER_ERROR_MS);
  }

  async function stopThread(): Promise<void> {
    const stopped = thread;
    thread = null;
    await stopped?.close();
  }

  if (existsSync(file)) {
    // The first write, before a call is recorded: a database that was replaced gives its numbers again.
    const prepared = prepareFile();
    enqueue(() => prepared.then(openReader)).catch((error: unknown) => {
      // Later it could no longer be told whether the file belongs to the database.
      isDamaged = true;
      handleFailure(error);
    });
  }
  if (existsSync(file) || raw.prepare('SELECT 1 FROM "Execution" LIMIT 1').get() !== undefined) schedule(START_MS);

  return {
    poke() {
      lastPoke = performance.now();
      schedule(GATHERING_MS);
    },
    drain: () => stayAlive(enqueue(() => indexAll(true))),
    async close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      clearTimeout(idle);
      await stayAlive(last.then(stopThread));
      closeIndexReader(raw);
    },
  };
}

/** Keeps the process alive until the work is done: the thread does not. */
function stayAlive<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, ALIVE_MS);
  return work.finally(() => clearInterval(timer));
}

type Answer = { done: Progress } | { failed: { code: string; message: string; stack: string } };

/** The thread, which answers one request at a time. */
class IndexThread {
  readonly #worker: Worker;
  readonly #exit: Promise<void>;
  #settle: { resolve: (progress: Progress) => void; reject: (error: unknown) => void } | null = null;
  #isOver = false;

  constructor(workerFile: string, workerData: object) {
    this.#worker = new Worker(workerFile, { workerData, resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
    this.#worker.unref();
    this.#worker.on("message", (answer: Answer) => {
      if ("done" in answer) this.#settle?.resolve(answer.done);
      else this.#settle?.reject(Object.assign(new Error(answer.failed.message), answer.failed));
      this.#settle = null;
    });
    this.#worker.on("error", (error) => this.#settle?.reject(error));
    this.#exit = new Promise((resolve) => {
      this.#worker.once("exit", () => {
        this.#isOver = true;
        this.#settle?.reject(new Error("The thread of the search index ended"));
        resolve();
      });
    });
  }

  work(isWhole: boolean): Promise<Progress> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      if (this.#isOver) return reject(new Error("The thread of the search index ended"));
      this.#worker.postMessage({ command: "work", isWhole });
    });
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#worker.ref();
    this.#worker.postMessage({ command: "close" });
    await this.#exit;
  }
}
