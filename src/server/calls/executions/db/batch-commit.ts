import type { ExecutionEnd, ExecutionProceeding, ExecutionStart } from "../../../engine/ports";
import type { SqliteDatabase } from "../../../platform/db/database";
import { snapshotDefinition } from "../../../platform/db/definition-hash";
import { createRunSteps } from "../../../platform/db/sqlite/sqlite-database";
import { isRowError, STATE_CONFLICT, storageCode } from "../../../platform/db/storage-error";
import { demandNoTransaction } from "../../../platform/db/write-queue";
import { beginWatermark } from "../../statistics/db/count-batch";
import { noteEnded, noteRemoved } from "../../statistics/db/record-changes";
import { type BatchEntry, type CommitBatch, countChars, type StoredCalls } from "./execution-journal";
import {
  type EndTarget,
  type ExecutionStatements,
  editValues,
  endValues,
  matchValues,
  pickValues,
  prepareExecutionStatements,
  type SqlValue,
  START_COLUMNS,
  startRow,
} from "./execution-statements";
import { chargeValues } from "./limit-charges";
import { getStoredDefinitions } from "./stored-definitions";
import { noteTextChanged } from "./text-changes";

export interface BatchOptions {
  db: SqliteDatabase;
  instanceId: string;
  stored: StoredCalls;
}

/** Writes batches in transactions with what others write in the same turn of the event loop. */
export function createBatchCommit(options: BatchOptions): CommitBatch {
  const { db } = options;
  const commit = prepareCommit(options);
  let pages = 0;
  return async (take, atOnce) => {
    let keep = (): void => {};
    await db.writeTogether((isPart) => {
      keep = commit(take(), isPart);
    }, atOnce);
    keep();
    for (const entry of take()) pages += PAGES_OF_ROW + countChars(entry) / CHARS_OF_PAGE;
    if (pages < PAGES_NOTED) return;
    db.noteWritten(pages);
    pages = 0;
  };
}

/** The measured pages of the table and its indexes that a commit writes for a row; and those of its texts. */
const PAGES_OF_ROW = 7;
const CHARS_OF_PAGE = 4000;
/** Noted together, since most commits write a few. */
const PAGES_NOTED = 64;

/**
 * Writes a batch in one transaction, or as a part of one. Throws when nothing was kept. What it returns is called once the
 * transaction is committed.
 */
