import { z } from "zod";
import { actorSchema } from "./actor-schema";
import { toolApprovalSchema } from "./approval";
import { heldStatusSchema } from "./held-change";

/** Marks a tool that should no longer be used. Its calls still work. */
export const deprecationSchema = z.object({
  /** The tool to use instead, by its name in the catalog. */
  successor: z.string().nullable(),
  /** A note for users: why, and until when. */
  note: z.string().nullable(),
});
export type Deprecation = z.infer<typeof deprecationSchema>;

/** The facts of a tool of any origin. Whatever shows a tool carries them whole, without naming them. */
export const toolFactsSchema = z.object({
  approval: toolApprovalSchema,
  /** Null for a tool that is not deprecated. */
  deprecation: deprecationSchema.nullable(),
  /** The owner of the tool; null for none. */
  owner: actorSchema.nullable(),
  /** A change of the tool by its server waits, or is blocked: calls are refused. */
  held: heldStatusSchema.nullable(),
});
export type ToolFacts = z.infer<typeof toolFactsSchema>;

/** The facts that the marks of a tool read: short lists carry these. */
export const markedFactsSchema = toolFactsSchema.pick({ held: true, deprecation: true });
export type MarkedFacts = z.infer<typeof markedFactsSchema>;
