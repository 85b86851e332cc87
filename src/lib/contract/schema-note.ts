import { z } from "zod";

/** A keyword of a tool's schema that is not checked as written. The tool can still be called. */
export const schemaNoteSchema = z.object({
  /** JSON pointer of the keyword in the schema. */
  pointer: z.string(),
  keyword: z.string(),
  /** A message for users: names the keyword, its location and the reason. */
  message: z.string(),
});
export type SchemaNote = z.infer<typeof schemaNoteSchema>;
