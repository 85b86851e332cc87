import { z } from "zod";

/** The last edit of a tool, toolset, server or model provider of the console. */
export const lastEditSchema = z.object({
  /** Counts edits. A request that names an older one is refused. */
  revision: z.number().int(),
  /** The name of the user; null where it is not known. */
  by: z.string().nullable(),
  /** Epoch milliseconds. */
  at: z.number(),
});
export type LastEdit = z.infer<typeof lastEditSchema>;
