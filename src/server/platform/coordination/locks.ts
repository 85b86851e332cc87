/** The right to work on something alone, for a limited time. */
export interface Lease {
  /** Grows with every owner. A write that carries it can be refused once another owner took over. */
  readonly fence: number;
  /** Aborts when the lease ends: stop writing. */
  readonly signal: AbortSignal;
  /** Releases the lease at once. A second call does nothing. */
  release(): Promise<void>;
}

/** Exclusive leases by key. */
export interface Locks {
  /**
   * Null where another holder has it.
   * @param leaseMs how long the lease outlives a holder that died without a word; a holder that lives keeps it
   */
  acquire(key: string, leaseMs: number): Promise<Lease | null>;
  /** Releases every lease. */
  close(): Promise<void>;
}
