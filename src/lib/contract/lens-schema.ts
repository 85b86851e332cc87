import { z } from "zod";
import { actorSchema } from "./actor-schema";

/** A JMESPath expression that reduces the results of a tool to what models and MCP clients receive. */
export const toolLensSchema = z.object({
  expression: z.string(),
  /** Epoch milliseconds. */
  updatedAt: z.number(),
  by: actorSchema,
});
export type ToolLens = z.infer<typeof toolLensSchema>;
/** The lens that was applied to the caller's result, as the execution records it. */
export const recordedLensSchema = z.object({
  expression: z.string(),
  /** Why the caller got the whole result instead; null where it got the projection. */
  fault: z.string().nullable(),
});
export type RecordedLens = z.infer<typeof recordedLensSchema>;
