import type { Logger } from "../../../engine/ports";
import type { Database } from "../../../platform/db/database";
import type { TextIndex, UnindexedRow } from "./execution-text";

const MAX_BATCH_ROWS = 32;
/** Some ten milliseconds of indexing. A longer row is a batch of its own. */
const MAX_BATCH_BYTES = 24 * 1024;
/** Calls in the last moment count as load. */
const BUSY_WINDOW_MS = 250;
/** The pause after a batch, in lengths of that batch: half of the time while nothing else is done, else little. */
const IDLE_PAUSE = 1;
const LOADED_PAUSE = 20;
/** At least, after a batch that was not full while calls come in: the next one shall have more rows for its commit. */
const GATHERING_MS = 100;
const RETRY_AFTER_ERROR_MS = 5_000;

export interface ExecutionIndexer {
  /** Something may be to do; cheap enough to be called after every commit. */
  poke(): void;
  /** Resolves when every ended call is in the index. */
  drain(): Promise<void>;
  close(): void;
}

/**
 * Brings ended calls into the text index in the background, a few at a time, and slower while calls come in: rows that
 * wait are found without it. What is left at the end is found by its flag at the next start.
 */
export function createExecutionIndexer(options: {
  db: Database;
  logger: Logger;
  textIndex: TextIndex;
}): ExecutionIndexer {
  const { db, logger, textIndex } = options;
  let timer: NodeJS.Timeout | null = null;
  let lastPoke = Number.NEGATIVE_INFINITY;
  let closed = false;

  function schedule(delayMs: number): void {
    if (closed || timer !== null) return;
    timer = setTimeout(run, delayMs);
    timer.unref();
  }

  function run(): void {
    const begun = performance.now();
    indexBatch().then(
      (indexed) => {
        timer = null;
        if (indexed === "nothing") return;
        const tookMs = performance.now() - begun;
        const loaded = begun - lastPoke < BUSY_WINDOW_MS;
        const leastMs = loaded && indexed === "all" ? GATHERING_MS : 0;
        schedule(Math.max(leastMs, tookMs * (loaded ? LOADED_PAUSE : IDLE_PAUSE)));
      },
      (error: unknown) => {
        timer = null;
        if (closed) return;
        logger.warn({ err: error }, "Indexing calls for search failed; they are searched without the index");
        schedule(RETRY_AFTER_ERROR_MS);
      },
    );
  }

  /** How much of what was waiting. */
  async function indexBatch(): Promise<"nothing" | "part" | "all"> {
    if (closed) return "nothing";
    const waiting = textIndex.oldest(MAX_BATCH_ROWS);
    const rows = firstRows(waiting);
    if (rows.length === 0) return "nothing";
    await db.write(() => textIndex.indexRows(rows));
    return rows.length < waiting.length || rows.length === MAX_BATCH_ROWS ? "part" : "all";
  }

  schedule(BUSY_WINDOW_MS);
  return {
    poke() {
      lastPoke = performance.now();
      schedule(BUSY_WINDOW_MS);
    },
    async drain() {
      while ((await indexBatch()) !== "nothing") await new Promise((resolve) => setImmediate(resolve));
    },
    close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function firstRows(rows: UnindexedRow[]): UnindexedRow[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += row.bytes;
    return index > 0 && bytes > MAX_BATCH_BYTES;
  });
  return end === -1 ? rows : rows.slice(0, end);
}
