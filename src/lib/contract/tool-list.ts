import { z } from "zod";
import { toolSummarySchema } from "./catalog-tool";
import { toolFiguresSchema } from "./execution-figures";
import { lastEditSchema } from "./last-edit";
import { namedCursorSchema } from "./list-cursor";
import { toolOriginSchema } from "./tool-definition-schema";
import { markedFactsSchema } from "./tool-facts-schema";
import { APPROVAL_NEEDS, MAX_FILTER_CHARS, MAX_LISTED_TOOLS, TOOL_SORTS, TOOL_STATES } from "./tool-filter";

const text = z.string().max(MAX_FILTER_CHARS);

export const toolFilterSchema = z
  .strictObject({
    q: text.describe("Words in name, title, description, handler or tags"),
    type: text,
    origin: toolOriginSchema,
    server: text,
    tag: text,
    state: z.enum(TOOL_STATES),
    approval: z.enum(APPROVAL_NEEDS),
    names: z.array(text).max(MAX_LISTED_TOOLS).describe("Tools with these names"),
    offered: z.literal(true).describe("Tools that models may be offered"),
    favorites: z.literal(true),
    mine: z.literal(true),
    problems: z.literal(true),
  })
  .partial();
export type ToolFilter = z.infer<typeof toolFilterSchema>;

export const toolListInputSchema = z.object({
  filter: toolFilterSchema.default({}),
  sort: z.enum(TOOL_SORTS).optional(),
  figures: z.boolean().default(false).describe("With the figures of the last days"),
  cursor: namedCursorSchema,
  limit: z.number().int().min(1).max(MAX_LISTED_TOOLS).default(100),
  first: z
    .number()
    .int()
    .min(1)
    .max(MAX_LISTED_TOOLS)
    .optional()
    .describe("The size of the first page; default: `limit`"),
});

const listedToolSchema = toolSummarySchema.extend({
  figures: toolFiguresSchema
    .nullable()
    .describe("Null for a tool that was never called, and where they are not asked for"),
});
export type ListedTool = z.infer<typeof listedToolSchema>;

/** One page of the catalog as lists show it. */
export const toolPageSchema = z.object({
  items: z.array(listedToolSchema),
  nextCursor: z.string().nullable(),
  matching: z.number().int().describe("The tools that the filter selects"),
  total: z.number().int().describe("All tools of the catalog"),
});
export type ToolPage = z.infer<typeof toolPageSchema>;

/** The values by which the catalog can be filtered. */
export const toolFacetsSchema = z.object({
  types: z.array(z.string()),
  servers: z.array(z.string()),
  tags: z.array(z.string()),
});
export type ToolFacets = z.infer<typeof toolFacetsSchema>;

/** What the choice of tools knows of each: the whole catalog is sent, so a row has nothing else. */
export const namedToolSchema = z.object({
  name: z.string(),
  server: z.string().nullable(),
  enabled: z.literal(false).optional().describe("Absent: it is enabled"),
  appOnly: z.literal(true).optional().describe("Models are not offered it"),
});
export type NamedTool = z.infer<typeof namedToolSchema>;

/** A search while a user types. */
export const suggestInputSchema = z.object({
  search: text.default(""),
  limit: z.number().int().min(1).max(50).default(12),
});

/** A tool that a search finds, as the command palette and fields with proposals show it. */
export const suggestedToolSchema = toolSummarySchema
  .pick({ name: true, title: true, description: true, tags: true, enabled: true })
  .extend(markedFactsSchema.shape);
export type SuggestedTool = z.infer<typeof suggestedToolSchema>;

/** The facts about the catalog for Overview. */
export const catalogOverviewSchema = z.object({
  sampleTool: z.string().nullable().describe("A tool to begin with; null where none is enabled"),
  edited: z.array(z.object({ name: z.string(), lastEdit: lastEditSchema })).describe("The tools edited last"),
});
export type CatalogOverview = z.infer<typeof catalogOverviewSchema>;

/** The enabled tools that require approval, or not, for the same reason. */
export const approvalGroupSchema = toolSummarySchema.shape.approval.extend({
  server: z.string().nullable().describe("The server whose policy decides; null where that is not the reason"),
  names: z.array(z.string()).describe("The first of them; all where the setting names an approver"),
  count: z.number().int(),
});
export type ApprovalGroup = z.infer<typeof approvalGroupSchema>;
