import { z } from "zod";

/** That a tool should not be used any more. Its calls still work. */
export const deprecationSchema = z.object({
  /** The tool to use instead, by its name in the catalog. */
  successor: z.string().nullable(),
  /** For people: why, and until when. */
  note: z.string().nullable(),
});
export type Deprecation = z.infer<typeof deprecationSchema>;
