import type {
  TranscriptQuery,
  TranscriptSegment,
  TranscriptSegmentInput,
  TranscriptSettings,
  TranscriptStatus,
} from "../../../lib/contract";
import type { BackgroundQuery } from "../../engine/agent/background-request";
import type { CountedTranscript, TranscriptProgress, TranscriptRecord } from "./transcript-record";

export interface StoredQuery extends TranscriptQuery {
  transcriptId: string;
}

export interface NewQuery extends Omit<BackgroundQuery, "context"> {
  askedAt: number;
}

/** What the listening process has reached. */
export interface ListenerState {
  /** Of its lease. Its writes are refused once another process has adopted the transcript. */
  fence: number;
  progress: TranscriptProgress;
}

export interface AddedSegments {
  segments: readonly TranscriptSegmentInput[];
  receivedAt: number;
  /** The most that the transcript may hold afterwards. */
  limits: { segments: number; characters: number };
  listener?: ListenerState | undefined;
}

export interface TranscriptEnd {
  status: Exclude<TranscriptStatus, "open">;
  error: string | null;
  closedAt: number;
}

export interface TranscriptStore {
  /** Newest first. */
  list(): Promise<CountedTranscript[]>;
  find(id: string): Promise<TranscriptRecord | null>;
  /**
   * The whole address of its webhook, of which `settings` may name the host only; null where there is none.
   * @throws Error where it cannot be decrypted
   */
  webhookUrl(id: string): Promise<string | null>;
  countOpen(): Promise<number>;
  countQueries(id: string): Promise<number>;
  /** Those that a process has to listen to or to answer: open ones, and others with unanswered queries. Oldest first. */
  unfinished(): Promise<Pick<TranscriptRecord, "id" | "status">[]>;
  create(transcript: { id: string; createdAt: number; settings: TranscriptSettings }): Promise<TranscriptRecord>;
  /** Refuses the writes of earlier listeners from now on. Null where the transcript is gone or a later one adopted it. */
  adopt(id: string, fence: number): Promise<TranscriptRecord | null>;
  /** Of an open one: why its file cannot be read now. */
  setTrouble(id: string, fence: number, error: string | null): Promise<void>;
  /**
   * Adds to an open transcript that has space for it, from any process; with `listener`, in one commit with its state.
   * Returns the segments with their numbers, or null where nothing was written.
   */
  append(id: string, added: AddedSegments): Promise<TranscriptSegment[] | null>;
  /**
   * Queries and the listener's state, in one commit; with `end` the transcript ends in it, unless there are segments that
   * were not searched yet. False where nothing was written.
   */
  keep(id: string, listener: ListenerState, queries: readonly NewQuery[], end?: TranscriptEnd): Promise<boolean>;
  /** Settles a query that could not be asked, in one commit with the listener's state. False where nothing was written. */
  refuse(id: string, listener: ListenerState, queryId: string, now: number): Promise<boolean>;
  /** Runs stay. */
  delete(id: string): Promise<void>;
  /** The newest `limit` up to `untilSeq`, oldest first. */
  segments(id: string, limit: number, untilSeq?: number): Promise<TranscriptSegment[]>;
  segmentsAfter(id: string, seq: number, limit: number): Promise<TranscriptSegment[]>;
  /** Oldest first. */
  queries(id: string): Promise<TranscriptQuery[]>;
  findQuery(id: string): Promise<StoredQuery | null>;
  queryOfRun(runId: string): Promise<StoredQuery | null>;
  /** Those that have no outcome yet, oldest first. */
  unanswered(id: string): Promise<StoredQuery[]>;
  /** In order of `answeredAt`. */
  answersAfter(id: string, answeredAt: number): Promise<TranscriptQuery[]>;
  undelivered(): Promise<StoredQuery[]>;
  /** Chooses the run that answers a query. False where it has another one, an outcome, or is gone. */
  claim(queryId: string, runId: string): Promise<boolean>;
  /**
   * Compare-and-set: an answer is final, a null is replaced by an answer only. False where the query has this outcome or is
   * gone. `answeredAt` becomes `now`, or later: it grows with each outcome of the transcript, in the order of the commits.
   */
  setOutcome(queryId: string, answer: string | null, now: number): Promise<boolean>;
  setWebhook(queryId: string, webhook: TranscriptQuery["webhook"]): Promise<void>;
}
