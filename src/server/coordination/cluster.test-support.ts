import type { Coordination } from "./coordination";

export interface TestCopyOptions {
  /** How far this copy's clock is ahead. */
  clockAheadMs?: number;
  claimLimitMs?: number;
}

export interface TestCopy extends Coordination {
  /** Ends it without a word, as a kill would. */
  crash(): Promise<void>;
}

/** A database that copies of the server share; each copy has a connection of its own. */
export interface TestCluster {
  /** Joined, not started. */
  openCopy(options?: TestCopyOptions): Promise<TestCopy>;
  /** Makes a call that this copy runs, as the database shows it. */
  addCall(copy: TestCopy): Promise<string>;
  close(): Promise<void>;
}

export type OpenCluster = () => Promise<TestCluster>;
