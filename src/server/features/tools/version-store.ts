import type { Actor } from "../../../lib/contract/actor";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ToolVersion, VersionCause } from "../../../lib/contract/tool-version";

export interface NewVersion {
  /** Its `name` is the history that it is added to. */
  definition: ToolDefinition;
  cause: VersionCause;
  actor: Actor | null;
  /** When it was made; now where absent. */
  at?: number | undefined;
}

/** The histories of tools. A version is never changed; old ones that nobody made are removed, see `add`. */
export interface VersionStore {
  /**
   * Adds a version of each tool whose newest version has another definition. Of the versions that servers, configuration and
   * code made, a tool keeps the newest 200.
   */
  add(versions: readonly NewVersion[]): Promise<void>;
  /** Newest first, numbers below `below`. */
  list(toolName: string, below: number, limit: number): Promise<ToolVersion[]>;
  find(toolName: string, number: number): Promise<(ToolVersion & { definition: ToolDefinition }) | null>;
  /** The newest one below a number; null where there is none. */
  findBefore(toolName: string, number: number): Promise<(ToolVersion & { definition: ToolDefinition }) | null>;
  /** Moves a history to the tool's new name, behind what an earlier tool of that name left. */
  rename(from: string, to: string): Promise<void>;
}
