/** The right to work on something alone, for a limited time. */
export interface Lease {
  /** Grows with every owner. A write that carries it can be refused once another owner took over. */
  readonly fence: number;
  /** Aborts when the lease is lost: stop writing. */
  readonly signal: AbortSignal;
  /** Lets others have it at once. A second call does nothing. */
  release(): Promise<void>;
}

/**
 * Leases by key, across all copies of the server. A held lease is renewed in the background. It is lost when another copy
 * took it over, or when two thirds of `leaseMs` passed without a renewal.
 */
export interface Locks {
  /** Null where another holder, in this copy or another one, has it. The lease of a copy that ended is free at once. */
  acquire(key: string, leaseMs: number): Promise<Lease | null>;
  /** Releases everything that this copy holds. */
  close(): Promise<void>;
}
