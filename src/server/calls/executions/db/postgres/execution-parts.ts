import type { Clock, Logger } from "../../../../engine/ports";
import type { PostgresDatabase } from "../../../../platform/db/database";
import type { StoredCalls } from "../execution-journal";
import type { ExecutionParts } from "../execution-parts";
import { createExecutionIndexer } from "../text-indexer";
import { createPostgresBatchCommit } from "./batch-commit";
import { createPostgresExecutionAnalysis } from "./execution-analysis";
import { createPostgresExecutionList } from "./execution-list";
import { SUMMARY_COLUMNS } from "./execution-queries";
import { createExecutionSearch } from "./execution-search";
import { createListReads } from "./list-reads";
import { createPostgresReads } from "./reads";
import { createPostgresIndexBatch } from "./text-indexer";

export function createPostgresExecutionParts(
  db: PostgresDatabase,
  instanceId: string,
  clock: Clock,
  stored: StoredCalls,
  logger: Logger,
): ExecutionParts {
  const reads = createPostgresReads(db.pool);
  return {
    commit: createPostgresBatchCommit({ journal: db.journal, instanceId, stored }),
    indexer: createExecutionIndexer({ logger, indexBatch: createPostgresIndexBatch(db.pool) }),
    list: createPostgresExecutionList(reads, db),
    analysis: createPostgresExecutionAnalysis({
      reads,
      clock,
      lists: createListReads(reads),
      search: createExecutionSearch(reads),
    }),
    summaryColumns: SUMMARY_COLUMNS,
  };
}
