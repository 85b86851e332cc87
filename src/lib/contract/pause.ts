import { z } from "zod";

const PAUSE_REASONS = ["restored", "copied"] as const;

/**
 * The reason why the server starts no work of its own: its database is a copy, and the original may still be in use.
 */
export const pauseSchema = z.object({
  reason: z.enum(PAUSE_REASONS).describe("Restored from a copy, or another database of PostgreSQL than before"),
  at: z.number().describe("When it was restored, or noticed"),
  source: z.string().nullable().describe("The name of the copy, where it is known"),
});
export type Pause = z.infer<typeof pauseSchema>;
