import type { Actor } from "../../../lib/contract/actor";
import type { ChangeDecision, HeldStatus } from "../../../lib/contract/held-change";
import type { LastEdit } from "../../../lib/contract/last-edit";
import type { ServerSettings } from "../../../lib/contract/server";
import type { ToolChangeSet } from "../../../lib/contract/server-tool";
import type { CredentialStore, ListedTool, ProtocolStore } from "../../engine/mcp-ports";
import type { Edit } from "../../platform/shared/edit-conflict";
import type { ServerSecrets } from "./server-secrets";

/** Encrypts what must not lie in a file in plain text. `context` binds a text to its place. */
export interface SecretBox {
  seal(plain: string, context: string): string;
  /** @throws Error that says which key it needs */
  open(sealed: string, context: string): string;
}

/** A server made in the console. */
export interface StoredServer {
  id: string;
  name: string;
  /** Secret values are null. */
  settings: ServerSettings;
  secrets: ServerSecrets;
  /** Why the secrets cannot be read; null when they can. */
  secretsError: string | null;
  enabled: boolean;
  lastEdit: LastEdit;
}

export interface ServerKnowledge {
  name: string;
  listedAt: number | null;
  /** Newest first. */
  changes: ToolChangeSet[];
  /** A server of the configuration that a user switched off. */
  disabled: boolean;
}

export interface ServerStore {
  /** The servers that are not deleted, in order of creation. */
  list(): Promise<StoredServer[]>;
  /** @throws AppError with the code CONFLICT for a taken name */
  create(server: {
    settings: ServerSettings;
    secrets: ServerSecrets;
    enabled?: boolean;
    by?: Actor;
  }): Promise<StoredServer>;
  /** @throws AppError with the code CONFLICT for a taken name and another revision */
  update(id: string, server: { settings: ServerSettings; secrets: ServerSecrets }, edit?: Edit): Promise<StoredServer>;
  /** Replaces the settings and leaves the stored secrets alone, even those that cannot be read. */
  setSettings(id: string, settings: ServerSettings, by?: Actor): Promise<LastEdit>;
  setEnabled(id: string, enabled: boolean): Promise<void>;
  /** The row stays, for `restore`. @throws AppError with the code CONFLICT for another revision */
  delete(id: string, revision?: number): Promise<void>;
  /** Null where there is no deleted server with that id. @throws AppError with the code CONFLICT for a taken name */
  restore(id: string): Promise<StoredServer | null>;
  knowledge(): Promise<ServerKnowledge[]>;
  /** Returns the server's last list; read in pieces, since it may be long. */
  listedTools(name: string): Promise<ListedTool[]>;
  keepTools(
    name: string,
    kept: { tools: readonly ListedTool[]; listedAt: number; changes: ToolChangeSet[] },
  ): Promise<void>;
  setDisabled(name: string, disabled: boolean): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Forgets tools, changes and their approvals, sign-in, protocol and the values that users entered. */
  forget(name: string): Promise<void>;
  pins: PinStore;
  applied: AppliedStore;
  credentials: CredentialStore;
  protocols: ProtocolStore;
}

/** The pin of one tool of a server: which entry of its list was approved, and which one waits. */
export interface ToolPin {
  tool: string;
  /** Null for a new tool without an approved entry. */
  approved: { hash: string; entry: ListedTool } | null;
  /** The newest change; null while none waits. */
  held: { hash: string; at: number; status: HeldStatus } | null;
  /** The user who decided last; null for the policy. */
  decidedBy: Actor | null;
  decidedAt: number | null;
}

/** The effect of a server's list on the pin of one tool. */
export type PinChange =
  /** `approved` counts for a tool without a pin only. Replaces an earlier change that waited, blocked or not. */
  | { kind: "hold"; tool: string; hash: string; at: number; approved: ToolPin["approved"] }
  /** The policy lets the entry pass. */
  | { kind: "pass"; tool: string; approved: NonNullable<ToolPin["approved"]> }
  /** Replaces masks of earlier versions in the same entries; decisions stay. */
  | { kind: "restore"; tool: string; approved: ToolPin["approved"]; heldHash: string | null };

export interface PinDecision {
  tool: string;
  /** Compared, so that a decision counts only for the shown entry. */
  hash: string;
  status: HeldStatus;
  decision: ChangeDecision;
  /** The entry with that hash. */
  entry: ListedTool;
  by: Actor;
  at: number;
}

export interface PinStore {
  list(server: string): Promise<ToolPin[]>;
  change(server: string, changes: readonly PinChange[]): Promise<void>;
  /** A compare-and-set: the first decision wins. @returns whether this one did */
  decide(server: string, decision: PinDecision): Promise<boolean>;
  clear(server: string): Promise<void>;
}

/** A breaking change that is in use without a review. */
export interface AppliedChange {
  tool: string;
  /** The hash of the entry in use, or of the removal of the tool. */
  hash: string;
  /** The entry that callers knew. */
  before: { hash: string; entry: ListedTool };
  /** Epoch milliseconds. */
  at: number;
}

export interface AppliedUpdate {
  put: AppliedChange[];
  /** The names of the tools. */
  delete: string[];
}

export interface StoredAppliedChange extends Omit<AppliedChange, "before"> {
  before: ListedTool;
}

export interface AppliedStore {
  list(server: string): Promise<StoredAppliedChange[]>;
  change(server: string, update: AppliedUpdate): Promise<void>;
  /** @returns whether the change was there, with that hash */
  accept(server: string, tool: string, hash: string): Promise<boolean>;
}
