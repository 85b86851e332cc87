import { z } from "zod";
import type { JsonSchema } from "./json";

/** What an MCP server asks of a person while a call of its tool waits. Its text is the server's: untrusted. */
export type InteractionRequest =
  | { kind: "form"; message: string; schema: JsonSchema }
  | { kind: "url"; message: string; url: string }
  /** The server wants a model's answer; `paramsText` is the whole request as JSON text. */
  | { kind: "sampling"; message: string; paramsText: string };

export interface PendingInteraction {
  id: string;
  server: string;
  /** The call that waits for it; null where several could. */
  executionId: string | null;
  toolName: string | null;
  askedAt: number;
  request: InteractionRequest;
}

/** `accept` carries the form's values, or for sampling the answer's text; a URL needs nothing. */
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
