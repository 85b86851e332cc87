import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalMode } from "../../../lib/contract/approval";
import type { LastEdit } from "../../../lib/contract/last-edit";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ToolFactStore } from "./tool-fact-store";
import type { VersionStore } from "./version-store";

/** A tool made in the console. */
export interface StoredTool {
  id: string;
  name: string;
  /** As it was stored. The registry checks it again, since a file can be edited by hand. */
  definition: ToolDefinition;
  enabled: boolean;
  createdAt: number;
  updatedAt: number;
  lastEdit: LastEdit;
}

/** Who makes a change, for the version that is stored with it. */
interface Change {
  name: string;
  definition: ToolDefinition;
  by?: Actor;
}

export interface ToolStore extends ToolFactStore {
  /** Those not deleted, in order of their making. */
  list(): Promise<StoredTool[]>;
  /** Who makes it owns it. @throws AppError with the code CONFLICT for a taken name */
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
  /** Tools of configuration and code that a person switched off. */
  disabledNames(): Promise<string[]>;
  setDisabled(name: string, disabled: boolean): Promise<void>;
  /** What people set, by name. */
  approvalModes(): Promise<Map<string, ApprovalMode>>;
  /** @param mode null takes it away. False where it is another one than `before`: then it stays as it is. */
  setApprovalMode(name: string, mode: ApprovalMode | null, before: ApprovalMode | null): Promise<boolean>;
  versions: VersionStore;
}
