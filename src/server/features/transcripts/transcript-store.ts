import type { TranscriptSettings } from "../../../lib/contract/transcript";
import type { BackgroundTranscriberState } from "../../engine/agent/background-transcriber";

/** The state of the search for queries. */
export interface TranscriptProgress {
  transcriber: BackgroundTranscriberState;
  /** The last segment that was searched. */
  heardSeq: number;
}

export interface TranscriptRecord {
  id: string;
  /** Earlier versions could close a transcript. */
  isClosed: boolean;
  settings: TranscriptSettings;
  /** Null before the first segment. */
  progress: TranscriptProgress | null;
  /** Grows with each change of the progress. */
  version: number;
}

export interface TranscriptStore {
  create(transcript: { id: string; createdAt: number; settings: TranscriptSettings }): Promise<void>;
  find(id: string): Promise<TranscriptRecord | null>;
  /** False where the progress has another version by now: another instance changed it. */
  keep(id: string, version: number, progress: TranscriptProgress): Promise<boolean>;
}
