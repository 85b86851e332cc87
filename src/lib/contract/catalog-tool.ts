import { z } from "zod";
import { approvalModeSchema } from "./approval";
import { heldChangeSchema } from "./held-change";
import { lastEditSchema } from "./last-edit";
import { toolLensSchema } from "./lens-schema";
import { problemSchema } from "./problem-schema";
import { schemaNoteSchema } from "./schema-note";
import { TOOL_FORMATS } from "./tool-definition";
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
  /** The type in the definition, or `openapi` for an operation of an API. */
  implementationType: z.string(),
  handler: z.string().nullable(),
  /** The MCP server it runs on; null for local tools. */
  server: z.string().nullable(),
  origin: toolOriginSchema,
  /** The configuration file for `config`, null otherwise. */
  originPath: z.string().nullable(),
  enabled: z.boolean(),
  tags: z.array(z.string()),
  /** Whether it is hidden from models, because its server keeps it for Apps. */
  appOnly: z.literal(true).optional(),
  annotations: toolAnnotationsSchema.omit({ title: true }),
  /** Changes with the icons of the tool; absent where it has none. */
  icon: z.string().optional(),
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

const handlerParametersSchema = z.array(z.object({ name: z.string(), parameters: z.record(z.string(), z.unknown()) }));

/** The handlers that a tool can name, sorted, and the arguments of those that say what they read. */
export const handlerCatalogSchema = z.object({
  builtin: z.array(z.string()),
  internal: z.array(z.string()),
  parameters: z.object({ builtin: handlerParametersSchema, internal: handlerParametersSchema }),
});
export type HandlerCatalog = z.infer<typeof handlerCatalogSchema>;

/** The result of checking a definition while it is being written. */
export const draftCheckSchema = z.object({
  problems: z.array(problemSchema),
  quality: z.array(qualityNoteSchema).describe("Empty where there are problems"),
  keptApproval: approvalModeSchema
    .nullable()
    .describe("The approval mode that the name carries without a tool, and that the tool will have"),
});
export type DraftCheck = z.infer<typeof draftCheckSchema>;

/** A tool as one model provider, or an MCP client, is sent it. */
export const providerTextSchema = z.object({
  format: z.enum(TOOL_FORMATS),
  text: z.string().describe("JSON text of the tool alone"),
  bodyText: z
    .string()
    .describe(
      "JSON text of the request in which a model provider gets it, or of the response in which an MCP client does",
    ),
  notes: z.array(z.string()).describe("What is lost on the way"),
});
export type ProviderText = z.infer<typeof providerTextSchema>;

export const damagedKindSchema = z.enum(["model provider", "server", "tool", "toolset", "rule", "rule case"]);
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

/** Definitions that could not be loaded, for pages. */
export const loadProblemsSchema = z.object({
  items: z.array(loadProblemSchema).describe("The first of them"),
  count: z.number().int().describe("All of them"),
});
export type LoadProblems = z.infer<typeof loadProblemsSchema>;
