import type { TranscriptSettings, TranscriptStatus } from "../../../lib/contract";
import type { BackgroundTranscriberState } from "../../engine/background-transcriber";

/** Where a watched file was read up to: whole lines only. Plain JSON. */
export interface FilePosition {
  /** Device and number of the file; another one under the same name is another file. */
  file: string;
  /** Bytes. */
  offset: number;
  /** How it begins, in base64: a file that was written anew has another beginning. */
  head: string;
}

/** What of a transcript has to outlive the process, beside its segments and queries. Plain JSON. */
export interface TranscriptProgress {
  file: FilePosition | null;
  /** The search for queries, as it was after the segment `heardSeq`. */
  transcriber: BackgroundTranscriberState | null;
  heardSeq: number;
  /** Characters of all segments. */
  characters: number;
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
}
