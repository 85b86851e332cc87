import { describeExecutionAnalysis } from "../../../platform/db/contract/execution-analysis.test-support";
import {
  describeExecutionList,
  describeExecutionSearch,
} from "../../../platform/db/contract/execution-list.test-support";
import { describeExecutionStats } from "../../../platform/db/contract/execution-stats.test-support";
import {
  describeExecutionJournal,
  describeExecutionStore,
} from "../../../platform/db/contract/execution-store.test-support";
import { describeOnBoth } from "../../../platform/db/store-databases.test-support";

describeOnBoth("executions", (createDatabase) => {
  describeExecutionStore(createDatabase);
  describeExecutionJournal(createDatabase);
  describeExecutionList(createDatabase);
  describeExecutionSearch(createDatabase);
  describeExecutionStats(createDatabase);
  describeExecutionAnalysis(createDatabase);
});
