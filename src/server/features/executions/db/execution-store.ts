import type { ExecutionSummary } from "../../../../lib/contract/execution";
import type { Clock, Logger } from "../../../engine/ports";
import type { SqliteDatabase } from "../../../platform/db/database";
import { hashDefinition } from "../../../platform/db/definition-hash";
import { prepareFindApproval } from "../../approvals/db/approval-statements";
import type { ExecutionOfRun, ExecutionStore } from "../execution-store";
import { WAIT_SQL } from "./call-figures";
import { createExecutionDeletes, type RecordDeleted } from "./execution-deletes";
import { createExecutionJournal } from "./execution-journal";
import { createExecutionList } from "./execution-list";
import { SUMMARY_COLUMNS, versionColumn } from "./execution-queries";
import { type DetailRow, type SummaryRow, toStored, toSummary } from "./execution-rows";
import { createExecutionStats } from "./execution-stats";
import { prepareTextIndex } from "./execution-text";
import { createExecutionIndexer } from "./text-indexer";

const MAX_CHILDREN = 200;

export interface ExecutionStoreOptions {
  db: SqliteDatabase;
  logger: Logger;
  /** Names the start of the server in the calls that it records. */
  instanceId: string;
  clock: Clock;
  /** Absent where deletions are not proved: tests. */
  recordDeleted?: RecordDeleted | undefined;
}

/** Close it before its database. */
export function createExecutionStore(options: ExecutionStoreOptions): ExecutionStore {
  const { db, logger, instanceId, clock, recordDeleted = () => undefined } = options;
  const { raw } = db;
  const textIndex = prepareTextIndex(raw);
  const indexer = createExecutionIndexer({ db, logger, textIndex });
  const journal = createExecutionJournal({ db, logger, instanceId, textIndex, onEnded: indexer.poke });
  const selectDetail = raw
    .prepare<[string], DetailRow>(
      `SELECT ${SUMMARY_COLUMNS}, "resultTruncated", "validationSkipped", "startedAt", "validateMs", "recordMs", "runMs",
         ${WAIT_SQL} AS "waitMs",
         "timeoutMs", "modelChars", "resultChars", "callId", "serverName", "credential", "definitionHash",
         "firedLimit", error, faults, logs, arguments, result, reason, toolset, lens, "lensFault", "taskId", "tokenId",
         (SELECT json FROM "Definition" WHERE hash = "definitionHash") AS "definitionJson",
         ${versionColumn("number")} AS "versionNumber", ${versionColumn("toolName")} AS "versionTool"
       FROM "Execution" WHERE id = ?`,
    )
    .safeIntegers(false);
  const selectSummary = raw
    .prepare<[string], SummaryRow>(`SELECT ${SUMMARY_COLUMNS} FROM "Execution" WHERE id = ?`)
    .safeIntegers(false);
  const selectChildren = raw
    .prepare<[string, number], SummaryRow>(
      `SELECT ${SUMMARY_COLUMNS} FROM "Execution" WHERE "parentId" = ? AND "parentId" IS NOT NULL ORDER BY seq DESC LIMIT ?`,
    )
    .safeIntegers(false);
  const selectOfRun = raw
    .prepare<[string], ExecutionOfRun>(
      'SELECT id, "callId", status FROM "Execution" WHERE "runId" = ? AND "runId" IS NOT NULL ORDER BY seq',
    )
    .safeIntegers(false);
  const findApproval = prepareFindApproval(raw);
  const updatePinned = raw.prepare<[number, string]>('UPDATE "Execution" SET pinned = ? WHERE id = ?');

  async function summary(id: string): Promise<ExecutionSummary | null> {
    const row = selectSummary.get(id);
    return row === undefined ? null : db.damaged.read("execution", id, () => toSummary(row));
  }

  return {
    begin: journal.begin,
    proceed: journal.proceed,
    finish: journal.finish,
    record: journal.record,
    drain: journal.drain,
    drainIndex: indexer.drain,
    ...createExecutionList(db),
    ...createExecutionStats(db, clock),
    async find(id) {
      const row = selectDetail.get(id);
      return row === undefined
        ? null
        : db.damaged.read("execution", id, () => toStored(row, findApproval(id), db.damaged));
    },
    summary,
    children: async (id) =>
      selectChildren
        .all(id, MAX_CHILDREN)
        .flatMap((row) => db.damaged.read("execution", row.id, () => toSummary(row)) ?? []),
    findByRun: async (runId) => selectOfRun.all(runId),
    async setPinned(id, pinned) {
      await db.write(() => updatePinned.run(pinned ? 1 : 0, id));
      const pinnedRow = await summary(id);
      if (pinnedRow === null) throw new Error(`There is no execution ${id} to pin`);
      return pinnedRow;
    },
    delete: createExecutionDeletes(db, recordDeleted),
    hashDefinition,
    async close() {
      await journal.close();
      indexer.close();
    },
  };
}
