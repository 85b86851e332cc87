import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Logger } from "../../engine/ports";

/** Pages written between two checkpoints: an eighth of `wal_autocheckpoint`. */
const PAGES = 1000;
const HEAP_MB = 32;

export interface Checkpoints {
  /** Call it after a commit. @param pages about as many as it wrote */
  note(pages: number): void;
  /** Moves all of the log now; resolves when the thread has done it, or cannot. */
  move(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Moves the write-ahead log into the database file beside the event loop: a commit that has to do it waits for the disk for up to
 * 100 ms. The thread starts with the first megabytes. A commit still does it once the log is large (`prepareConnection`), also where
 * the thread has failed.
 */
export function createCheckpoints(filePath: string, workerFile: string, logger: Logger): Checkpoints {
  let pages = 0;
  let worker: Worker | null = null;
  let isOver = false;
  let sent = 0;
  let done = 0;
  let waiting: { until: number; resolve(): void }[] = [];

  function release(): void {
    for (const { until, resolve } of waiting) if (isOver || done >= until) resolve();
    waiting = isOver ? [] : waiting.filter(({ until }) => done < until);
  }

  function send(): void {
    pages = 0;
    worker ??= start();
    sent += 1;
    worker.postMessage("move");
  }

  function start(): Worker {
    const thread = new Worker(workerFile, {
      workerData: filePath,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    thread.unref();
    thread.on("message", () => {
      done += 1;
      release();
    });
    thread.on("error", (err) => logger.warn({ err }, "The write-ahead log is moved by commits from now on"));
    thread.once("exit", () => {
      isOver = true;
      worker = null;
      release();
    });
    return thread;
  }

  return {
    note(written) {
      pages += written;
      if (pages >= PAGES && done === sent && !isOver) send();
    },
    async move() {
      if (isOver) return;
      send();
      await new Promise<void>((resolve) => waiting.push({ until: sent, resolve }));
    },
    async close() {
      isOver = true;
      if (worker === null) return;
      const ended = once(worker, "exit");
      worker.ref();
      worker.postMessage("close");
      await ended;
    },
  };
}
