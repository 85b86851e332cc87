import { z } from "zod";
import type { Actor } from "./actor";
import type { ChangeWeight } from "./tool-version";

/**
 * What happens to tools of a server that change: `off` nothing waits; `auto` additive and wording changes pass, breaking
 * ones wait; `review` every change and every new tool waits.
 */
export const changedToolsSchema = z.enum(["auto", "review", "off"], "must be auto, review or off");
export type ChangedToolsPolicy = z.infer<typeof changedToolsSchema>;

/** `blocked`: a person decided that it stays held. */
export type HeldStatus = "open" | "blocked";

/** A tool of a server whose definition waits for approval. Its calls are refused. */
export interface HeldChange {
  server: string;
  /** The server's name for it. */
  tool: string;
  status: HeldStatus;
  /** `added`: a new tool, which no model or client is shown. */
  kind: ChangeWeight | "added";
  details: string[];
  /** Of the entry that waits. */
  hash: string;
  /** Epoch milliseconds. */
  heldAt: number;
  /** Who blocked it. */
  decidedBy: Actor | null;
  decidedAt: number | null;
}

export interface HeldChangePage {
  items: (HeldChange & { catalogueName: string })[];
  total: number;
}

export const changeDecisionSchema = z.enum(["approve", "block"]);
export type ChangeDecision = z.infer<typeof changeDecisionSchema>;

/** A decision counts for the change that was shown, and only while it has the status that was shown. */
export const heldReferenceSchema = z.object({
  tool: z.string().min(1).max(300),
  hash: z.string().min(1).max(100),
  status: z.enum(["open", "blocked"]),
});
export type HeldReference = z.infer<typeof heldReferenceSchema>;

export interface ChangeDecisionOutcome {
  decided: string[];
  /** Tools whose change was decided by someone else, or replaced by another one. */
  missed: string[];
}
