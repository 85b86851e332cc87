import { z } from "zod";
import type { Actor } from "./actor";
import type { ExecutionSource, Fault } from "./envelope";
import type { ToolDefinition } from "./tool-definition";

/** `withdrawn`: the caller gave up, or its run was stopped. */
export type ApprovalStatus = "open" | "approved" | "rejected" | "expired" | "withdrawn";

/**
 * A person's setting for one tool. All but `never` require approval: `always` by any operator; the others by an editor, by an
 * admin, or by a person who is not the one who requested the call.
 */
export const approvalModeSchema = z.enum([
  ...["always", "never", "editor", "admin"],
  ...["other", "other_editor", "other_admin"],
] as const);
export type ApprovalMode = z.infer<typeof approvalModeSchema>;

/** Which tools require approval: the setting of one MCP server, or of the whole installation. */
export const approvalPolicySchema = z.enum(["destructive", "always", "never"]);
export type ApprovalPolicy = z.infer<typeof approvalPolicySchema>;

/** Whether a tool requires approval, and which setting decides it. */
export interface ToolApproval {
  required: boolean;
  /**
   * `person`: set on the tool; `definition`: its `approval` key; `hint`: marked destructive; `server`: the policy of its MCP
   * server; `policy`: the global policy.
   */
  because: "person" | "definition" | "hint" | "server" | "policy";
  /** The setting on the tool; null if there is none. */
  mode: ApprovalMode | null;
}

/** The approval of one execution, whose id it shares. Times are epoch milliseconds. */
export interface ApprovalFacts {
  executionId: string;
  status: ApprovalStatus;
  requestedAt: number;
  expiresAt: number;
  decidedAt: number | null;
  decidedBy: Actor | null;
  reason: string | null;
  /** JSON text of the requested arguments, if the approver changed them; the execution has the arguments that ran. */
  requestedArgumentsText: string | null;
}

/** One line of the inbox. */
export interface ApprovalItem extends ApprovalFacts {
  toolName: string;
  source: ExecutionSource;
  actor: Actor;
  client: string | null;
  runId: string | null;
  /** As they would run now. */
  argumentsText: string;
  definition: ToolDefinition | null;
  /** The version of the tool that the call was requested for; null for a definition that is in no history. */
  version: number | null;
  /** The tool changed since: an approved call fails, and has to be made again. */
  toolChanged: boolean;
  /** Why the tool requires approval by the current settings; null if it is no longer in the catalog. */
  approval: ToolApproval | null;
  /** The caller disconnected (timeout of a gateway client, restart): after approval the call runs, and only the execution log gets the result. */
  detached: boolean;
}

export interface ApprovalPage {
  items: ApprovalItem[];
  /** The `cursor` of the next, older page; null at the end. */
  nextCursor: number | null;
}

export const approvalDecisionSchema = z.object({
  approved: z.boolean(),
  /** Sent to the caller and to the model. */
  reason: z.string().trim().max(2000).optional(),
  /** JSON text of the arguments to run instead of those asked for; only with `approved`. */
  argumentsText: z.string().max(4_000_000).optional(),
  /** `run`: later calls of this tool in the same run need no approval until that is revoked; only with `approved`. */
  scope: z.literal("run").optional(),
  /** Confirms a destructive call whose caller disconnected: nobody receives the result. */
  confirmed: z.boolean().optional(),
});
export type ApprovalDecision = z.infer<typeof approvalDecisionSchema>;

/** `decided` is false if the approval was already decided or closed; `faults` lists what is wrong with edited arguments. */
export interface ApprovalOutcome {
  decided: boolean;
  status: ApprovalStatus;
  faults: Fault[];
  /** Who decided before. */
  decidedBy?: Actor | null;
  /** Nothing was decided, since this person may not approve the call: who may. */
  denied?: string;
  /** Nothing was decided: decide again with `confirmed` to run a destructive call whose caller is gone. */
  needsConfirmation?: true;
}

/** "Always allow in this run": a decision on one call that approves later calls of the same tool. */
export interface RunAllowance {
  /** The call whose approval granted it. */
  executionId: string;
  toolName: string;
  grantedAt: number;
  grantedBy: Actor;
}
