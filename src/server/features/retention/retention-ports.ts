/** A stored run as retention sees it. */
export interface KeptRun {
  seq: number;
  id: string;
  source: string;
  startedAt: number;
  /** Running, waiting, or with a pinned call or one that has not ended. */
  isHeld: boolean;
  /** A rerun or a replay of one of its calls names it. */
  isNamed: boolean;
}

export interface KeptRuns {
  below(seq: number, limit: number): Promise<KeptRun[]>;
  /** Bytes of its events and calls. */
  measure(id: string): Promise<number>;
  callIds(id: string): Promise<string[]>;
  /** Deletes a run without calls that nothing names, then its events. @returns false where it stays */
  delete(id: string): Promise<boolean>;
  /** Deletes events of runs that are gone: a deletion was cut short. */
  deleteLeftovers(): Promise<void>;
}
