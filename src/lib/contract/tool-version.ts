import { z } from "zod";
import { actorSchema } from "./actor-schema";
import { CHANGE_WEIGHTS } from "./change-weight";
import { toolDefinitionSchema } from "./tool-definition-schema";

/** `listed`: by the tool's MCP server; `loaded`: from the configuration or code. */
export const VERSION_CAUSES = ["created", "edited", "restored", "imported", "listed", "loaded"] as const;
export type VersionCause = (typeof VERSION_CAUSES)[number];

/** An immutable definition in a tool's history. */
export const toolVersionSchema = z.object({
  number: z.number().int(),
  name: z.string().describe("The tool's name in this definition: another one before a rename"),
  definitionHash: z.string(),
  /** Epoch milliseconds. */
  at: z.number(),
  actor: actorSchema
    .nullable()
    .describe("Null for a change that a server, the configuration or code made; else who made or approved it"),
  cause: z
    .enum(VERSION_CAUSES)
    .describe("`listed`: by the tool's MCP server; `loaded`: from the configuration or code"),
  restoredFrom: z.number().int().nullable(),
  classification: z.enum(CHANGE_WEIGHTS).nullable().describe("Compared with the version before; null for the first"),
});
export type ToolVersion = z.infer<typeof toolVersionSchema>;

export interface ToolVersionPage {
  /** Newest first. */
  items: ToolVersion[];
  /** The current version of the tool; null where there is none yet. */
  current: number | null;
  /** The `cursor` of the next page; null at the end. */
  nextCursor: number | null;
  /** Why an earlier version cannot be restored here; null where it can. */
  readOnly: string | null;
}

/** The difference between two definitions. */
const definitionChangeSchema = z.object({
  kind: z.enum(CHANGE_WEIGHTS),
  details: z.array(z.string()).describe("One sentence each, the strongest first"),
});
export type DefinitionChange = z.infer<typeof definitionChangeSchema>;

export const toolVersionDetailSchema = toolVersionSchema.extend({
  definition: toolDefinitionSchema,
  before: z
    .object({ number: z.number().int(), definition: toolDefinitionSchema })
    .nullable()
    .describe("The version that it is compared with; null for the oldest one"),
  change: definitionChangeSchema.nullable().describe("Null where nothing differs, or there is nothing to compare with"),
});
export type ToolVersionDetail = z.infer<typeof toolVersionDetailSchema>;

/** Calls by content hash of the definition that ran. */
export interface DefinitionUse {
  counts: Record<string, number>;
  /** False: older calls were not counted, so each count is a lower bound. */
  complete: boolean;
}
