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
  /** Why the caller received the whole result; null where it received the projection. */
  fault: z.string().nullable(),
});
export type RecordedLens = z.infer<typeof recordedLensSchema>;

/** The part of one stored result that an expression would leave, as a model reads it. */
export const lensRowSchema = z.object({
  executionId: z.string(),
  /** Epoch milliseconds. */
  queuedAt: z.number(),
  beforeBytes: z.number().int(),
  afterBytes: z.number().int(),
  beforeTokens: z.number().int().describe("Estimated"),
  afterTokens: z.number().int(),
  fault: z.string().nullable().describe("Why the caller would get the whole; null where the expression works"),
});
export type LensRow = z.infer<typeof lensRowSchema>;

/** The data of one stored result, and the result of an expression on it. */
export const lensExampleSchema = z.object({
  before: z.string().describe("JSON text"),
  after: z.string().nullable().describe("JSON text; null where the expression fails"),
  fault: z.string().nullable(),
});
export type LensExample = z.infer<typeof lensExampleSchema>;

/** The results of a tool's lenses in its calls. */
export const lensFailuresSchema = z.object({
  count: z
    .number()
    .int()
    .describe("Calls whose caller got the whole result since the lens failed: at most 1,000 are counted"),
  latest: z.object({ executionId: z.string(), fault: z.string(), queuedAt: z.number() }).nullable(),
});
export type LensFailures = z.infer<typeof lensFailuresSchema>;
