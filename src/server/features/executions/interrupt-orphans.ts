import type { InstanceDirectory } from "../../coordination/instance-directory";
import type { Logger } from "../../engine/ports";

export interface OrphanStore {
  /** The copies of the server that have running calls. */
  listRunningInstances(): Promise<string[]>;
  /**
   * Ends the running calls of a copy and gives their ids.
   * @param finishedAt epoch milliseconds; null for the time at which each was queued
   */
  interrupt(instanceId: string, finishedAt: number | null): Promise<string[]>;
}

export interface InterruptOrphansPorts {
  orphans: OrphanStore;
  instances: Pick<InstanceDirectory, "findGone">;
  logger: Logger;
}

/** Ends the running calls of copies of the server that are gone, at their last heartbeat. Gives the ids. */
export async function interruptOrphans({ orphans, instances, logger }: InterruptOrphansPorts): Promise<string[]> {
  const ended: string[] = [];
  for (const { id, lastSeenAt } of await instances.findGone(await orphans.listRunningInstances())) {
    ended.push(...(await orphans.interrupt(id, lastSeenAt)));
  }
  if (ended.length > 0) logger.warn({ executions: ended }, "Calls of a server that ended are marked as interrupted");
  return ended;
}
