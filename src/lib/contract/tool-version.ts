import type { Actor } from "./actor";
import type { ToolDefinition } from "./tool-definition";

/** How much a change matters to callers: calls that worked may fail; old calls still work; only words changed. */
export const CHANGE_WEIGHTS = ["breaking", "additive", "wording"] as const;
export type ChangeWeight = (typeof CHANGE_WEIGHTS)[number];

/** `listed`: by the tool's MCP server; `loaded`: from the configuration or code. */
export const VERSION_CAUSES = ["created", "edited", "restored", "imported", "listed", "loaded"] as const;
export type VersionCause = (typeof VERSION_CAUSES)[number];

/** An immutable definition in a tool's history. */
export interface ToolVersion {
  number: number;
  /** The tool's name in this definition: another one before a rename. */
  name: string;
  definitionHash: string;
  /** Epoch milliseconds. */
  at: number;
  /** Null for a change that a server, the configuration or code made; else who made or approved it. */
  actor: Actor | null;
  cause: VersionCause;
  restoredFrom: number | null;
  /** Compared with the version before; null for the first. */
  classification: ChangeWeight | null;
}

export interface ToolVersionPage {
  /** Newest first. */
  items: ToolVersion[];
  /** The version that the tool has now; null where there is none yet. */
  current: number | null;
  /** The `cursor` of the next page; null at the end. */
  nextCursor: number | null;
  /** Why an earlier version cannot be restored here; null where it can. */
  readOnly: string | null;
}

/** The difference between two definitions. */
export interface DefinitionChange {
  kind: ChangeWeight;
  /** One sentence each, the strongest first. */
  details: string[];
}

export interface ToolVersionDetail extends ToolVersion {
  definition: ToolDefinition;
  /** The version that it is compared with; null for the oldest one. */
  before: { number: number; definition: ToolDefinition } | null;
  /** Null where nothing differs, or there is nothing to compare with. */
  change: DefinitionChange | null;
}

/** Calls by content hash of the definition that ran. */
export interface DefinitionUse {
  counts: Record<string, number>;
  /** False: older calls were not counted, so each count is a lower bound. */
  complete: boolean;
}
