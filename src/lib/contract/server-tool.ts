import { z } from "zod";
import { toolApprovalSchema } from "./approval";
import { heldStatusSchema } from "./held-change";
import { schemaNoteSchema } from "./schema-note";

const hint = z.boolean().optional();

/** A tool in a server's list; its JSON is loaded when it is opened. */
export const listedServerToolSchema = z.object({
  name: z.string().nullable().describe("The server's name for it; null if a malformed entry has none"),
  catalogName: z.string().nullable().describe("The catalog's name for it; null if it cannot be called"),
  title: z.string().nullable(),
  description: z.string(),
  status: z.enum(["usable", "malformed", "excluded"]).describe("`excluded`: the server's settings do not offer it"),
  reason: z.string().nullable().describe("Why it cannot be called"),
  held: heldStatusSchema.nullable().describe("A change of it waits, or is blocked: calls are refused"),
  approval: toolApprovalSchema.nullable().describe("Null if it cannot be called"),
  notes: z.array(schemaNoteSchema).describe("Keywords of its schema that are not checked as written"),
  annotations: z.object({
    readOnlyHint: hint,
    destructiveHint: hint,
    idempotentHint: hint,
    openWorldHint: hint,
  }),
  position: z.number().int().describe("Index in the server's list"),
});
export type ListedServerTool = z.infer<typeof listedServerToolSchema>;

export interface ServerTool extends Omit<ListedServerTool, "position"> {
  /** Returns the server's entry as JSON text; only the start of a long one. Few are ever looked at. */
  formatEntry: () => string;
}

export interface ServerToolPage {
  items: ListedServerTool[];
  /** The number of tools in the server's whole list. */
  total: number;
  /** Tools that match the search, and those of them that cannot be called, which come first. */
  matching: number;
  unusable: number;
  nextCursor: number | null;
}

/** A large change set may span several pages. */
export interface ServerChangePage {
  items: ToolChangeSet[];
  nextCursor: number | null;
}

const toolChangeSchema = z.object({
  kind: z.enum(["added", "removed", "breaking", "additive", "wording"]),
  tool: z.string(),
  details: z.array(z.string()).describe("The changes, one sentence each: `parameter 'path' is now required`"),
});
export type ToolChange = z.infer<typeof toolChangeSchema>;

export const toolChangeSetSchema = z.object({ at: z.number(), changes: z.array(toolChangeSchema) });
export type ToolChangeSet = z.infer<typeof toolChangeSetSchema>;
