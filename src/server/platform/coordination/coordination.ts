import type { Clock, Logger } from "../../engine/ports";
import type { CallRegistry } from "./call-registry";
import type { Jobs } from "./jobs";
import { createCallRegistry } from "./local-call-registry";
import { createJobs } from "./local-jobs";
import { createLocks } from "./local-locks";
import type { Locks } from "./locks";

/** Where the parts of a server reach each other's calls, order work for later and exclude each other. */
export interface Coordination {
  calls: CallRegistry;
  jobs: Jobs;
  locks: Locks;
}

/** In memory: one process owns the database. */
export function createCoordination(ports: { clock: Clock; logger: Logger }): Coordination {
  return { calls: createCallRegistry(), jobs: createJobs(ports), locks: createLocks() };
}
