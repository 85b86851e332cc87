import { describe } from "vitest";
import { quietLogger } from "../db/database.test-support";
import { createJobs } from "./jobs";
import { describeJobs } from "./jobs.test-support";

describe("coordination in one process", () => {
  describeJobs((clock) => createJobs({ clock, logger: quietLogger() }));
});
