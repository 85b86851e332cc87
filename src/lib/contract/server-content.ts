import { z } from "zod";
import { skillChangeStatusSchema } from "./skill-change";

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

/** An Agent Skill of an MCP server. */
export const serverSkillSchema = z.object({
  uri: z.string().describe("The URI of its `SKILL.md`, which is read as a resource"),
  name: z.string(),
  description: z.string(),
  license: z.string().nullable(),
  compatibility: z.string().nullable(),
  files: z
    .array(z.object({ uri: z.string(), digest: z.string(), size: z.number() }))
    .nullable()
    .describe("Every file with its SHA-256 digest and bytes; null where the server generates them"),
  change: skillChangeStatusSchema
    .nullable()
    .describe(
      "What the server lists instead: it waits for a review, is rejected or withheld. Null where it lists this",
    ),
});
export type ServerSkill = z.infer<typeof serverSkillSchema>;

/** What a server answered with a resource or prompt, and the execution that recorded it. */
export const contentAnswerSchema = z.object({
  text: z.string().describe("The server's result as JSON text"),
  executionId: z.string(),
});
export type ContentAnswer = z.infer<typeof contentAnswerSchema>;
