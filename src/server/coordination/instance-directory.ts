/** A copy of the server that runs, or ran. */
export interface InstanceInfo {
  id: string;
  pid: number;
  host: string;
  /** Its last heartbeat, epoch milliseconds. */
  lastSeenAt: number;
}

/**
 * The copies of the server on one database. A copy on this host is alive as long as its process exists; a copy on another
 * host until its last heartbeat is a minute old.
 */
export interface InstanceDirectory {
  /** This copy. */
  readonly id: string;
  /** Registers this copy and keeps its heartbeat, every 10 s. */
  start(): Promise<void>;
  isAlive(id: string): Promise<boolean>;
  find(id: string): Promise<InstanceInfo | null>;
  /** Those of `ids` that have ended, this copy never; `lastSeenAt` is null for one that never registered. */
  findGone(ids: readonly string[]): Promise<{ id: string; lastSeenAt: number | null }[]>;
  /** Stops the heartbeat. The row stays, since rows of calls point at it. */
  close(): Promise<void>;
}
