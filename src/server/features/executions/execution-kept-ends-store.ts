import type { ExecutionEnd, ExecutionStart, Logger } from "../../engine/ports";

const MAX_KEPT = 1_000;
const MAX_KEPT_CHARS = 64 * 1024 * 1024;
const FIRST_RETRY_MS = 1_000;
const SLOWEST_RETRY_MS = 30_000;

interface KeptEnd {
  start: ExecutionStart;
  end: ExecutionEnd;
  chars: number;
}

export interface KeptEnds {
  keep(start: ExecutionStart, end: ExecutionEnd): void;
  /** Tries all of them once, now. */
  retryNow(): Promise<void>;
  close(): void;
}

/**
 * Ends that could not be written, in memory, tried again until they can: the tool has run, and its row must not say
 * `running` for ever because the disk was full for a minute.
 */
export function createKeptEnds(options: {
  logger: Logger;
  retry: (start: ExecutionStart, end: ExecutionEnd) => Promise<void>;
}): KeptEnds {
  const { logger, retry } = options;
  const kept = new Map<string, KeptEnd>();
  let chars = 0;
  let delayMs = FIRST_RETRY_MS;
  let timer: NodeJS.Timeout | null = null;

  function forget(id: string): KeptEnd | undefined {
    const found = kept.get(id);
    if (found) {
      kept.delete(id);
      chars -= found.chars;
    }
    return found;
  }

  function makeRoom(): void {
    for (const [id, { start }] of kept) {
      if (kept.size <= MAX_KEPT && chars <= MAX_KEPT_CHARS) return;
      forget(id);
      logger.error({ executionId: id, tool: start.toolName }, "The end of a call is lost: too many wait to be written");
    }
  }

  function schedule(): void {
    if (timer !== null || kept.size === 0) return;
    timer = setTimeout(() => {
      timer = null;
      retryNow().catch((error: unknown) => logger.error({ err: error }, "Writing kept ends of calls failed"));
    }, delayMs);
    timer.unref();
    delayMs = Math.min(delayMs * 2, SLOWEST_RETRY_MS);
  }

  async function retryNow(): Promise<void> {
    const batch = [...kept.keys()].map(forget).filter((end) => end !== undefined);
    // A retry that fails is kept again by the journal.
    const results = await Promise.allSettled(batch.map(({ start, end }) => retry(start, end)));
    const written = results.filter((result) => result.status === "fulfilled").length;
    if (written > 0) {
      delayMs = FIRST_RETRY_MS;
      logger.warn({ written }, "Ends of calls that could not be written before are in the logbook now");
    }
  }

  return {
    keep(start, end) {
      forget(start.id);
      const size = start.argumentsText.length + (end.resultText?.length ?? 0);
      kept.set(start.id, { start, end, chars: size });
      chars += size;
      makeRoom();
      schedule();
    },
    retryNow,
    close() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      for (const [id, { start }] of kept) {
        logger.error({ executionId: id, tool: start.toolName }, "The end of a call is lost: it could not be written");
      }
    },
  };
}
