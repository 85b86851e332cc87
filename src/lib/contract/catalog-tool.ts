import { z } from "zod";
import { heldChangeSchema } from "./held-change";
import type { JsonSchema } from "./json";
import { lastEditSchema } from "./last-edit";
import { toolLensSchema } from "./lens-schema";
import { schemaNoteSchema } from "./schema-note";
import { toolAnnotationsSchema, toolDefinitionSchema, toolOriginSchema } from "./tool-definition-schema";
import { toolFactsSchema } from "./tool-facts-schema";

/** A problem of a tool's definition that makes it harder to use for models. */
const qualityNoteSchema = z.object({
  code: z.enum([
    "handler_missing",
    "description_short",
    "name_not_portable",
    "parameter_undescribed",
    "schema_unsupported_by_form",
    "schema_not_checked",
    "successor_missing",
  ]),
  severity: z.enum(["warning", "info"]),
  message: z.string(),
});
export type QualityNote = z.infer<typeof qualityNoteSchema>;

export const toolSummarySchema = z.object({
  name: z.string(),
  title: z.string().nullable(),
  description: z.string(),
  /** That of the definition, or `openapi` for an operation of an API. */
  implementationType: z.string(),
  handler: z.string().nullable(),
  /** The MCP server it runs on; null for local tools. */
  server: z.string().nullable(),
  origin: toolOriginSchema,
  /** The configuration file for `config`, null otherwise. */
  originPath: z.string().nullable(),
  enabled: z.boolean(),
  tags: z.array(z.string()),
  /** Models are not offered it: its server keeps it for Apps. */
  appOnly: z.literal(true).optional(),
  annotations: toolAnnotationsSchema.omit({ title: true }),
  parameterCount: z.number().int(),
  requiredCount: z.number().int(),
  quality: z.array(qualityNoteSchema),
  updatedAt: z.number().nullable(),
  ...toolFactsSchema.shape,
  /** Absent for tools that are not edited here. */
  lastEdit: lastEditSchema.optional(),
});
export type ToolSummary = z.infer<typeof toolSummarySchema>;

export const toolDetailSchema = toolSummarySchema.extend({
  definition: toolDefinitionSchema,
  /** Content hash of the definition: executions point at it. */
  definitionHash: z.string(),
  timeoutMs: z.number(),
  /** Keywords of the parameters' schema that are not checked as written. */
  schemaNotes: z.array(schemaNoteSchema),
  /** False for tools from configuration or code. */
  editable: z.boolean(),
  /** The expression that reduces its results for models and MCP clients; null where they get them whole. */
  lens: toolLensSchema.nullable(),
  /** The change that needs approval; null for none. */
  heldChange: heldChangeSchema.nullable(),
});
export type ToolDetail = z.infer<typeof toolDetailSchema>;

/** The handlers that a tool can name, sorted, and the arguments of those that say what they read. */
export interface HandlerCatalog {
  builtin: string[];
  internal: string[];
  parameters: Record<"builtin" | "internal", { name: string; parameters: JsonSchema }[]>;
}

export const damagedKindSchema = z.enum(["model provider", "server", "tool", "toolset"]);
export type DamagedKind = z.infer<typeof damagedKindSchema>;

/** A load problem: of a tool, a module of handlers, or a row of the database that cannot be read. */
export const loadProblemSchema = z.object({
  origin: z.enum([...toolOriginSchema.options, "handlers", "database"]),
  source: z.string(),
  name: z.string().nullable(),
  error: z.string(),
  /** A stored row that cannot be read, of a kind that an admin can delete. */
  damaged: damagedKindSchema.optional().describe("The kind of a stored row that an admin can delete"),
});
export type LoadProblem = z.infer<typeof loadProblemSchema>;
