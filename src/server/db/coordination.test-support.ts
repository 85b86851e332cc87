import { type CoordinationPorts, createCoordination } from "../coordination/coordination";
import type { Clock } from "../engine/ports";
import type { Database } from "./database";
import { quietLogger } from "./database.test-support";
import { createCoordinationStorage } from "./sqlite/coordination/coordination-storage";

export type TestCoordinationOptions = Pick<CoordinationPorts, "hostProcess" | "claimLimitMs">;

const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** For tests: a copy of the server on this database, neither joined nor started. */
export function createTestCoordination(db: Database, clock = systemClock, more: TestCoordinationOptions = {}) {
  const storage = createCoordinationStorage(db, clock);
  return createCoordination({ storage, clock, logger: quietLogger(), ...more });
}
