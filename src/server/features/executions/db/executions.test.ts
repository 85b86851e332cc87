import { describe } from "vitest";
import { describeExecutionList, describeExecutionSearch } from "../../contract/execution-list.test-support";
import { describeExecutionStats } from "../../contract/execution-stats.test-support";
import { describeExecutionJournal, describeExecutionStore } from "../../contract/execution-store.test-support";
import { createSqliteDatabase } from "../store-database.test-support";

describe("executions on SQLite", () => {
  describeExecutionStore(createSqliteDatabase);
  describeExecutionJournal(createSqliteDatabase);
  describeExecutionList(createSqliteDatabase);
  describeExecutionSearch(createSqliteDatabase);
  describeExecutionStats(createSqliteDatabase);
});
