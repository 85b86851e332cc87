import type { Database } from "../../db/database";
import { snapshotDefinition } from "../../db/definition-hash";
import {
  type EndTarget,
  endValues,
  prepareExecutionStatements,
  type SqlValue,
  startValues,
} from "../../db/sqlite/execution-statements";
import type { TextIndex } from "../../db/sqlite/execution-text";
import { describeWriteError, isRowError, STATE_CONFLICT, sqliteCode } from "../../db/sqlite/sqlite-error";
import type { ExecutionEnd, ExecutionJournal, ExecutionStart, Logger } from "../../engine/ports";
import { createKeptEnds } from "./execution-kept-ends-store";

/** One commit holds at most this much, so that the event loop never stands still for long. */
const MAX_BATCH_ROWS = 256;
const MAX_BATCH_CHARS = 4 * 1024 * 1024;

/** The logbook could not keep something. The message is for people. */
export class JournalError extends Error {
  override readonly name = "JournalError";
}

type Kind = "begin" | "finish" | "record";

interface Entry {
  kind: Kind;
  start: ExecutionStart;
  /** Null for `begin` only. */
  end: ExecutionEnd | null;
  /** Set by the commit: the row of a `begin`, or what was wrong with this one row. */
  seq: number;
  failure: unknown;
  resolve: () => void;
  reject: (error: Error) => void;
}

export interface JournalOptions {
  db: Database;
  logger: Logger;
  instanceId: string;
  textIndex: TextIndex;
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
 * waits for the running one. One commit costs about as much as writing twenty rows.
 */
export function createExecutionJournal(options: JournalOptions): ExecutionJournalStore {
  const { db, logger, onEnded } = options;
  const commit = createBatchCommit(options);
  let queue: Entry[] = [];
  let flushing: Promise<void> | null = null;
  let closed = false;

  const kept = createKeptEnds({ logger, retry: (start, end) => enqueue("finish", start, end) });

  function enqueue(kind: Kind, start: ExecutionStart, end: ExecutionEnd | null): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      queue.push({ kind, start, end, seq: 0, failure: null, resolve, reject });
      flushing ??= flush();
    });
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

  function accept(kind: Kind, start: ExecutionStart, end: ExecutionEnd | null): Promise<void> {
    if (closed) return Promise.reject(new JournalError("the logbook is closed"));
    return enqueue(kind, start, end);
  }

  async function drain(): Promise<void> {
    while (flushing !== null) await flushing;
    await kept.retryNow();
    while (flushing !== null) await flushing;
  }

  return {
    begin: (start) => accept("begin", start, null),
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

/** Writes a batch in one transaction. Throws when nothing was kept; a row that alone was refused has its `failure` set. */
function createBatchCommit({ db, instanceId, textIndex }: JournalOptions): (batch: Entry[]) => void {
  const { raw } = db;
  const statements = prepareExecutionStatements(raw);
  const storedDefinitions = new Set<string>();
  /** Rows of running calls, which saves `finish` the search by id. */
  const running = new Map<string, number>();

  function commit(batch: Entry[]): void {
    try {
      commitTogether(batch);
    } catch (error) {
      // On a full disk the small rows may still fit.
      if (batch.length === 1 || !sqliteCode(error).startsWith("SQLITE_FULL")) throw error;
      for (const entry of batch) commitAlone(entry);
    }
  }

  function commitAlone(entry: Entry): void {
    try {
      commitTogether([entry]);
    } catch (error) {
      entry.failure = error;
    }
  }

  function commitTogether(batch: Entry[]): void {
    if (raw.inTransaction) {
      throw Object.assign(new Error("a transaction outside the write queue is open"), { code: "SQLITE_BUSY" });
    }
    const newDefinitions: string[] = [];
    statements.begin.run();
    try {
      for (const entry of batch) writeRow(entry, newDefinitions);
      statements.commit.run();
    } catch (error) {
      if (raw.inTransaction) statements.rollback.run();
      throw error;
    }
    for (const hash of newDefinitions) storedDefinitions.add(hash);
    for (const entry of batch) {
      if (entry.kind === "finish") running.delete(entry.start.id);
      else if (entry.kind === "begin" && entry.failure === null) running.set(entry.start.id, entry.seq);
    }
  }

  /** A refused statement undoes itself alone, so the neighbours in the transaction stand. */
  function writeRow(entry: Entry, newDefinitions: string[]): void {
    entry.failure = null;
    try {
      if (entry.end === null) {
        const info = statements.insertRunning.run(...startRow(entry.start, newDefinitions));
        entry.seq = Number(info.lastInsertRowid);
      } else if (entry.kind === "finish") {
        finish(entry.start, entry.end, newDefinitions);
      } else {
        statements.insertEnded.run(...startRow(entry.start, newDefinitions), ...endValues(entry.end));
      }
    } catch (error) {
      if (!raw.inTransaction || !isRowError(error)) throw error;
      entry.failure = error;
    }
  }

  function startRow(start: ExecutionStart, newDefinitions: string[]): SqlValue[] {
    if (start.definition === null) return startValues(start, null, instanceId);
    const { hash, json } = snapshotDefinition(start.definition);
    if (!storedDefinitions.has(hash) && !newDefinitions.includes(hash)) {
      statements.insertDefinition.run(hash, start.toolName, json);
      newDefinitions.push(hash);
    }
    return startValues(start, hash, instanceId);
  }

  function finish(start: ExecutionStart, end: ExecutionEnd, newDefinitions: string[]): void {
    const values = endValues(end);
    const seq = running.get(start.id);
    if (seq !== undefined && statements.endBySeq.run(...values, seq).changes === 1) return;

    const target = statements.findEndTarget.get(start.id);
    if (target === undefined) {
      statements.insertEnded.run(...startRow(start, newDefinitions), ...values);
    } else if (target.status === "interrupted") {
      // Another process took this one for dead. What really happened is worth more.
      if (target.searchable === 1) textIndex.remove(target.seq);
      statements.endInterrupted.run(...values, target.seq);
    } else if (statements.endBySeq.run(...values, target.seq).changes === 0 && !sameEnd(target, end)) {
      throw Object.assign(new Error("the call has already ended"), { code: STATE_CONFLICT });
    }
  }

  return commit;
}

function sameEnd(target: EndTarget, end: ExecutionEnd): boolean {
  return target.status === end.status && target.finishedAt === end.finishedAt;
}
