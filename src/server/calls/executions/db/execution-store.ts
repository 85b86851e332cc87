import type { ExecutionSummary } from "../../../../lib/contract/execution";
import { type RuleMatch, ruleMatchSchema } from "../../../../lib/contract/rule-match";
import type { Clock, ExecutionJournal, Logger } from "../../../engine/ports";
import type { Database } from "../../../platform/db/database";
import { hashDefinition } from "../../../platform/db/definition-hash";
import { AMONG } from "../../../platform/db/sql";
import { findApprovals } from "../../approvals/db/approval-statements";
import { createPageFigures } from "../../statistics/db/page-figures";
import { createReadTime, createReadTimes } from "../../statistics/db/read-time";
import { createRecentCalls } from "../../statistics/db/recent-calls";
import { createStatisticsCounter } from "../../statistics/db/statistics-counter";
import { createStatisticsReads } from "../../statistics/db/statistics-reads";
import { createStatisticsTables } from "../../statistics/db/statistics-tables";
import type { ExecutionOfRun, ExecutionStore, StoredExecution } from "../execution-store";
import { createBatchCommit } from "./batch-commit";
import { WAIT_SQL } from "./call-figures";
import { prepareDetails } from "./detail-rows";
import { createExecutionAnalysis } from "./execution-analysis";
import { createExecutionDeletes, type RecordDeleted } from "./execution-deletes";
import { createExecutionJournal, createStoredCalls } from "./execution-journal";
import { createExecutionList } from "./execution-list";
import type { ExecutionParts } from "./execution-parts";
import { SUMMARY_COLUMNS, versionColumn } from "./execution-queries";
import { createDefinitionParser, type DetailRow, type SummaryRow, toStored, toSummary } from "./execution-rows";
import { createExecutionStats } from "./execution-stats";
import { createPostgresExecutionParts } from "./postgres/execution-parts";
import { createTextIndex } from "./text-index";

const MAX_CHILDREN = 200;

type Awaitable<T> = T | Promise<T>;

export interface ExecutionStoreOptions {
  db: Database;
  logger: Logger;
  /** Names the start of the server in the calls that it records. */
  instanceId: string;
  clock: Clock;
  /** Absent where deletions are not proved: tests. */
  recordDeleted?: RecordDeleted | undefined;
  /** The path of `text-index-worker.mjs`. On SQLite, nothing is indexed without it. */
  indexWorker?: string | undefined;
}

function* recordNothing(): ReturnType<RecordDeleted> {}

