import { describeWriteError, isRowError } from "../../db/sqlite/sqlite-error";
import type { ExecutionEnd, ExecutionJournal, ExecutionProceeding, ExecutionStart, Logger } from "../../engine/ports";
import { type BatchEntry, type BatchOptions, createBatchCommit, type EntryKind } from "./execution-batch-store";
import { createKeptEnds } from "./execution-kept-ends-store";

/** One commit holds at most this much, so that the event loop never stands still for long. */
const MAX_BATCH_ROWS = 256;
const MAX_BATCH_CHARS = 4 * 1024 * 1024;

/** The logbook could not keep something. The message is for people. */
class JournalError extends Error {
  override readonly name = "JournalError";
}

interface Entry extends BatchEntry {
  resolve: () => void;
  reject: (error: Error) => void;
}

export interface JournalOptions extends BatchOptions {
  logger: Logger;
  /** Called after a commit that ended calls. */
  onEnded: () => void;
}

export interface ExecutionJournalStore extends ExecutionJournal {
  /** Resolves when everything given so far is committed or refused, ends kept for a retry included. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Group commit: everything that arrives until the event loop comes round goes into one transaction, and the next batch
 * waits for the running one. Under load that is three to six times as fast as a commit for every row.
 */
export function createExecutionJournal(options: JournalOptions): ExecutionJournalStore {
  const { db, logger, onEnded } = options;
  const commit = createBatchCommit(options);
  let queue: Entry[] = [];
  let flushing: Promise<void> | null = null;
  let closed = false;

  const kept = createKeptEnds({ logger, retry: (start, end) => enqueue("finish", start, end) });

  function enqueue(kind: EntryKind, start: ExecutionStart, end: ExecutionEnd | null): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      push({ kind, start, end, proceeding: null, seq: 0, failure: null, resolve, reject });
    });
  }

  function push(entry: Entry): void {
    queue.push(entry);
    flushing ??= flush();
  }

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      await nextTurn();
      const batch = takeBatch();
      try {
        await db.write(() => commit(batch));
        settle(batch);
      } catch (error) {
        for (const entry of batch) entry.failure ??= error;
        settle(batch);
      }
    }
    flushing = null;
  }

  function takeBatch(): Entry[] {
    let count = 0;
    let chars = 0;
    while (count < queue.length && count < MAX_BATCH_ROWS) {
      const entry = queue[count];
      if (entry === undefined) break;
      chars += entry.start.argumentsText.length + (entry.end?.resultText?.length ?? 0);
      if (count > 0 && chars > MAX_BATCH_CHARS) break;
      count += 1;
    }
    if (count === queue.length) {
      const all = queue;
      queue = [];
      return all;
    }
    return queue.splice(0, count);
  }

  function settle(batch: Entry[]): void {
    let ended = false;
    for (const entry of batch) {
      if (entry.failure === null) {
        ended ||= entry.end !== null;
        entry.resolve();
      } else {
        refuse(entry);
      }
    }
    if (ended) onEnded();
  }

  function refuse(entry: Entry): void {
    const error = new JournalError(describeWriteError(entry.failure), { cause: entry.failure });
    logger.error(
      { executionId: entry.start.id, tool: entry.start.toolName, step: entry.kind, err: entry.failure },
      "The logbook could not keep a call",
    );
    if (entry.kind === "finish" && entry.end !== null && !isRowError(entry.failure)) kept.keep(entry.start, entry.end);
    entry.reject(error);
  }

  function accept(kind: EntryKind, start: ExecutionStart, end: ExecutionEnd | null): Promise<void> {
    if (closed) return Promise.reject(new JournalError("the logbook is closed"));
    return enqueue(kind, start, end);
  }

  function proceed(start: ExecutionStart, proceeding: ExecutionProceeding): Promise<boolean> {
    if (closed) return Promise.reject(new JournalError("the logbook is closed"));
    return new Promise((resolve, reject) => {
      const entry: Entry = {
        kind: "proceed",
        start,
        end: null,
        proceeding,
        seq: 0,
        failure: null,
        resolve: () => resolve(entry.seq > 0),
        reject,
      };
      push(entry);
    });
  }

  async function drain(): Promise<void> {
    while (flushing !== null) await flushing;
    await kept.retryNow();
    while (flushing !== null) await flushing;
  }

  return {
    begin: (start) => accept("begin", start, null),
    proceed,
    finish: (start, end) => accept("finish", start, end),
    record: (start, end) => accept("record", start, end),
    drain,
    async close() {
      closed = true;
      await drain();
      kept.close();
    },
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
