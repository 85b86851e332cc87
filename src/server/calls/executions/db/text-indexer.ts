import type { Logger } from "../../../engine/ports";

/** Calls in the last moment count as load. */
const BUSY_WINDOW_MS = 250;
/** The pause after a batch while nothing else is done, and while calls come in, in lengths of that batch. */
const IDLE_PAUSE = 1;
const LOADED_PAUSE = 3;
/** The least pause after a batch that was not full while calls come in: the next commit then has more rows. */
const GATHERING_MS = 100;
const RETRY_AFTER_ERROR_MS = 5_000;

/** Indexes some of the calls that wait for it, and says how much of them. */
export type IndexBatch = () => Promise<"nothing" | "part" | "all">;

export interface ExecutionIndexer {
  /** Something may be to do; cheap enough to be called after every commit. */
  poke(): void;
  /** Resolves when every ended call is in the index. */
  drain(): Promise<void>;
  close(): void | Promise<void>;
}

/**
 * Brings ended calls into the text index of PostgreSQL in the background, and slower while calls come in: rows that wait
 * are found without it. What is left at the end is found by its flag at the next start.
 */
export function createExecutionIndexer(options: { logger: Logger; indexBatch: IndexBatch }): ExecutionIndexer {
  const { logger } = options;
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

  const indexBatch: IndexBatch = async () => (closed ? "nothing" : await options.indexBatch());

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
