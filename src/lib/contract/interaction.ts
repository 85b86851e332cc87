import { z } from "zod";

/** A request of an MCP server for user input during a call. Its text is untrusted. */
const interactionRequestSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("form"), message: z.string(), schema: z.record(z.string(), z.unknown()) }),
  z.object({ kind: z.literal("url"), message: z.string(), url: z.string() }),
  z.object({
    kind: z.literal("sampling"),
    message: z.string(),
    paramsText: z.string().describe("The whole request for a model's response as JSON text"),
  }),
]);
export type InteractionRequest = z.infer<typeof interactionRequestSchema>;

export const pendingInteractionSchema = z.object({
  id: z.string(),
  server: z.string(),
  executionId: z.string().nullable().describe("The call that needs it; null if several could"),
  runId: z.string().nullable().describe("The run of that call"),
  toolName: z.string().nullable(),
  candidates: z
    .array(z.object({ executionId: z.string(), toolName: z.string() }))
    .optional()
    .describe("The calls of which one needs it, where several could"),
  askedAt: z.number(),
  request: interactionRequestSchema,
  person: z
    .string()
    .optional()
    .describe("The id of the one user who sees and answers it; absent: everyone who may run tools"),
});
export type PendingInteraction = z.infer<typeof pendingInteractionSchema>;

/** `accept` holds the form's values, or for sampling the response text; a URL needs neither. */
export const interactionAnswerSchema = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("accept"),
    content: z.record(z.string(), z.unknown()).optional(),
    text: z.string().max(1_000_000).optional(),
    model: z.string().max(200).optional(),
  }),
  z.object({ action: z.literal("decline") }),
  z.object({ action: z.literal("cancel") }),
]);
export type InteractionAnswer = z.infer<typeof interactionAnswerSchema>;