function prepareCommit(options: BatchOptions): (batch: BatchEntry[], isPart: boolean) => () => void {
  const { instanceId, stored } = options;
  const { raw } = options.db;
  const statements = prepareExecutionStatements(raw);
  const storedDefinitions = getStoredDefinitions(raw);
  const runSteps = createRunSteps(raw);
  const ends = prepareEnds(statements, runSteps);
  let hasWatermark = false;

  function commit(batch: BatchEntry[], isPart: boolean): () => void {
    if (isPart) return writeRows(batch);
    demandNoTransaction(raw);
    statements.begin.run();
    try {
      const keep = writeRows(batch);
      statements.commit.run();
      return keep;
    } catch (error) {
      if (raw.inTransaction) statements.rollback.run();
      // On a full disk a small row may still fit, so each is tried alone.
      if (batch.length === 1 || !storageCode(error).startsWith("SQLITE_FULL")) throw error;
      return commitEach(batch);
    }
  }

  function commitEach(batch: BatchEntry[]): () => void {
    for (const entry of batch) {
      try {
        commit([entry], false)();
      } catch (failure) {
        entry.failure = failure;
      }
    }
    return () => {};
  }

  function writeRows(batch: BatchEntry[]): () => void {
    const newDefinitions: string[] = [];
    if (!hasWatermark) runSteps(beginWatermark());
    for (const entry of batch) writeRow(entry, newDefinitions);
    return () => {
      hasWatermark = true;
      for (const hash of newDefinitions) storedDefinitions.add(hash);
      for (const entry of batch) stored.note(entry);
    };
  }

  /** A refused statement undoes only itself, so the others in the transaction stay. */
  function writeRow(entry: BatchEntry, newDefinitions: string[]): void {
    [entry.failure, entry.seq] = [null, 0];
    try {
      if (entry.proceeding !== null) {
        entry.seq = proceed(entry.start, entry.proceeding, newDefinitions);
      } else if (entry.end === null) {
        entry.seq = begin(entry.start, newDefinitions);
      } else if (entry.kind === "finish") {
        entry.seq = finish(entry.start, entry.end, newDefinitions);
      } else {
        entry.seq = ends.insert(toStartValues(entry.start, newDefinitions), entry.end);
      }
      if (entry.start.ruleMatches !== undefined) {
        for (const values of matchValues(entry.start)) statements.insertMatch.run(...values);
      }
      if (entry.start.charges !== undefined) {
        for (const values of chargeValues(entry.start)) statements.chargeLimit.run(...values);
      }
    } catch (error) {
      if (!raw.inTransaction || !isRowError(error)) throw error;
      entry.failure = error;
    }
  }

  /** The row; 0 where the call has ended. */
  function begin(start: ExecutionStart, newDefinitions: string[]): number {
    const isWaiting = start.waiting === true;
    const row = toStartValues(start, newDefinitions);
    const insert = isWaiting ? statements.insertWaiting : statements.insertRunning;
    // A listed call has a row already, which may have ended while the call waited for its tool.
    const seq =
      start.listed === true
        ? (statements.complete.get(isWaiting ? "waiting" : "running", ...row, start.id) ?? 0)
        : Number(insert.run(...row).lastInsertRowid);
    // The call and its request must exist together.
    const { id, request } = start;
    if (request !== undefined) {
      statements.insertApproval.run(id, request.requestedAt, request.expiresAt, request.mode);
    }
    return seq;
  }

  const toStartValues = (start: ExecutionStart, newDefinitions: string[]): SqlValue[] =>
    pickValues(START_COLUMNS, startRow(start, findHash(start, newDefinitions), instanceId));

  /** Stores the definition unless it is stored. */
  function findHash(start: ExecutionStart, newDefinitions: string[]): string | null {
    if (start.definition === null) return null;
    const { hash, json } = snapshotDefinition(start.definition);
    if (!storedDefinitions.has(hash) && !newDefinitions.includes(hash)) {
      statements.insertDefinition.run(hash, start.toolName, json);
      newDefinitions.push(hash);
    }
    return hash;
  }

  /** The row; 0 if the call no longer waits. */
  function proceed(start: ExecutionStart, proceeding: ExecutionProceeding, newDefinitions: string[]): number {
    const { id, implementationType, serverName, timeoutMs } = start;
    const { argumentsText, startedAt } = proceeding;
    if (argumentsText !== undefined) statements.editArguments.run(...editValues(id, argumentsText));
    const hash = findHash(start, newDefinitions);
    return statements.proceed.get(startedAt, instanceId, hash, implementationType, serverName, timeoutMs, id) ?? 0;
  }

  /** The row; 0 where it is not known. Which row runs saves the search by id. */
  function finish(start: ExecutionStart, end: ExecutionEnd, newDefinitions: string[]): number {
    const known = stored.running.get(start.id);
    if (known !== undefined && ends.endBySeq(known.seq, end)) return known.seq;
    return ends.end(start.id, end) ? 0 : ends.insert(toStartValues(start, newDefinitions), end);
  }

  return commit;
}

/** Writes ends of calls. Statistics find those above their watermark; a guessed end that is replaced may be below it. */
function prepareEnds(statements: ExecutionStatements, runSteps: ReturnType<typeof createRunSteps>) {
  /** Adds the cost in the row that was just written to the spend of its day. */
  const addCost = (seq: number, { cost }: ExecutionEnd): void => {
    if (cost !== undefined && cost !== null) statements.addCost.run(seq);
  };
  const endBySeq = (seq: number, end: ExecutionEnd): boolean => {
    if (statements.endBySeq.run(...endValues(end), seq).changes === 0) return false;
    addCost(seq, end);
    return true;
  };
  return {
    /** @returns false where the call has ended */
    endBySeq,

    insert(row: SqlValue[], end: ExecutionEnd): number {
      const seq = Number(statements.insertEnded.run(...row, ...endValues(end)).lastInsertRowid);
      addCost(seq, end);
      return seq;
    },

    /** @returns false where the row does not exist */
    end(id: string, end: ExecutionEnd): boolean {
      const target = statements.findEndTarget.get(id);
      if (target === undefined) return false;
      if (target.status === "interrupted") {
        // The call was considered ended; the real result replaces the assumed one.
        runSteps(noteTextChanged([target.seq]));
        runSteps(noteRemoved("sqlite", [target.seq]));
        statements.removeCost.run(target.seq);
        statements.endInterrupted.run(...endValues(end), target.seq);
        addCost(target.seq, end);
        runSteps(noteEnded([target.seq]));
      } else if (!endBySeq(target.seq, end) && !sameEnd(target, end)) {
        throw Object.assign(new Error("the call has already ended"), { code: STATE_CONFLICT });
      }
      return true;
    },
  };
}

function sameEnd(target: EndTarget, end: ExecutionEnd): boolean {
  return target.status === end.status && target.finishedAt === end.finishedAt;
}
