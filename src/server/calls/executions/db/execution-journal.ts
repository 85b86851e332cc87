import type {
  ExecutionEnd,
  ExecutionJournal,
  ExecutionProceeding,
  ExecutionStart,
  Logger,
} from "../../../engine/ports";
import { snapshotDefinition } from "../../../platform/db/definition-hash";
import { describeWriteError, isRowError } from "../../../platform/db/storage-error";
import { type RecentCalls, toFacts } from "../../statistics/db/recent-calls";
import { createUnwrittenResults } from "./unwritten-results";

type EntryKind = "begin" | "proceed" | "finish" | "record";

/** The write of one row. */
export interface BatchEntry {
  kind: EntryKind;
  start: ExecutionStart;
  /** Null for `begin` and `proceed`. */
  end: ExecutionEnd | null;
  /** Set only for `proceed`. */
  proceeding: ExecutionProceeding | null;
  /** Set by the commit: the row; 0 where a call no longer waited, or its row is not known. */
  seq: number;
  /** Set by the commit: what was wrong with this one row. */
  failure: unknown;
}

/**
 * Writes a batch. Rejects when nothing was kept; a row that alone was refused has its `failure` set.
 * @param take gives the batch, at the last moment
 * @param atOnce the batch is one row that nothing else will join
 */
export type CommitBatch = (take: () => BatchEntry[], atOnce: boolean) => Promise<void>;

/** The end of a call writes the arguments once more, since they stand in the same row. */
export const countChars = ({ start, end }: BatchEntry): number =>
  start.argumentsText.length + (end?.resultText?.length ?? 0);

/** One commit holds at most this much, so that the event loop is never blocked for long. */
const MAX_BATCH_ROWS = 256;
const MAX_BATCH_CHARS = 4 * 1024 * 1024;

/** A call could not be recorded. The message is for users. */
class JournalError extends Error {
  override readonly name = "JournalError";
}

interface Entry extends BatchEntry {
  /** @param stood false where the call no longer waited */
  resolve: (stood: boolean) => void;
  reject: (error: Error) => void;
}

type Row = Pick<Entry, "kind" | "start" | "end" | "proceeding">;

export interface JournalOptions {
  commit: CommitBatch;
  logger: Logger;
  /** Called after a commit, with the number of ended calls. */
  onEnded: (calls: number) => void;
}

export interface ExecutionJournalStore extends ExecutionJournal {
  /** Resolves when every write so far is committed or refused, after one retry of unwritten results. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Everything that arrives within one turn of the event loop goes into one transaction, and the next batch waits for the
 * running one. Under load that is three to six times as fast as one commit per row. While rows come one by one, each is
 * committed at once: a turn is a sixth of the time of a short call.
 */
export function createExecutionJournal(options: JournalOptions): ExecutionJournalStore {
  const { commit, logger, onEnded } = options;
  const queue: Entry[] = [];
  let flushing: Promise<void> | null = null;
  let closed = false;
  /** Whether rows arrive one by one: the last turn with rows had one. */
  let wasLone = true;
  let rowsOfTurn = 0;
  const endTurn = (): void => {
    wasLone = rowsOfTurn === 1;
    rowsOfTurn = 0;
  };

  const unwritten = createUnwrittenResults({
    logger,
    retry: (start, end) => enqueue({ kind: "finish", start, end, proceeding: null }, true),
  });

  function enqueue(row: Row, isRetry = false): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (closed && !isRetry) return reject(new JournalError("the execution log is closed"));
      queue.push({ ...row, seq: 0, failure: null, resolve, reject });
      rowsOfTurn += 1;
      if (rowsOfTurn === 1) setImmediate(endTurn);
      flushing ??= flush();
    });
  }

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      let batch: Entry[] = [];
      const take = (): Entry[] => {
        if (batch.length === 0) batch = queue.splice(0, countBatch(queue));
        return batch;
      };
      try {
        await commit(take, wasLone && rowsOfTurn === 1);
      } catch (error) {
        for (const entry of take()) entry.failure ??= error;
      }
      settle(batch);
    }
    flushing = null;
  }

  function settle(batch: Entry[]): void {
    let ended = 0;
    for (const entry of batch) {
      if (entry.failure === null) {
        if (entry.end !== null) ended += 1;
        entry.resolve(entry.seq > 0);
      } else {
        rejectRow(entry);
      }
    }
    if (ended > 0) onEnded(ended);
  }

  function rejectRow({ kind, start, end, failure, reject }: Entry): void {
    const fields = { executionId: start.id, tool: start.toolName, step: kind, err: failure };
    logger.error(fields, "An execution could not be recorded");
    if (kind === "finish" && end !== null && !isRowError(failure)) unwritten.keep(start, end);
    reject(new JournalError(describeWriteError(failure), { cause: failure }));
  }

  async function drain(): Promise<void> {
    while (flushing !== null) await flushing;
    await unwritten.retryNow();
    while (flushing !== null) await flushing;
  }

  return {
    async begin(start) {
      await enqueue({ kind: "begin", start, end: null, proceeding: null });
    },
    proceed: (start, proceeding) => enqueue({ kind: "proceed", start, end: null, proceeding }),
    async finish(start, end) {
      await enqueue({ kind: "finish", start, end, proceeding: null });
    },
    async record(start, end) {
      await enqueue({ kind: "record", start, end, proceeding: null });
    },
    drain,
    async close() {
      closed = true;
      await drain();
      unwritten.close();
    },
  };
}

/** The number of first entries that fit into one commit. */
function countBatch(queue: readonly Entry[]): number {
  let chars = 0;
  for (const [index, entry] of queue.entries()) {
    chars += countChars(entry);
    if (index > 0 && (index >= MAX_BATCH_ROWS || chars > MAX_BATCH_CHARS)) return index;
  }
  return queue.length;
}

interface Running {
  seq: number;
  start: ExecutionStart;
}

/** The calls that the journal of this process has written. */
export interface StoredCalls {
  /** Running calls by id, as they were stored. */
  readonly running: ReadonlyMap<string, Running>;
  /** Takes a committed entry. Passes an end to the statistics if the stored row was written from the same `start`. */
  note(entry: BatchEntry): void;
}

const getHash = ({ definition }: ExecutionStart): string | null =>
  definition === null ? null : snapshotDefinition(definition).hash;

export function createStoredCalls(recent: RecentCalls): StoredCalls {
  const running = new Map<string, Running>();
  return {
    running,
    note({ kind, start, end, seq, failure }) {
      const known = running.get(start.id);
      if (kind === "finish") running.delete(start.id);
      if (failure !== null || seq === 0) return;
      if (end === null) running.set(start.id, { seq, start });
      else if (kind === "record" || known?.start === start) {
        const facts = toFacts(seq, start, end, getHash(start));
        if (facts !== null) recent.add(facts);
      }
    },
  };
}
