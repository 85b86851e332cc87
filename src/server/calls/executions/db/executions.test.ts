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
import { describeExecutionTexts } from "../../../platform/db/contract/execution-text.test-support";
import { describeOnBoth } from "../../../platform/db/store-databases.test-support";

describeOnBoth("executions", (createDatabase) => {
  describeExecutionStore(createDatabase);
  describeExecutionJournal(createDatabase);
  describeExecutionList(createDatabase);
  describeExecutionSearch(createDatabase);
  describeExecutionTexts(createDatabase);
  describeExecutionStats(createDatabase);
  describeExecutionAnalysis(createDatabase);
});
