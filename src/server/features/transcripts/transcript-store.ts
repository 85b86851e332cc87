import type {
  TranscriptQuery,
  TranscriptSegment,
  TranscriptSegmentInput,
  TranscriptSettings,
  TranscriptStatus,
} from "../../../lib/contract/transcript";
import type { BackgroundQuery } from "../../engine/agent/background-request";
import type { BackgroundTranscriberState } from "../../engine/agent/background-transcriber";

/** The search for queries, as it was after the segment `heardSeq`. Plain JSON. */
export interface TranscriptProgress {
  transcriber: BackgroundTranscriberState;
  heardSeq: number;
}

export interface TranscriptRecord {
  id: string;
  seq: number;
  status: TranscriptStatus;
  createdAt: number;
  closedAt: number | null;
  settings: TranscriptSettings;
  /** Null before the first search was stored. */
  progress: TranscriptProgress | null;
  segmentCount: number;
  characters: number;
  /** The copy of the server that searches it; null while none does. */
  owner: string | null;
}

export type CountedTranscript = TranscriptRecord & { queryCount: number };

export interface NewQuery extends Omit<BackgroundQuery, "context"> {
  askedAt: number;
}

export interface AddedSegments {
  segments: readonly TranscriptSegmentInput[];
  receivedAt: number;
  /** The most that the transcript may hold afterwards. */
  limits: { segments: number; characters: number };
}

export interface QueryOutcome {
  answer: string | null;
  /** Why no run could be started. */
  error: string | null;
  now: number;
}

export interface TranscriptStore {
  /** Newest first. */
  list(): Promise<CountedTranscript[]>;
  find(id: string): Promise<TranscriptRecord | null>;
  countOpen(): Promise<number>;
  countQueries(id: string): Promise<number>;
  /** Open ones, and others with unanswered queries, without those of other copies of the server that live. Oldest first. */
  unfinished(): Promise<Pick<TranscriptRecord, "id" | "owner">[]>;
  /** Makes this copy the owner. False where it has another owner than `owner` by now. */
  take(id: string, owner: string | null): Promise<boolean>;
  /** Leaves the transcripts of this copy to the others. */
  releaseAll(): Promise<void>;
  /** This copy owns it. */
  create(transcript: { id: string; createdAt: number; settings: TranscriptSettings }): Promise<TranscriptRecord>;
  /** Adds to an open transcript that has space for it. Returns the segments with their numbers, or null where nothing was written. */
  append(id: string, added: AddedSegments): Promise<TranscriptSegment[] | null>;
  /**
   * Queries and how far the search is, in one commit; with `closedAt` the transcript is closed in it. Rejects, and writes nothing, where
   * another copy owns it.
   */
  keep(id: string, progress: TranscriptProgress, queries: readonly NewQuery[], closedAt?: number): Promise<void>;
  /** Runs stay. */
  delete(id: string): Promise<void>;
  /** The newest `limit` up to `untilSeq`, oldest first. */
  segments(id: string, limit: number, untilSeq?: number): Promise<TranscriptSegment[]>;
  segmentsAfter(id: string, seq: number, limit: number): Promise<TranscriptSegment[]>;
  /** Oldest first. */
  queries(id: string): Promise<TranscriptQuery[]>;
  queryOfRun(runId: string): Promise<TranscriptQuery | null>;
  /** The queries that have no outcome yet, oldest first. */
  unanswered(id: string): Promise<TranscriptQuery[]>;
  /** In order of `answeredAt`. */
  answersAfter(id: string, answeredAt: number): Promise<TranscriptQuery[]>;
  /** Chooses the run that answers a query. False where it has another one, an outcome, or is gone. */
  claim(queryId: string, runId: string): Promise<boolean>;
  /**
   * Returns the transcript's id. Null, and nothing is written, where the query has this outcome or is gone: an answer is
   * final, a failure is followed by an answer only. `answeredAt` becomes `now`, or later: it grows with each outcome of the
   * transcript. With an `error` the query has no run any more.
   */
  setOutcome(queryId: string, outcome: QueryOutcome): Promise<string | null>;
}
