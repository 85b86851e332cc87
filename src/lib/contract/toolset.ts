import { z } from "zod";
import { clientHintsSchema } from "./client-hints";
import { isPlainObject } from "./json";
import { lastEditSchema } from "./last-edit";
import { MAX_LENS_CHARS } from "./lens";
import { problemSchema } from "./problem-schema";
import { PROVIDERS, TOOL_NAME_PATTERN } from "./tool-definition";

const TOOLSET_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const toolName = z.string().min(1).max(128);
const names = (most: number) => z.array(toolName).max(most).default([]);

/** The rule of a toolset for one argument of a tool. Clients do not see fixed and hidden ones. */
export const argumentRuleSchema = z.discriminatedUnion("mode", [
  /** Every call gets this value, whatever the client sends. */
  z.object({ name: z.string().min(1).max(200), mode: z.literal("fixed"), value: z.json() }),
  /** A call that lacks the argument gets this value. */
  z.object({ name: z.string().min(1).max(200), mode: z.literal("default"), value: z.json() }),
  /** No call receives the argument: a value that a client sends is dropped. */
  z.object({ name: z.string().min(1).max(200), mode: z.literal("hidden") }),
]);
export type ArgumentRule = z.infer<typeof argumentRuleSchema>;

/** How a toolset shows and runs one tool. Absent fields stay unchanged. */
export const toolOverrideSchema = z.object({
  /** The tool's name in the catalog. */
  tool: toolName,
  name: z.string().regex(TOOL_NAME_PATTERN, "must be 1 to 128 letters, digits, '_', '-' or '.'").optional(),
  title: z.string().max(200).optional(),
  description: z.string().max(20_000).optional(),
  arguments: z.array(argumentRuleSchema).max(100).default([]),
  approval: z.enum(["always", "never"]).optional(),
  /** The expression in place of the tool's own lens; null: results are whole. */
  lens: z.string().trim().min(1).max(MAX_LENS_CHARS).nullable().optional(),
  timeoutMs: z.number().int().min(1, "must be at least 1").max(86_400_000, "must be at most 86400000").optional(),
  meta: clientHintsSchema
    .optional()
    .describe('Added to `_meta` of the listed tool: what clients document, such as `{"anthropic/alwaysLoad": true}`'),
});
export type ToolOverride = z.infer<typeof toolOverrideSchema>;

/** Gives a schema whose problems name the tool and the argument in place of their positions. */
export function namingTools<Overrides>(schema: z.ZodType<Overrides>) {
  return z.unknown().transform((value, context): Overrides => {
    const read = schema.safeParse(value);
    if (read.success) return read.data;
    for (const { path, message } of read.error.issues) {
      context.issues.push({ code: "custom", input: value, path: toNamedPath(path, value), message });
    }
    return z.NEVER;
  });
}

/**
 * Replaces positions with names where they are known: `[0, "arguments", 1, "value"]` → `["send_mail", "arguments",
 * "copies", "value"]`.
 */
function toNamedPath(path: readonly PropertyKey[], overrides: unknown): PropertyKey[] {
  let holder = overrides;
  return path.map((key, depth) => {
    holder = (holder as Record<PropertyKey, unknown> | null | undefined)?.[key];
    if (typeof key !== "number" || depth > 2 || !isPlainObject(holder)) return key;
    const name = depth === 0 ? holder.tool : holder.name;
    return typeof name === "string" && name !== "" ? name.slice(0, 200) : key;
  });
}

/** A named selection of tools for a purpose, served at `/mcp/sets/<name>`. */
export const toolsetInputSchema = z.object({
  name: z
    .string()
    .regex(TOOLSET_NAME_PATTERN, "must be 1 to 64 letters, digits, '_' or '-', beginning with a letter or digit"),
  title: z.string().max(200).default(""),
  /** The instructions of the server for clients. */
  description: z.string().max(20_000).default(""),
  tools: names(2000),
  /** Names with `*` for any characters and `?` for one. */
  patterns: names(200),
  /** MCP servers with all their tools. */
  servers: names(200),
  /** MCP servers whose resources and prompts are served too. */
  contents: names(200),
  overrides: namingTools(z.array(toolOverrideSchema).max(2000)).default([]),
  /** Clients get `search_tools`, `call_tool` and the pinned tools instead of all. */
  discovery: z.boolean().default(false),
  /** Names in the catalog. */
  pinned: names(200),
  /** Adds an optional argument `reason` to every tool; it is stored with the call and not sent to the tool. */
  askReason: z.boolean().default(false),
});
export type ToolsetInput = z.infer<typeof toolsetInputSchema>;

/** Times are epoch milliseconds. */
export const toolsetSchema = toolsetInputSchema.extend({
  overrides: z.array(toolOverrideSchema),
  createdAt: z.number(),
  updatedAt: z.number(),
  lastEdit: lastEditSchema.optional(),
});
export type Toolset = z.infer<typeof toolsetSchema>;

export const toolsetSummarySchema = toolsetSchema
  .pick({ name: true, title: true, description: true, discovery: true, askReason: true, updatedAt: true })
  .extend({
    /** Tools that are selected and enabled now. */
    toolCount: z.number().int(),
    approvals: z
      .array(z.object({ tool: toolName, approval: z.enum(["always", "never"]) }))
      .describe("Selected tools with an approval setting of the toolset, by their name in the catalog"),
  });
export type ToolsetSummary = z.infer<typeof toolsetSummarySchema>;

export function toToolsetInput({ createdAt: _createdAt, updatedAt: _updatedAt, lastEdit: _edit, ...input }: Toolset) {
  return input satisfies ToolsetInput;
}

const toolsetToolSchema = z.object({
  name: z.string().describe("The name that clients get"),
  tool: z.string().describe("The tool in the catalog"),
  title: z.string().nullable(),
  description: z.string(),
  server: z.string().nullable(),
  arguments: z.array(z.string()).describe("The arguments that clients see"),
  originalArguments: z.array(z.string()),
  tokens: z.number().int().describe("Estimated tokens of its definition for an MCP client"),
  pinned: z.boolean().nullable().describe("Null in a toolset without discovery"),
  leftOut: z.boolean().describe("Another one has its name"),
});
export type ToolsetTool = z.infer<typeof toolsetToolSchema>;

const toolsetProblemSchema = problemSchema.extend({
  severity: z.enum(["error", "warning"]).describe("`error`: the tool is left out, or its calls fail"),
  tool: z.string().nullable().describe("The tool in the catalog that it is about; null for the toolset"),
});
export type ToolsetProblem = z.infer<typeof toolsetProblemSchema>;

/** Estimated tokens of the definitions that a client is sent. */
const tokenCostSchema = z.object({
  format: z.enum([...PROVIDERS, "mcp"]),
  tokens: z.number().int(),
  allTokens: z.number().int().describe("Without discovery; the same where it is off"),
});
export type TokenCost = z.infer<typeof tokenCostSchema>;

const toolsetServedSchema = toolsetToolSchema
  .pick({ name: true, description: true, arguments: true, tokens: true })
  .extend({ entryText: z.string().describe("The JSON text of the entry, as clients get it") });
export type ToolsetServed = z.infer<typeof toolsetServedSchema>;

/** The content of a toolset with the catalog as it is now. */
export const toolsetPreviewSchema = z.object({
  tools: z.array(toolsetToolSchema),
  served: z.array(toolsetServedSchema).describe("What `tools/list` at the toolset's address answers, in its order"),
  problems: z.array(toolsetProblemSchema),
  cost: z.array(tokenCostSchema),
});
export type ToolsetPreview = z.infer<typeof toolsetPreviewSchema>;
