import { describe } from "vitest";
import { quietLogger } from "../db/database.test-support";
import { describeCallRegistry } from "./call-registry.test-support";
import { createCallRegistry, createLocks } from "./coordination";
import { describeJobMonitor, describeJobs } from "./jobs.test-support";
import { createJobs } from "./local-jobs";
import { describeLocks } from "./locks.test-support";

describe("coordination in one process", () => {
  describeCallRegistry(createCallRegistry);
  describeLocks(createLocks);
  describeJobs((clock) => createJobs({ clock, logger: quietLogger() }));
  describeJobMonitor((clock) => createJobs({ clock, logger: quietLogger() }));
});
