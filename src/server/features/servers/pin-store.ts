import type { Actor } from "../../../lib/contract/actor";
import type { ChangeDecision, HeldStatus } from "../../../lib/contract/held-change";
import type { ListedTool } from "../../engine/mcp-ports";

/** Of one tool of a server: which entry of its list was approved, and which one waits. */
export interface ToolPin {
  tool: string;
  /** Null for a new tool that nothing has approved yet. */
  approved: { hash: string; entry: ListedTool } | null;
  /** The newest change; null while none waits. */
  held: { hash: string; at: number; status: HeldStatus } | null;
  /** Who decided last; null for the policy. */
  decidedBy: Actor | null;
  decidedAt: number | null;
}

/** What a list that a server sent does to the pin of one tool. */
export type PinChange =
  /** `approved` counts for a tool without a pin only. Replaces an earlier change that waited, blocked or not. */
  | { kind: "hold"; tool: string; hash: string; at: number; approved: ToolPin["approved"] }
  /** The policy lets the entry pass. */
  | { kind: "pass"; tool: string; approved: NonNullable<ToolPin["approved"]> }
  /** A tool that is gone: if it returns changed, that is a change. */
  | { kind: "remember"; tool: string; approved: NonNullable<ToolPin["approved"]> };

export interface PinDecision {
  tool: string;
  /** Compared, so that a decision counts for what was shown only. */
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
