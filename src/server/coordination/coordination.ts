import type { Clock, Logger } from "../engine/ports";
import type { CallRegistry } from "./call-registry";
import type { ChangeFeed } from "./change-feed";
import type { InstanceDirectory } from "./instance-directory";
import type { Jobs } from "./jobs";
import type { Locks } from "./locks";
import { createRemoteActivity, type RemoteActivity } from "./remote-activity";
import type { CoordinationStorage } from "./storage";
import { createCallRegistry } from "./stored-call-registry";
import { CHANGES_KEPT_MS, createChangeFeed } from "./stored-change-feed";
import { createInstanceDirectory, type HostProcess } from "./stored-instance-directory";
import { createJobs } from "./stored-jobs";
import { createLocks } from "./stored-locks";

const PRUNE_EVERY_MS = 600_000;

/** What the copies of the server on one database agree on. */
export interface Coordination {
  activity: RemoteActivity;
  calls: CallRegistry;
  changes: ChangeFeed;
  instances: InstanceDirectory;
  jobs: Jobs;
  locks: Locks;
  /** Registers this copy; changes from now on will be delivered. Before anything that they reload is read. */
  join(): Promise<void>;
  /** Delivers changes, takes cancellations from other copies and runs jobs. After their handlers are registered. */
  start(): Promise<void>;
  /** Starts nothing any more and waits for the jobs that run here. */
  stop(): Promise<void>;
  /** Signs this copy off. After its calls have ended. */
  close(): Promise<void>;
}

export interface CoordinationPorts {
  storage: CoordinationStorage;
  clock: Clock;
  logger: Logger;
  hostProcess?: HostProcess | undefined;
  /** How long another copy has to take a cancellation; 5 s when absent. */
  claimLimitMs?: number | undefined;
}

export function createCoordination({
  storage,
  clock,
  logger,
  hostProcess,
  claimLimitMs,
}: CoordinationPorts): Coordination {
  const { notices } = storage;
  const instances = createInstanceDirectory({ storage: storage.instances, logger, hostProcess });
  const instanceId = instances.id;
  const activity = createRemoteActivity({ storage: storage.activity, notices, instanceId, logger });
  const changes = createChangeFeed({ storage: storage.changes, notices, instanceId, clock, logger });
  const calls = createCallRegistry({ storage: storage.commands, notices, instances, logger, claimLimitMs });
  const jobs = createJobs({ storage: storage.jobs, notices, instances, clock, logger });
  const locks = createLocks({ storage: storage.leases, instances, logger });
  jobs.repeat("coordination.prune", PRUNE_EVERY_MS, async () => {
    await storage.changes.deleteOlderThan(CHANGES_KEPT_MS);
    await storage.commands.deleteOlderThan(CHANGES_KEPT_MS);
  });
  return {
    ...{ activity, calls, changes, instances, jobs, locks },
    async join() {
      await instances.start();
      await changes.join();
      await activity.join();
    },
    async start() {
      changes.start();
      activity.start();
      calls.start();
      await jobs.start();
    },
    async stop() {
      await Promise.all([jobs.stop(), calls.close(), changes.close(), activity.close()]);
    },
    async close() {
      notices.close();
      await locks.close();
      await instances.close();
    },
  };
}
