import { z } from "zod";
import { actorSchema } from "./actor-schema";
import { executionSourceSchema, faultSchema } from "./envelope";
import { toolDefinitionSchema } from "./tool-definition-schema";

/** `withdrawn`: the caller stopped waiting, or its run was stopped. */
export const approvalStatusSchema = z.enum(["open", "approved", "rejected", "expired", "withdrawn"]);
export type ApprovalStatus = z.infer<typeof approvalStatusSchema>;

/**
 * A user's setting for one tool. All but `never` require approval: `always` by any operator; the others by an editor, by an
 * admin, or by a user who is not the one who requested the call.
 */
export const approvalModeSchema = z.enum([
  "always",
  "never",
  "editor",
  "admin",
  "other",
  "other_editor",
  "other_admin",
] as const);
export type ApprovalMode = z.infer<typeof approvalModeSchema>;

/** The rule for which tools require approval, of one MCP server or of the whole installation. */
export const approvalPolicySchema = z.enum(["destructive", "always", "never"]);
export type ApprovalPolicy = z.infer<typeof approvalPolicySchema>;

/** Whether a tool requires approval, and which setting decides it. */
export const toolApprovalSchema = z.object({
  required: z.boolean(),
  /**
   * `person`: a user set it on the tool; `definition`: its `approval` key; `hint`: marked destructive; `server`: the
   * policy of its MCP server; `policy`: the global policy.
   */
  because: z.enum(["person", "definition", "hint", "server", "policy"]),
  /** The setting on the tool; null if there is none. */
  mode: approvalModeSchema.nullable(),
});
export type ToolApproval = z.infer<typeof toolApprovalSchema>;

/** The approval of one execution, whose id it shares. Times are epoch milliseconds. */
export const approvalFactsSchema = z.object({
  executionId: z.string(),
  status: approvalStatusSchema,
  requestedAt: z.number(),
  expiresAt: z.number(),
  decidedAt: z.number().nullable(),
  decidedBy: actorSchema.nullable(),
  reason: z.string().nullable(),
  /** JSON text of the requested arguments, if the approver changed them; the execution has the arguments that ran. */
  requestedArgumentsText: z.string().nullable(),
  /** The MCP client that asks its user too, of an open request; null where it does not. */
  askedIn: z.string().nullable(),
  /** The MCP client in which the decision was made; null for one in the console, by API or by link. */
  decidedIn: z.string().nullable(),
});
export type ApprovalFacts = z.infer<typeof approvalFactsSchema>;

/** The approval setting of a name that no tool of the catalog has now. */
export const keptApprovalSchema = z.object({ name: z.string(), mode: approvalModeSchema });
export type KeptApproval = z.infer<typeof keptApprovalSchema>;

/** One entry of the inbox. */
export const approvalItemSchema = approvalFactsSchema.extend({
  toolName: z.string(),
  source: executionSourceSchema,
  actor: actorSchema,
  client: z.string().nullable(),
  runId: z.string().nullable(),
  /** The arguments as they would run now. */
  argumentsText: z.string(),
  definition: toolDefinitionSchema.nullable(),
  /** The version of the tool that the call was requested for; null for a definition that is in no history. */
  version: z.number().int().nullable(),
  /** The tool changed since: an approved call fails, and has to be made again. */
  toolChanged: z.boolean(),
  /** Decides who may approve: of an open request joined from the setting when the call was made and the one now. */
  mode: approvalModeSchema.nullable(),
  /** Why the tool requires approval by the current settings; null if it is no longer in the catalog. */
  approval: toolApprovalSchema.nullable(),
  /** The caller disconnected (timeout of a gateway client, restart): after approval the call runs, and only the execution log gets the result. */
  detached: z.boolean(),
  /** The reader may not see the arguments: the call uses the personal credential of another user. */
  restricted: z.literal(true).optional(),
});
export type ApprovalItem = z.infer<typeof approvalItemSchema>;

export const approvalPageSchema = z.object({
  items: z.array(approvalItemSchema),
  nextCursor: z.number().nullable().describe("The `cursor` of the next, older page; null at the end"),
});
export type ApprovalPage = z.infer<typeof approvalPageSchema>;

export const approvalDecisionSchema = z.object({
  approved: z.boolean(),
  /** Sent to the caller and to the model. */
  reason: z.string().trim().max(2000).optional(),
  /** JSON text of the arguments to run instead of the requested ones; only with `approved`. */
  argumentsText: z.string().max(4_000_000).optional(),
  /** `run`: later calls of this tool in the same run need no approval until that is revoked; only with `approved`. */
  scope: z.literal("run").optional(),
  /** Confirms a destructive call whose caller disconnected, so its result reaches no caller. */
  confirmed: z.boolean().optional(),
});
export type ApprovalDecision = z.infer<typeof approvalDecisionSchema>;

/** `decided` is false if the approval was already decided or closed; `faults` lists what is wrong with edited arguments. */
export const approvalOutcomeSchema = z.object({
  decided: z.boolean(),
  status: approvalStatusSchema,
  faults: z.array(faultSchema),
  /** The user who decided earlier. */
  decidedBy: actorSchema.nullish(),
  /** The reason why this user may not approve the call, so that nothing was decided; names who may. */
  denied: z.string().optional(),
  /** Nothing was decided: decide again with `confirmed` to run a destructive call whose caller is gone. */
  needsConfirmation: z.literal(true).optional(),
});
export type ApprovalOutcome = z.infer<typeof approvalOutcomeSchema>;

/** "Always allow in this run": a decision on one call that approves later calls of the same tool. */
export const runAllowanceSchema = z.object({
  executionId: z.string().describe("The call whose approval granted it"),
  toolName: z.string(),
  grantedAt: z.number(),
  grantedBy: actorSchema,
});
export type RunAllowance = z.infer<typeof runAllowanceSchema>;

/** A decision that was made by a link, as its approver sees it. */
export const approvalLinkUseSchema = z.object({
  id: z.string(),
  executionId: z.string(),
  toolName: z.string(),
  status: z.string(),
  address: z.string().nullable().describe("The address of the client; null where it is unknown"),
  usedAt: z.number(),
});
export type ApprovalLinkUse = z.infer<typeof approvalLinkUseSchema>;
