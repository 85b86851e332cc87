import { z } from "zod";
import { actorSchema } from "./actor-schema";

export const suiteRunStatusSchema = z
  .enum(["running", "passed", "failed", "finished", "cancelled", "interrupted"])
  .describe(
    "Tests end as `passed` or `failed`; evals as `finished`, since their outcome is a rate, or `failed` with `error`",
  );
export type SuiteRunStatus = z.infer<typeof suiteRunStatusSchema>;

/** The common facts of runs of tests, evals and replays. Times are epoch milliseconds. */
export const suiteRunFactsSchema = z.object({
  seq: z.number().int(),
  id: z.string(),
  name: z.string().describe("The suite's name when it ran; of a replay, a description of its calls"),
  status: suiteRunStatusSchema,
  trigger: z.enum(["manual", "schedule", "api"]),
  actor: actorSchema.nullable().describe("Null for runs of evals by earlier versions"),
  startedAt: z.number(),
  finishedAt: z.number().nullable(),
  total: z.number().int(),
  passed: z.number().int(),
  error: z.string().nullable().describe("Why the run as a whole did not begin or end as it should"),
});
