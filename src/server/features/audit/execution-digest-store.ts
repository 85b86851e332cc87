import type { ChainHead } from "./audit-store";
import type { ExecutionDigest, StoredExecution } from "./execution-digest";

export type NewDigest = Pick<ExecutionDigest, "kind" | "at" | "actor" | "toSeq" | "open" | "marks">;

export interface ExecutionDigestStore {
  /** The newest digest; null where there is none. */
  newest(): ExecutionDigest | null;
  /** The newest execution that was queued before a time; 0 for none. */
  lastQueuedBefore(time: number): number;
  read(seq: number): StoredExecution | null;
  /** The next execution after `seq`, up to `toSeq`. */
  readNext(seq: number, toSeq: number): StoredExecution | null;
  /**
   * Chains and stores the digest where `follows` is still the newest one.
   * @returns whether it did; another digest was first where not
   */
  append(follows: number, digest: NewDigest): Promise<boolean>;
  /** Names executions that are deleted in the same transaction, which the caller has open. */
  recordDeleted(seqs: readonly number[], actor: string, at: number): void;
  /** Oldest first, with the sealed end as of the same moment. */
  readAfter(seq: number): { digest: ExecutionDigest | null; head: ChainHead | null };
  /** The numbers of the executions after `from`, up to `to`. */
  numbersBetween(from: number, to: number): number[];
  countAfter(seq: number): number;
}
