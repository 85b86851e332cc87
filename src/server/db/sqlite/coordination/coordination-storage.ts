import type { CoordinationStorage } from "../../../coordination/storage";
import type { Clock } from "../../../engine/ports";
import type { Database } from "../../database";
import { createActivityStorage } from "./activity-storage";
import { createChangeStorage } from "./change-storage";
import { createCommandStorage } from "./command-storage";
import { createInstanceStorage } from "./instance-storage";
import { createJobStorage } from "./job-storage";
import { createLeaseStorage } from "./lease-storage";
import { createWriteNotices } from "./write-notices";

/** Coordination between the processes that share one SQLite file. Its connection is the database's own. */
export function createCoordinationStorage(db: Database, clock: Clock): CoordinationStorage {
  return {
    activity: createActivityStorage(db),
    changes: createChangeStorage(db, clock),
    commands: createCommandStorage(db, clock),
    instances: createInstanceStorage(db, clock),
    jobs: createJobStorage(db, clock),
    leases: createLeaseStorage(db, clock),
    notices: createWriteNotices(db),
  };
}
