import type { TrafficClass } from "../../../lib/contract/change-verdict";

/** Two entries of a server's list of one tool. `after` is undefined for a tool that is gone. */
export interface ChangedEntries {
  before: unknown;
  after: unknown;
}

export interface RecordedCall {
  argumentsText: string;
  /** The result's text; null where there is none, or where it is cut. */
  resultText: string | null;
  /** Whether its arguments were refused at the time of the call. */
  wasRefused: boolean;
}

export interface CheckedCall {
  class: TrafficClass;
  /** Set for a rejected call. */
  reasons: { reason: string; path: string }[];
  /** Arguments that it sent and the new schema does not describe. */
  ignored: string[];
  /** Fields that its caller received and the new schema does not promise; null where the result shows nothing. */
  fields: string[] | null;
}

/**
 * Checks a batch of recorded calls: null for a call that is accepted without a note, "undecidable" for a batch that
 * took too long.
 */
export type CheckCalls = (calls: RecordedCall[]) => Promise<(CheckedCall | null)[] | "undecidable">;

export interface TrafficChecker {
  prepare(entries: ChangedEntries): CheckCalls;
}
