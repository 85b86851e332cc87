import type { ExecutionEnd, ExecutionStart, Logger } from "../../../engine/ports";

const MAX_RESULTS = 1_000;
const MAX_CHARS = 64 * 1024 * 1024;
const FIRST_RETRY_MS = 1_000;
const SLOWEST_RETRY_MS = 30_000;

interface UnwrittenResult {
  start: ExecutionStart;
  end: ExecutionEnd;
  chars: number;
}

export interface UnwrittenResults {
  keep(start: ExecutionStart, end: ExecutionEnd): void;
  /** Retries all of them once, now. */
  retryNow(): Promise<void>;
  close(): void;
}

/**
 * Results that could not be written, in memory, retried until they are: the tool has run, and its row must not stay
 * `running` because the disk was full for a minute.
 */
export function createUnwrittenResults(options: {
  logger: Logger;
  retry: (start: ExecutionStart, end: ExecutionEnd) => Promise<unknown>;
}): UnwrittenResults {
  const { logger, retry } = options;
  const results = new Map<string, UnwrittenResult>();
  let chars = 0;
  let delayMs = FIRST_RETRY_MS;
  let timer: NodeJS.Timeout | null = null;

  function forget(id: string): UnwrittenResult | undefined {
    const found = results.get(id);
    if (found) {
      results.delete(id);
      chars -= found.chars;
    }
    return found;
  }

  function makeRoom(): void {
    for (const [id, { start }] of results) {
      if (results.size <= MAX_RESULTS && chars <= MAX_CHARS) return;
      forget(id);
      logger.error(
        { executionId: id, tool: start.toolName },
        "The result of a call was lost: too many are waiting to be written",
      );
    }
  }

  function schedule(): void {
    if (timer !== null || results.size === 0) return;
    timer = setTimeout(() => {
      timer = null;
      retryNow().catch((error: unknown) => logger.error({ err: error }, "Writing pending results failed"));
    }, delayMs);
    timer.unref();
    delayMs = Math.min(delayMs * 2, SLOWEST_RETRY_MS);
  }

  async function retryNow(): Promise<void> {
    const batch = [...results.keys()].map(forget).filter((end) => end !== undefined);
    // The journal keeps a result whose retry fails.
    const outcomes = await Promise.allSettled(batch.map(({ start, end }) => retry(start, end)));
    const written = outcomes.filter(({ status }) => status === "fulfilled").length;
    if (written > 0) {
      delayMs = FIRST_RETRY_MS;
      logger.warn({ written }, "Results that could not be written before are stored now");
    }
  }

  return {
    keep(start, end) {
      forget(start.id);
      const size = start.argumentsText.length + (end.resultText?.length ?? 0);
      results.set(start.id, { start, end, chars: size });
      chars += size;
      makeRoom();
      schedule();
    },
    retryNow,
    close() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      for (const [id, { start }] of results) {
        logger.error(
          { executionId: id, tool: start.toolName },
          "The result of a call was lost: it could not be written",
        );
      }
    },
  };
}