/** Close it before its database. */
export function createExecutionStore(options: ExecutionStoreOptions): ExecutionStore {
  const { db, logger, instanceId, clock, recordDeleted = recordNothing } = options;
  const recent = createRecentCalls();
  const stored = createStoredCalls(recent);
  const parts: ExecutionParts =
    db.kind === "postgres"
      ? createPostgresExecutionParts(db, instanceId, clock, stored, logger)
      : {
          commit: createBatchCommit({ db, instanceId, stored }),
          indexer: createTextIndex({ db, logger, workerFile: options.indexWorker }),
          list: createExecutionList(db),
          analysis: createExecutionAnalysis(db, clock),
          summaryColumns: SUMMARY_COLUMNS,
        };
  const { read: readStatistics, upkeep: statisticsUpkeep } = createStatisticsTables(db, clock, recent);
  const readTimes = createReadTimes(readStatistics, clock);
  const readTime = createReadTime(readTimes);
  const statistics = createStatisticsReads(readTime, readTimes, clock);
  const counter = createStatisticsCounter(statisticsUpkeep, logger);
  const onEnded = (calls: number): void => {
    parts.indexer.poke();
    counter.note(calls);
  };
  const journal = createExecutionJournal({ logger, commit: parts.commit, onEnded });
  const selectSummary = `SELECT ${parts.summaryColumns} FROM "Execution" WHERE`;
  const selectDetails = `SELECT ${parts.summaryColumns}, "resultTruncated", "validationSkipped", "startedAt", "validateMs", "recordMs",
      "runMs", ${WAIT_SQL} AS "waitMs", "timeoutMs", "modelChars", "resultChars", "callId", "serverName", "credential",
      "definitionHash", "firedLimit", error, faults, logs, arguments, result, reason, toolset, lens, "lensFault", "taskId", "tokenId",
      (SELECT json FROM "Definition" WHERE hash = "definitionHash") AS "definitionJson",
      ${versionColumn("number")} AS "versionNumber", ${versionColumn("toolName")} AS "versionTool"
    FROM "Execution" WHERE id ${AMONG}`;
  const selectReplays = `${selectSummary} seq IN (SELECT seq FROM (SELECT seq, row_number() OVER (PARTITION BY "parentId" ORDER BY seq DESC) AS place
      FROM "Execution" WHERE "parentId" ${AMONG} AND "parentId" IS NOT NULL) AS replays WHERE place <= ${MAX_CHILDREN}) ORDER BY seq DESC`;

  const parseDefinition = createDefinitionParser();
  const toSummaries = (rows: readonly SummaryRow[]): ExecutionSummary[] =>
    rows.flatMap((row) => db.damaged.read("execution", row.id, () => toSummary(row)) ?? []);

  const readDetails: (ids: readonly string[]) => Awaitable<DetailRow[]> =
    db.kind === "sqlite" ? prepareDetails(db.raw, selectDetails) : (ids) => db.rows<DetailRow>(selectDetails, ids);

  async function findMany(ids: readonly string[]): Promise<StoredExecution[]> {
    const [rows, approvals, matches] = await Promise.all([
      readDetails(ids),
      findApprovals(db, ids),
      findRuleMatches(db, ids),
    ]);
    const byId = new Map<string, StoredExecution | null>();
    for (const row of rows) {
      const { id } = row;
      const related = { approval: approvals.get(id) ?? null, ruleMatches: matches.get(id) ?? [] };
      byId.set(
        id,
        db.damaged.read("execution", id, () => toStored(row, related, db.damaged, parseDefinition)),
      );
    }
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async function summary(id: string): Promise<ExecutionSummary | null> {
    const row = await db.row<SummaryRow>(`${selectSummary} id = ?`, id);
    return row === undefined ? null : db.damaged.read("execution", id, () => toSummary(row));
  }

  return {
    ...pickJournal(journal),
    drain: journal.drain,
    drainIndex: parts.indexer.drain,
    ...parts.list,
    ...createExecutionStats(db, createPageFigures(statistics, readTime, clock)),
    statisticsUpkeep,
    statistics,
    drainStatistics: counter.drain,
    ...parts.analysis,
    find: async (id) => (await findMany([id]))[0] ?? null,
    findMany,
    summary,
    summaries: async (ids) => toSummaries(await db.rows<SummaryRow>(`${selectSummary} id ${AMONG}`, ids)),
    replays: async (ids) => toSummaries(await db.rows<SummaryRow>(selectReplays, ids)),
    async isAlias(name) {
      const sql = `SELECT "seq" FROM "Execution" WHERE "calledAs" = ? AND "calledAs" IS NOT NULL LIMIT 1`;
      return (await db.row(sql, name)) !== undefined;
    },
    async findOwner(id) {
      const sql = `SELECT "instanceId" FROM "Execution" WHERE id = ? AND status IN ('running', 'waiting')`;
      return (await db.row<{ instanceId: string }>(sql, id))?.instanceId ?? null;
    },
    findByRun: (runId) =>
      db.rows<ExecutionOfRun>(
        'SELECT id, "callId", status FROM "Execution" WHERE "runId" = ? AND "runId" IS NOT NULL ORDER BY seq',
        runId,
      ),
    async setPinned(id, pinned) {
      await db.change('UPDATE "Execution" SET pinned = ? WHERE id = ?', pinned ? 1 : 0, id);
      const pinnedRow = await summary(id);
      if (pinnedRow === null) throw new Error(`There is no execution ${id} to pin`);
      return pinnedRow;
    },
    delete: createExecutionDeletes(db, recordDeleted, parts.indexer.poke),
    hashDefinition,
    async close() {
      await journal.close();
      await parts.indexer.close();
      await counter.close();
    },
  };
}

interface MatchRow extends Omit<RuleMatch, "recordOnly" | "values"> {
  executionId: string;
  recordOnly: boolean | number;
  facts: string;
}

/** The matches of each execution: the rule that decided, then rules that only recorded. */
async function findRuleMatches(
  db: Pick<Database, "rows" | "damaged">,
  executionIds: readonly string[],
): Promise<Map<string, RuleMatch[]>> {
  const rows = await db.rows<MatchRow>(
    `SELECT "executionId", "ruleId", name, version, effect, "recordOnly", facts FROM "RuleMatch"
     WHERE "executionId" ${AMONG} ORDER BY "recordOnly", "ruleId"`,
    executionIds,
  );
  const found = new Map<string, RuleMatch[]>();
  for (const { executionId, facts, recordOnly, ...row } of rows) {
    const match = db.damaged.read("rule match of an execution", executionId, () =>
      ruleMatchSchema.parse({ ...row, recordOnly: Boolean(recordOnly), values: JSON.parse(facts) }),
    );
    if (match !== null) found.set(executionId, [...(found.get(executionId) ?? []), match]);
  }
  return found;
}

const pickJournal = ({ begin, proceed, finish, record }: ExecutionJournal): ExecutionJournal => ({
  begin,
  proceed,
  finish,
  record,
});
