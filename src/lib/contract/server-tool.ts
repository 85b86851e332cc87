import type { ToolApproval } from "./approval";
import type { HeldStatus } from "./held-change";
import type { SchemaNote } from "./schema-note";

export interface ServerTool {
  /** The server's name for it; null if a malformed entry has none. */
  name: string | null;
  /** The catalog's name for it; null if it cannot be called. */
  catalogName: string | null;
  title: string | null;
  description: string;
  /** `excluded`: the server's settings do not offer it. */
  status: "usable" | "malformed" | "excluded";
  /** Why it cannot be called. */
  reason: string | null;
  /** A change of it waits, or is blocked: calls are refused. */
  held: HeldStatus | null;
  /** Null if it cannot be called. */
  approval: ToolApproval | null;
  /** Keywords of its schema that are not checked as written. */
  notes: SchemaNote[];
  annotations: { readOnlyHint?: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint?: boolean };
  /** The server's entry as JSON text; only the start of a long one. */
  rawText: string;
}

/** A tool in a list; its JSON is loaded when it is opened. */
export interface ListedServerTool extends Omit<ServerTool, "rawText"> {
  /** Index in the server's list. */
  position: number;
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

export interface ToolChange {
  kind: "added" | "removed" | "breaking" | "additive" | "wording";
  tool: string;
  /** The changes, one sentence each: `parameter 'path' is now required`. */
  details: string[];
}

export interface ToolChangeSet {
  at: number;
  changes: ToolChange[];
}
