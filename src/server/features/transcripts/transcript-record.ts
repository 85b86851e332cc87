import type { TranscriptSettings, TranscriptStatus } from "../../../lib/contract";
import type { BackgroundTranscriberState } from "../../engine/agent/background-transcriber";

/** Where a watched file was read up to: whole lines only. Plain JSON. */
export interface FilePosition {
  /** Device and number of the file; another one under the same name is another file. */
  file: string;
  /** Bytes. */
  offset: number;
  /** The first bytes in base64: a file that was rewritten begins with others. */
  head: string;
}

/** What of a transcript has to outlive the process, beside its segments and queries. Plain JSON. */
export interface TranscriptProgress {
  file: FilePosition | null;
  /** The search for queries, as it was after the segment `heardSeq`. */
  transcriber: BackgroundTranscriberState | null;
  heardSeq: number;
  /** Why queries could not even be asked, by their id; the newest 100. */
  faults: Record<string, string>;
}

export interface TranscriptRecord {
  id: string;
  seq: number;
  status: TranscriptStatus;
  error: string | null;
  createdAt: number;
  closedAt: number | null;
  settings: TranscriptSettings;
  progress: TranscriptProgress;
  segmentCount: number;
  characters: number;
}

export type CountedTranscript = TranscriptRecord & { queryCount: number };
