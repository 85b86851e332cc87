import { z } from "zod";
import type { RunStatus } from "./run";

export const transcriptSettingsSchema = z.object({
  title: z.string().trim().min(1).max(200),
  /** How the assistant is addressed; case and punctuation do not matter. */
  wakePhrases: z.array(z.string().trim().min(2).max(100)).min(1).max(20).default(["hey toolroom", "ok toolroom"]),
  provider: z.string().min(1).max(100),
  model: z.string().min(1).max(200),
  instructions: z.string().max(200_000).default(""),
  /** Milliseconds of silence that end a query. */
  silenceMs: z.number().int().min(200).max(60_000).default(1500),
});
export type TranscriptSettings = z.infer<typeof transcriptSettingsSchema>;
export type TranscriptSettingsInput = z.input<typeof transcriptSettingsSchema>;

export const transcriptSegmentInputSchema = z.object({
  text: z.string().max(100_000),
  speaker: z.string().trim().min(1).max(100).nullish(),
  /** Milliseconds from the transcript's beginning. */
  atMs: z.number().min(0).nullish(),
});
export type TranscriptSegmentInput = z.infer<typeof transcriptSegmentInputSchema>;

export interface TranscriptSegment {
  seq: number;
  text: string;
  speaker: string | null;
  atMs: number | null;
  /** Epoch milliseconds. */
  receivedAt: number;
}

export type TranscriptStatus = "open" | "closed";

export interface TranscriptSummary {
  id: string;
  seq: number;
  title: string;
  status: TranscriptStatus;
  createdAt: number;
  closedAt: number | null;
  segmentCount: number;
  queryCount: number;
}

export interface TranscriptQuery {
  id: string;
  /** Without the wake phrase. */
  text: string;
  wakePhrase: string;
  speaker: string | null;
  /** The first and last segment it was found in. */
  fromSeq: number;
  toSeq: number;
  runId: string | null;
  runStatus: RunStatus | null;
  /** Null without an answer. */
  answer: string | null;
  /** Why there is no answer. */
  error: string | null;
  askedAt: number;
  /** When it was answered or failed. */
  answeredAt: number | null;
}

export interface TranscriptDetail extends TranscriptSummary {
  settings: TranscriptSettings;
  /** The newest 1,000, oldest first. */
  segments: TranscriptSegment[];
  /** Oldest first. */
  queries: TranscriptQuery[];
}
