import type { Logger } from "../../engine/ports";

export interface OrphanStore {
  /** Ends the calls that are stored as running, and gives their ids. */
  interruptRunning(): Promise<string[]>;
}

/** At the start, when nothing runs yet: ends the calls that an earlier process left running. Gives the ids. */
export async function interruptOrphans(orphans: OrphanStore, logger: Logger): Promise<string[]> {
  const ended = await orphans.interruptRunning();
  if (ended.length > 0) logger.warn({ executions: ended }, "Calls of a server that ended are marked as interrupted");
  return ended;
}
