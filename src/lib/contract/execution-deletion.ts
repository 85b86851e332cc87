import { z } from "zod";
import { executionCountSchema, executionFilterSchema } from "./execution";

/** The executions to delete: these, or all that match a filter. Running and waiting ones stay. */
export const deletionChoiceSchema = z.object({
  ids: z.array(z.string().max(100)).min(1).max(5_000).optional(),
  filter: executionFilterSchema.optional(),
  includePinned: z.boolean().default(false),
});
export type DeletionChoice = z.infer<typeof deletionChoiceSchema>;

export const deletionPreviewSchema = executionCountSchema.extend({
  keptPinned: z.number().int().describe("Pinned ones that match and stay"),
});
export type DeletionPreview = z.infer<typeof deletionPreviewSchema>;

export const deletedExecutionsSchema = z.object({
  deleted: z.number().int(),
  more: z.boolean().describe("More match: one request deletes a bounded number"),
  firstSeq: z.number().int().nullable(),
  lastSeq: z.number().int().nullable(),
  idsHash: z
    .string()
    .describe("SHA-256 of the deleted ids in the order of their deletion, each followed by a line break"),
});
export type DeletedExecutions = z.infer<typeof deletedExecutionsSchema>;
