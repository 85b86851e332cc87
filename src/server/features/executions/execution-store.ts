import type { ExecutionStatus, ExecutionSummary } from "../../../lib/contract";
import type { Database } from "../../db/database";
import { hashDefinition } from "../../db/definition-hash";
import { prepareFindApproval } from "../../db/sqlite/approval-statements";
import { SUMMARY_COLUMNS } from "../../db/sqlite/execution-queries";
import { prepareTextIndex } from "../../db/sqlite/execution-text";
import type { Clock, ExecutionJournal, Logger } from "../../engine/ports";
import { createExecutionIndexer } from "./execution-indexer-store";
import { createExecutionJournal } from "./execution-journal-store";
import { createExecutionList, type ListExecutions } from "./execution-list-store";
import { type DetailRow, type StoredExecution, type SummaryRow, toStored, toSummary } from "./execution-rows";
import { createExecutionStats, type ExecutionStats } from "./execution-stats-store";

export type { StoredExecution } from "./execution-rows";

const MAX_CHILDREN = 200;

/** A call of a run, as far as going on with that run needs it. */
export interface ExecutionOfRun {
  id: string;
  callId: string | null;
  status: ExecutionStatus;
}

export interface ExecutionStore extends ExecutionJournal, ExecutionStats {
  list: ListExecutions;
  find(id: string): Promise<StoredExecution | null>;
  summary(id: string): Promise<ExecutionSummary | null>;
  /** Replays of a call, newest first. */
  children(id: string): Promise<ExecutionSummary[]>;
  /** Every call of a run, oldest first. */
  findByRun(runId: string): Promise<ExecutionOfRun[]>;
  /** @throws Error for an unknown id */
  setPinned(id: string, pinned: boolean): Promise<ExecutionSummary>;
  /** What `definitionHash` of an execution with this definition is. */
  hashDefinition: typeof hashDefinition;
  /** Resolves when everything given so far is committed. */
  drain(): Promise<void>;
  /** Resolves when every ended call is in the search index; nothing needs to wait for it. */
  drainIndex(): Promise<void>;
  close(): Promise<void>;
}

export interface ExecutionStoreOptions {
  db: Database;
  logger: Logger;
  /** Of `InstanceStore`: whose running calls these are. */
  instanceId: string;
  clock: Clock;
}

/** The logbook. `close` it before its database. */
export function createExecutionStore({ db, logger, instanceId, clock }: ExecutionStoreOptions): ExecutionStore {
  const { raw } = db;
  const textIndex = prepareTextIndex(raw);
  const indexer = createExecutionIndexer({ db, logger, textIndex });
  const journal = createExecutionJournal({ db, logger, instanceId, textIndex, onEnded: indexer.poke });
  const selectDetail = raw
    .prepare<[string], DetailRow>(
      `SELECT ${SUMMARY_COLUMNS}, resultTruncated, validationSkipped, startedAt, validateMs, recordMs, runMs, timeoutMs,
         storedBytes, modelChars, resultChars, callId, serverName, definitionHash, instanceId, firedLimit, error, faults,
         logs, arguments, result, (SELECT json FROM Definition WHERE hash = definitionHash) AS definitionJson
       FROM Execution WHERE id = ?`,
    )
    .safeIntegers(false);
  const selectSummary = raw
    .prepare<[string], SummaryRow>(`SELECT ${SUMMARY_COLUMNS} FROM Execution WHERE id = ?`)
    .safeIntegers(false);
  const selectChildren = raw
    .prepare<[string, number], SummaryRow>(
      `SELECT ${SUMMARY_COLUMNS} FROM Execution WHERE parentId = ? AND parentId IS NOT NULL ORDER BY seq DESC LIMIT ?`,
    )
    .safeIntegers(false);
  const selectOfRun = raw
    .prepare<[string], ExecutionOfRun>(
      "SELECT id, callId, status FROM Execution WHERE runId = ? AND runId IS NOT NULL ORDER BY seq",
    )
    .safeIntegers(false);
  const findApproval = prepareFindApproval(raw);
  const updatePinned = raw.prepare<[number, string]>("UPDATE Execution SET pinned = ? WHERE id = ?");

  async function summary(id: string): Promise<ExecutionSummary | null> {
    const row = selectSummary.get(id);
    return row === undefined ? null : toSummary(row);
  }

  return {
    begin: journal.begin,
    proceed: journal.proceed,
    finish: journal.finish,
    record: journal.record,
    drain: journal.drain,
    drainIndex: indexer.drain,
    list: createExecutionList(db),
    ...createExecutionStats(db, clock),
    async find(id) {
      const row = selectDetail.get(id);
      return row === undefined ? null : toStored(row, findApproval(id));
    },
    summary,
    children: async (id) => selectChildren.all(id, MAX_CHILDREN).map(toSummary),
    findByRun: async (runId) => selectOfRun.all(runId),
    async setPinned(id, pinned) {
      await db.write(() => updatePinned.run(pinned ? 1 : 0, id));
      const pinnedRow = await summary(id);
      if (pinnedRow === null) throw new Error(`There is no execution ${id} to pin`);
      return pinnedRow;
    },
    hashDefinition,
    async close() {
      await journal.close();
      indexer.close();
    },
  };
}
