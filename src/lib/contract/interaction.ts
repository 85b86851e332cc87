import { z } from "zod";
import type { JsonSchema } from "./json";

/** A request of an MCP server for user input during a call. Its text is untrusted. */
export type InteractionRequest =
  | { kind: "form"; message: string; schema: JsonSchema }
  | { kind: "url"; message: string; url: string }
  /** Asks for a model's response; `paramsText` is the whole request as JSON text. */
  | { kind: "sampling"; message: string; paramsText: string };

export interface PendingInteraction {
  id: string;
  server: string;
  /** The call that needs it; null if several could. */
  executionId: string | null;
  /** The run of that call. */
  runId: string | null;
  toolName: string | null;
  /** The calls of which one needs it, where several could. */
  candidates?: { executionId: string; toolName: string }[];
  askedAt: number;
  request: InteractionRequest;
  /** The id of the one person who sees and answers it; absent: everyone who may run tools. */
  person?: string;
}

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
