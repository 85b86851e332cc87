import { z } from "zod";
import type { RunStatus } from "./run";

/** Where a transcript's text comes from. There is no audio here: something else has to write down what was said. */
export const transcriptSourceSchema = z.discriminatedUnion("kind", [
  /** Segments are sent over the API or the WebSocket. */
  z.object({ kind: z.literal("push") }),
  /** A file that something appends lines to, below the folders that are allowed. */
  z.object({ kind: z.literal("file"), path: z.string().trim().min(1).max(4000) }),
]);
export type TranscriptSource = z.infer<typeof transcriptSourceSchema>;

export const transcriptSettingsSchema = z.object({
  title: z.string().trim().min(1).max(200),
  source: transcriptSourceSchema.default({ kind: "push" }),
  /** How the assistant is addressed; case and punctuation do not matter. */
  wakePhrases: z.array(z.string().trim().min(2).max(100)).min(1).max(20).default(["hey toolroom", "ok toolroom"]),
  provider: z.string().min(1).max(100),
  model: z.string().min(1).max(200),
  instructions: z.string().max(200_000).default(""),
  /** A query is over after this much silence, in milliseconds. */
  silenceMs: z.number().int().min(200).max(60_000).default(1500),
  /** Told of every answer by POST; http or https. */
  webhookUrl: z
    .url({ protocol: /^https?$/, error: "must be an http or https address" })
    .max(2000)
    .nullish(),
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

export type TranscriptStatus = "open" | "closed" | "failed";

export interface TranscriptSummary {
  id: string;
  seq: number;
  title: string;
  status: TranscriptStatus;
  /** Why a file is no longer watched. */
  error: string | null;
  sourceKind: TranscriptSource["kind"];
  createdAt: number;
  closedAt: number | null;
  segmentCount: number;
  queryCount: number;
}

/** A query that was found in a transcript, and its answer. */
export interface TranscriptQuery {
  id: string;
  /** What was asked, without the wake phrase. */
  text: string;
  wakePhrase: string;
  speaker: string | null;
  /** The first and last segment it was found in. */
  fromSeq: number;
  toSeq: number;
  runId: string | null;
  runStatus: RunStatus | null;
  /** Null until it came, and where none came. */
  answer: string | null;
  /** Why there is no answer. */
  error: string | null;
  askedAt: number;
  /** When it was answered, or it was clear that it would not be. */
  answeredAt: number | null;
  webhook: { state: "none" | "pending" | "delivered" | "failed"; attempts: number; error: string | null };
}

export interface TranscriptDetail extends TranscriptSummary {
  settings: TranscriptSettings;
  /** The newest 1,000, oldest first. */
  segments: TranscriptSegment[];
  /** Oldest first. */
  queries: TranscriptQuery[];
  /** The address that segments are sent to: path only. */
  webSocketPath: string;
}
