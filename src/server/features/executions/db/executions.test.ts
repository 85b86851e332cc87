import { describe } from "vitest";
import {
  describeExecutionList,
  describeExecutionSearch,
} from "../../../platform/db/contract/execution-list.test-support";
import { describeExecutionStats } from "../../../platform/db/contract/execution-stats.test-support";
import {
  describeExecutionJournal,
  describeExecutionStore,
} from "../../../platform/db/contract/execution-store.test-support";
import { createSqliteDatabase } from "../../../platform/db/sqlite/store-database.test-support";

describe("executions on SQLite", () => {
  describeExecutionStore(createSqliteDatabase);
  describeExecutionJournal(createSqliteDatabase);
  describeExecutionList(createSqliteDatabase);
  describeExecutionSearch(createSqliteDatabase);
  describeExecutionStats(createSqliteDatabase);
});
