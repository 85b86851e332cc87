import { z } from "zod";
import { isPlainObject } from "./json";
import { lastEditSchema } from "./last-edit";
import { MAX_LENS_CHARS } from "./lens";
import type { Problem } from "./problem";
import { type Provider, TOOL_NAME_PATTERN } from "./tool-definition";

const TOOLSET_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const toolName = z.string().min(1).max(128);
const names = (most: number) => z.array(toolName).max(most).default([]);

/** The rule of a toolset for one argument of a tool. Clients do not see fixed and hidden ones. */
export const argumentRuleSchema = z.discriminatedUnion("mode", [
  /** Every call gets this value, whatever the client sends. */
  z.object({ name: z.string().min(1).max(200), mode: z.literal("fixed"), value: z.json() }),
  /** A call that lacks the argument gets this value. */
  z.object({ name: z.string().min(1).max(200), mode: z.literal("default"), value: z.json() }),
  /** No call gets it: what a client sends is dropped. */
  z.object({ name: z.string().min(1).max(200), mode: z.literal("hidden") }),
]);
export type ArgumentRule = z.infer<typeof argumentRuleSchema>;

/** How a toolset shows and runs one tool. What is absent stays as it is. */
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
});
export type ToolOverride = z.infer<typeof toolOverrideSchema>;

/** The same schema, with problems that name the tool and the argument in place of their positions. */
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

/** `[0, "arguments", 1, "value"]` → `["send_mail", "arguments", "copies", "value"]`, as far as there are names. */
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
  /** Clients get it as the instructions of the server. */
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
  /** Catalog names. */
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
  });
export type ToolsetSummary = z.infer<typeof toolsetSummarySchema>;

export function toToolsetInput({ createdAt: _createdAt, updatedAt: _updatedAt, lastEdit: _edit, ...input }: Toolset) {
  return input satisfies ToolsetInput;
}

export interface ToolsetTool {
  /** The name that clients get. */
  name: string;
  /** The tool in the catalog. */
  tool: string;
  title: string | null;
  description: string;
  server: string | null;
  /** The arguments that clients see. */
  arguments: string[];
  originalArguments: string[];
  /** Estimated tokens of its definition for an MCP client. */
  tokens: number;
  /** Null in a toolset without discovery. */
  pinned: boolean | null;
  /** Another one has its name. */
  leftOut: boolean;
}

export interface ToolsetProblem extends Problem {
  /** `error`: the tool is left out, or its calls fail. */
  severity: "error" | "warning";
  /** The tool in the catalog that it is about; null for the toolset. */
  tool: string | null;
}

/** Estimated tokens of the definitions that a client is sent. */
export interface TokenCost {
  format: Provider | "mcp";
  tokens: number;
  /** Without discovery; the same where it is off. */
  allTokens: number;
}

export interface ToolsetServed extends Pick<ToolsetTool, "name" | "description" | "arguments" | "tokens"> {
  /** The JSON text of the entry, as clients get it. */
  entryText: string;
}

/** The content of a toolset with the catalog as it is now. */
export interface ToolsetPreview {
  tools: ToolsetTool[];
  /** What `tools/list` at the toolset's address answers, in its order. */
  served: ToolsetServed[];
  problems: ToolsetProblem[];
  cost: TokenCost[];
}
