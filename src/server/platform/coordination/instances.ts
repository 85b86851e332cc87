/** One process of the server. */
export interface Instance {
  /** Names this start of the process in what it owns: calls, runs, sessions, leases. It is never used again. */
  id: string;
  /** The name for users: host name and port. */
  name: string;
  /** Where the other instances reach it, such as `http://10.0.0.5:3000`; null where it takes no requests. */
  address: string | null;
  version: string;
  /** Epoch milliseconds. */
  startedAt: number;
  /** Whether it accepts no new work. */
  isDraining: boolean;
}

/**
 * The processes that work with one database. An instance that gives no sign of life for some seconds is lost: the others settle what it
 * owned, and it may write nothing of that any more. An instance that finds itself lost ends (decision 0075).
 */
export interface Instances {
  readonly self: Instance;
  /** The running instances, this one first. */
  list(): Instance[];
  isLiving(id: string): boolean;
  /**
   * Settles what instances left that live no longer, whether they ended or were lost: at once for each, and now and then for all, since a write of a
   * lost instance may have come late. One instance at a time does it, so a listener asks the database for rows of owners that are not in `living`.
   */
  onLost(settle: (living: readonly string[]) => Promise<void>): void;
  /** Another instance took over what this one owned, because it was silent for too long. The process ends after it. */
  onExpelled(end: () => Promise<void>): void;
  /** Resolves once those listeners are done, if this instance is ever expelled: the process has to end. */
  readonly expelled: Promise<void>;
  /** Says that this instance takes no new work. */
  drain(): Promise<void>;
  /** Leaves at once what it owned to the others. A second call does nothing. */
  close(): Promise<void>;
}

/** The one instance of a database with one process. */
export function createSingleInstance(self: Instance): Instances {
  return {
    self,
    list: () => [self],
    isLiving: (id) => id === self.id,
    onLost: () => undefined,
    onExpelled: () => undefined,
    expelled: new Promise(() => undefined),
    drain: async () => undefined,
    close: async () => undefined,
  };
}
