import { describeStatistics } from "../../../platform/db/contract/statistics.test-support";
import { describeOnBoth } from "../../../platform/db/store-databases.test-support";

describeOnBoth("calls", describeStatistics);
