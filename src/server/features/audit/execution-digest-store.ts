import type { ChainHead } from "./audit-store";
import type { ExecutionDigest, StoredExecution } from "./execution-digest";

export type NewDigest = Pick<ExecutionDigest, "kind" | "at" | "actor" | "toSeq" | "open" | "marks">;

/** A definition that executions ran, by its content hash. */
export interface StoredDefinition {
  hash: string;
  toolName: string;
  json: string;
}

export interface ExecutionDigestStore {
  /** Reads the newest digest; null where there is none. */
  newest(): Promise<ExecutionDigest | null>;
  /** The newest execution that was queued before a time; 0 for none. */
  lastQueuedBefore(time: number): Promise<number>;
  /** Reads the existing rows of these executions, in any order. */
  read(seqs: readonly number[]): Promise<StoredExecution[]>;
  /** The next executions after `seq`, up to `toSeq`, oldest first. */
  readNext(seq: number, toSeq: number, limit: number): Promise<StoredExecution[]>;
  /**
   * Chains and stores the digest where `follows` is still the newest one.
   * @returns whether it did; another digest was first where not
   */
  append(follows: number, digest: NewDigest): Promise<boolean>;
  /** Oldest first, with the sealed end as of the same moment. */
  readAfter(seq: number): Promise<{ digest: ExecutionDigest | null; head: ChainHead | null }>;
  /** The numbers of the executions after `from`, up to `to`. */
  numbersBetween(from: number, to: number): Promise<number[]>;
  countAfter(seq: number): Promise<number>;
  /** Executions after `seq` that claim to be queued before a time. */
  listBackdated(seq: number, before: number, limit: number): Promise<{ id: string }[]>;
  /** Reads definitions in the order of their hashes. */
  nextDefinitions(after: string, limit: number): Promise<StoredDefinition[]>;
  /** Counts executions whose definition is missing. */
  countUndefined(): Promise<number>;
}
