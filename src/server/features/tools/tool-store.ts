import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalMode } from "../../../lib/contract/approval";
import type { LastEdit } from "../../../lib/contract/last-edit";
import type { ToolLens } from "../../../lib/contract/lens";
import type { DeprecatedKey, ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ToolVersion, VersionCause } from "../../../lib/contract/tool-version";

export interface NewVersion {
  /** Its `name` is the history that it is added to. */
  definition: ToolDefinition;
  cause: VersionCause;
  actor: Actor | null;
  /** The time of creation; now where absent. */
  at?: number | undefined;
}

/** The histories of tools. A version is never changed; old ones that no user made are removed, see `add`. */
export interface VersionStore {
  /**
   * Adds a version of each tool whose newest version has another definition. A tool keeps the newest 200 versions that
   * servers, configuration and code made.
   */
  add(versions: readonly NewVersion[]): Promise<void>;
  /** Newest first, numbers below `below`. */
  list(toolName: string, below: number, limit: number): Promise<ToolVersion[]>;
  find(toolName: string, number: number): Promise<(ToolVersion & { definition: ToolDefinition }) | null>;
  /** The newest version below a number; null where there is none. */
  findBefore(toolName: string, number: number): Promise<(ToolVersion & { definition: ToolDefinition }) | null>;
  /** Moves a history to the tool's new name, behind what an earlier tool of that name left. */
  rename(from: string, to: string): Promise<void>;
}

/** The facts of tools beside their definitions. By the tool's name, so that a server's tool has them after a restart too. */
export interface ToolFactStore {
  /** Owners by tool. A tool without a row is owned by its creator, where its history names one. */
  owners(): Promise<Map<string, Actor>>;
  /** @param owner null removes the owner */
  setOwner(name: string, owner: Actor | null): Promise<void>;
  /** Returns the deprecations of tools that are not the console's own, by tool. */
  deprecations(): Promise<Map<string, DeprecatedKey>>;
  /**
   * Writes the setting together with the version that it makes of the tool.
   * @param deprecated undefined removes it
   */
  setDeprecation(
    deprecated: DeprecatedKey | undefined,
    version: { definition: ToolDefinition; by: Actor },
  ): Promise<void>;
  /** Lenses by tool. */
  lenses(): Promise<Map<string, ToolLens>>;
  /** @param lens null removes it */
  setLens(name: string, lens: ToolLens | null): Promise<void>;
  /** The names of the tools that a user gave a star, sorted. */
  favorites(userId: string): Promise<string[]>;
  setFavorite(userId: string, name: string, favorite: boolean): Promise<void>;
  /** Moves all facts to a tool's new name, replacing those of an earlier tool. */
  renameFacts(from: string, to: string): Promise<void>;
  /** Removes all facts of tools whose names have the prefix, except these. */
  forgetFacts(prefix: string, except: readonly string[]): Promise<void>;
}

/** A tool made in the console. */
export interface StoredTool {
  id: string;
  name: string;
  /** The stored definition. The registry checks it again, since a file can be edited by hand. */
  definition: ToolDefinition;
  enabled: boolean;
  createdAt: number;
  updatedAt: number;
  lastEdit: LastEdit;
}

/** The author of a change, for the version that is stored with it. */
interface Change {
  name: string;
  definition: ToolDefinition;
  by?: Actor;
}

export interface ToolStore extends ToolFactStore {
  /** The tools that are not deleted, in order of creation. */
  list(): Promise<StoredTool[]>;
  /** Creates a tool that its author owns. @throws AppError with the code CONFLICT for a taken name */
  create(tool: Change): Promise<StoredTool>;
  /**
   * A rename takes history, owner and favorites along.
   * @param tool `restoredFrom`: the number of the version whose definition it is
   * @throws AppError with the code CONFLICT for a taken name and for another revision, NOT_FOUND for an unknown name
   */
  update(
    name: string,
    tool: Change & { restoredFrom?: number | undefined; revision?: number | undefined },
  ): Promise<StoredTool>;
  /** The row stays, for `restore`. @throws AppError with the code CONFLICT for another revision */
  delete(name: string, revision?: number): Promise<{ id: string }>;
  /** Null where there is no deleted tool with that id. @throws AppError with the code CONFLICT for a taken name */
  restore(id: string, by?: Actor): Promise<StoredTool | null>;
  setEnabled(name: string, enabled: boolean): Promise<StoredTool>;
  /** Tools of configuration and code that a user switched off. */
  disabledNames(): Promise<string[]>;
  setDisabled(name: string, disabled: boolean): Promise<void>;
  /** Returns the approval modes that users set, by name. */
  approvalModes(): Promise<Map<string, ApprovalMode>>;
  /** @param mode null takes it away. False where it is another one than `before`: then it stays as it is. */
  setApprovalMode(name: string, mode: ApprovalMode | null, before: ApprovalMode | null): Promise<boolean>;
  versions: VersionStore;
}
