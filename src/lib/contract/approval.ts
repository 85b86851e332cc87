import { z } from "zod";
import type { Actor } from "./actor";
import type { ExecutionSource, Fault } from "./envelope";
import type { ToolDefinition } from "./tool-definition";

/** `withdrawn`: the caller gave up, or its run was stopped. */
export type ApprovalStatus = "open" | "approved" | "rejected" | "expired" | "withdrawn";

/** Who asks before a tool runs: its own setting, or what the server decides by its hints. */
export const approvalModeSchema = z.enum(["always", "never"]);
export type ApprovalMode = z.infer<typeof approvalModeSchema>;

/** Which tools ask where neither the definition nor a person said so. */
export const approvalPolicySchema = z.enum(["destructive", "always", "never"]);
export type ApprovalPolicy = z.infer<typeof approvalPolicySchema>;

/** Whether a tool asks, and what says so. */
export interface ToolApproval {
  required: boolean;
  /** `person`: set in the console; `definition`: its `approval` key; `hint`: destructive; `policy`: the global setting. */
  because: "person" | "definition" | "hint" | "policy";
  /** What a person set in the console; null: nothing. */
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
  /** JSON text of the arguments as they were asked for, where a person changed them; the execution has what ran. */
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
  /** The caller no longer listens (a gateway client at its timeout, a server that was restarted): it runs for the logbook. */
  detached: boolean;
}

export interface ApprovalPage {
  items: ApprovalItem[];
  /** Give it as `cursor` for the next, older page; null at the end. */
  nextCursor: number | null;
}

export const approvalDecisionSchema = z.object({
  approved: z.boolean(),
  /** Told to the caller, and to the model. */
  reason: z.string().trim().max(2000).optional(),
  /** JSON text of the arguments to run instead of those asked for; only with `approved`. */
  argumentsText: z.string().max(4_000_000).optional(),
});
export type ApprovalDecision = z.infer<typeof approvalDecisionSchema>;

/** `decided` false: somebody else was first, or it is over; `faults` where the edited arguments do not fit. */
export interface ApprovalOutcome {
  decided: boolean;
  status: ApprovalStatus;
  faults: Fault[];
  /** Who was first, where somebody was. */
  decidedBy?: Actor | null;
}
