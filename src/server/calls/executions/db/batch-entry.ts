import type { ExecutionEnd, ExecutionProceeding, ExecutionStart } from "../../../engine/ports";

export type EntryKind = "begin" | "proceed" | "finish" | "record";

/** One row's write. */
export interface BatchEntry {
  kind: EntryKind;
  start: ExecutionStart;
  /** Null for `begin` and `proceed`. */
  end: ExecutionEnd | null;
  /** For `proceed` only. */
  proceeding: ExecutionProceeding | null;
  /** Set by the commit: the row; 0 where a call no longer waited, or its row is not known. */
  seq: number;
  /** Set by the commit: what was wrong with this one row. */
  failure: unknown;
}

/**
 * Writes a batch. Rejects when nothing was kept; a row that alone was refused has its `failure` set.
 * @param take gives the batch, at the last moment
 * @param atOnce the batch is one row that nothing else will join
 */
export type CommitBatch = (take: () => BatchEntry[], atOnce: boolean) => Promise<void>;

/** The end of a call writes the arguments once more, since they stand in the same row. */
export const countChars = ({ start, end }: BatchEntry): number =>
  start.argumentsText.length + (end?.resultText?.length ?? 0);
