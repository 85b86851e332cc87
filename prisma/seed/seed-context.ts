import { type Container, createContainer } from "../../src/server/container";
import { systemClock } from "../../src/server/create-tool-engine";
import { type Database, openDatabase } from "../../src/server/db/database";
import type { Env } from "../../src/server/env";
import { createExecutionStore, type ExecutionStore } from "../../src/server/features/executions/execution-store";
import { createLogger } from "../../src/server/logger";

export type Services = Container["services"];

/** What a scenario works with. One thing at a time: both open the same database file. */
export interface SeedContext {
  /** Epoch milliseconds: the moment up to which there is a past. */
  now: number;
  rootDir: string;
  /** The product itself, as its server has it: what is done here really happens, now. */
  withServices<T>(work: (services: Services) => Promise<T>): Promise<T>;
  /** The logbook alone, for calls that happened at another time, and its database for what other stores keep of then. */
  withLogbook<T>(work: (logbook: ExecutionStore, db: Database) => Promise<T>): Promise<T>;
}

/** Whose calls the ones of the past are; no process has this id, and none of them is left running. */
export const SEED_INSTANCE = "inst_seed";

/** Opening the services also brings the database up to this version, making it where there is none. */
export function createSeedContext(env: Env, now: number = Date.now()): SeedContext {
  return {
    now,
    rootDir: env.rootDir,
    async withServices(work) {
      const container = await createContainer(env);
      try {
        return await work(container.services);
      } finally {
        await container.close();
      }
    },
    async withLogbook(work) {
      const logger = createLogger(env);
      const db = await openDatabase({ url: env.databaseUrl, logger });
      const logbook = createExecutionStore({ db, logger, instanceId: SEED_INSTANCE, clock: systemClock });
      try {
        const made = await work(logbook, db);
        await logbook.drainIndex();
        return made;
      } finally {
        await logbook.close();
        await db.close();
        logger.flush();
      }
    },
  };
}
