import type { Logger } from "../../../engine/ports";
import type { StatisticsUpkeep } from "../statistics-store";

/** Calls that wait are counted when there are so many, or after so long. Until then each read adds them up. */
const GATHERED_CALLS = 2_000;
const GATHERED_MS = 10_000;
/** The interval at which calls are counted that this process has not stored, or no longer knows. */
const ALL_MS = 60_000;
/** After a batch, other work runs for this multiple of its time. */
const PAUSE = 2;
const RETRY_AFTER_ERROR_MS = 10_000;

export interface StatisticsCounter {
  /** Notes ended calls; cheap enough for every commit. */
  note(calls: number): void;
  /** Resolves when every ended call is in the rows of statistics. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** Brings ended calls into the rows of statistics, behind their commits. What is left at the end is counted after the next start. */
export function createStatisticsCounter(
  { countSome }: Pick<StatisticsUpkeep, "countSome">,
  logger: Logger,
): StatisticsCounter {
  let timer: NodeJS.Timeout | null = null;
  let dueAt = Number.POSITIVE_INFINITY;
  let waiting = 0;
  let running: Promise<boolean> | null = null;
  let closed = false;
  let allDueAt = 0;

  function schedule(delayMs: number): void {
    const at = performance.now() + delayMs;
    if (closed || at >= dueAt) return;
    if (timer !== null) clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(run, delayMs);
    timer.unref();
  }

  function count(all: boolean): Promise<boolean> {
    running ??= countSome(all).finally(() => {
      running = null;
    });
    return running;
  }

  function run(): void {
    timer = null;
    dueAt = Number.POSITIVE_INFINITY;
    if (closed) return;
    waiting = 0;
    const begun = performance.now();
    const all = begun >= allDueAt;
    count(all).then(
      (isMore) => {
        if (all && !isMore) allDueAt = begun + ALL_MS;
        else if (isMore) allDueAt = 0;
        if (isMore) schedule((performance.now() - begun) * PAUSE);
      },
      (error: unknown) => {
        if (closed) return;
        allDueAt = 0;
        logger.warn(
          { err: error },
          "Calls could not be counted for the statistics; each read adds them up until they are",
        );
        schedule(RETRY_AFTER_ERROR_MS);
      },
    );
  }

  schedule(GATHERED_MS);
  return {
    note(calls) {
      waiting += calls;
      schedule(waiting >= GATHERED_CALLS ? 0 : GATHERED_MS);
    },
    async drain() {
      await running?.catch(() => undefined);
      while (await count(true)) await new Promise((resolve) => setImmediate(resolve));
    },
    async close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await running?.catch(() => undefined);
    },
  };
}
