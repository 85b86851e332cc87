import { z } from "zod";

/** A resource of an MCP server, or a template of resources. */
export const serverResourceSchema = z.object({
  uri: z.string().describe("Of a template with `{placeholders}`"),
  name: z.string(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  mimeType: z.string().nullable(),
  size: z.number().nullable(),
  template: z.boolean(),
});
export type ServerResource = z.infer<typeof serverResourceSchema>;

export const serverPromptSchema = z.object({
  name: z.string(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  arguments: z.array(z.object({ name: z.string(), description: z.string().nullable(), required: z.boolean() })),
});
export type ServerPrompt = z.infer<typeof serverPromptSchema>;

/** What a server answered with a resource or prompt, and the execution that recorded it. */
export const contentAnswerSchema = z.object({
  text: z.string().describe("The server's result as JSON text"),
  executionId: z.string(),
});
export type ContentAnswer = z.infer<typeof contentAnswerSchema>;
