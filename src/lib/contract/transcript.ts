import { z } from "zod";

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

export const transcriptSegmentSchema = z.object({
  text: z.string().max(100_000),
  speaker: z.string().trim().min(1).max(100).nullish(),
  /** Milliseconds from the transcript's beginning. */
  atMs: z.number().min(0).nullish(),
});
export type TranscriptSegment = z.infer<typeof transcriptSegmentSchema>;
