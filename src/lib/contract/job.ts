import { z } from "zod";

/** A job that failed and is retried, or whose last run failed. */
const jobFailureSchema = z.object({
  key: z.string(),
  at: z.number(),
  attempts: z.number().int().describe("In a row, this one included"),
  error: z.string(),
  retryAt: z.number().nullable().describe("Null once it is given up"),
});
export type JobFailure = z.infer<typeof jobFailureSchema>;

export const jobQueueSchema = z.object({
  kind: z.string(),
  everyMs: z.number().nullable().describe("How often it repeats; null for jobs that are ordered"),
  waiting: z.number().int(),
  running: z.number().int(),
  nextRunAt: z.number().nullable(),
  lastRunAt: z.number().nullable().describe("When the last one ended"),
  lastMs: z.number().nullable(),
  succeeded: z.number().int().describe("Since the start; with PostgreSQL at all copies in the last 24 hours"),
  failed: z.number().int(),
  failures: z.array(jobFailureSchema).describe("Jobs whose last run failed, newest first; at most 20"),
});
export type JobQueue = z.infer<typeof jobQueueSchema>;
