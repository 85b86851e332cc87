import { z } from "zod";

/** One problem of a request. */
export const problemSchema = z.object({
  /** Dotted path within what is checked, `prices[0].model`; empty for the whole. */
  path: z.string(),
  /** Reads on after the path, `must be a number`; a sentence of its own where the path is empty. */
  message: z.string(),
});
export type Problem = z.infer<typeof problemSchema>;
