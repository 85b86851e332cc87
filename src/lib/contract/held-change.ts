import { z } from "zod";
import { actorSchema } from "./actor-schema";
import { CHANGE_WEIGHTS } from "./change-weight";

/**
 * What happens to tools of a server that change. `off`: all changes apply. `auto`: changes that neither the schemas nor
 * the recorded calls question apply, the others wait. `review`: every change and every new tool waits.
 */
export const changedToolsSchema = z.enum(["auto", "review", "off"], "must be auto, review or off");
export type ChangedToolsPolicy = z.infer<typeof changedToolsSchema>;

/**
 * `blocked`: a user decided to keep blocking calls. `ignored`: calls run with the approved definition, which clients
 * keep; the server gets arguments that it may refuse. `applied`: a breaking change is in use, since the server's
 * changes are used at once.
 */
export const heldStatusSchema = z.enum(["open", "blocked", "ignored", "applied"]);
export type HeldStatus = z.infer<typeof heldStatusSchema>;

/** A change of a server's tool that waits for approval, or is in use without one. Calls are refused while it waits, unless it is ignored. */
export const heldChangeSchema = z.object({
  server: z.string(),
  /** The server's name for it. */
  tool: z.string(),
  status: heldStatusSchema,
  /** `added`: a new tool, which no model or client is shown. `removed`: models and clients are still shown the approved one while it waits. */
  kind: z.enum([...CHANGE_WEIGHTS, "added", "removed"]),
  details: z.array(z.string()),
  /** The listed tool that equals a removed one except for its name. */
  renamedTo: z.string().nullable(),
  /** The hash of the entry that needs approval, or of the removal. */
  hash: z.string(),
  /** Epoch milliseconds. */
  heldAt: z.number(),
  /** The user who blocked or ignored it. */
  decidedBy: actorSchema.nullable(),
  decidedAt: z.number().nullable(),
});
export type HeldChange = z.infer<typeof heldChangeSchema>;

/** Whether calls of the tool are refused; a new tool that is ignored stays out of lists. */
export function refusesCalls(change: Pick<HeldChange, "status" | "kind"> | null | undefined): boolean {
  if (change == null || change.status === "applied") return false;
  return change.status !== "ignored" || change.kind === "added";
}

export interface HeldChangePage {
  items: (HeldChange & { catalogName: string })[];
  total: number;
}

export const changeDecisionSchema = z.enum(["approve", "block", "ignore"]);
export type ChangeDecision = z.infer<typeof changeDecisionSchema>;

/** A decision counts for the change that was shown, and only while it has the status that was shown. */
export const heldReferenceSchema = z.object({
  tool: z.string().min(1).max(300),
  hash: z.string().min(1).max(100),
  status: heldStatusSchema,
});
export type HeldReference = z.infer<typeof heldReferenceSchema>;

export const changeDecisionOutcomeSchema = z.object({
  decided: z.array(z.string()),
  /** Tools whose change was decided by someone else, or replaced by another one. */
  missed: z.array(z.string()),
});
export type ChangeDecisionOutcome = z.infer<typeof changeDecisionOutcomeSchema>;

/** The entries of a changed tool as JSON texts. */
export const heldEntriesSchema = z.object({
  before: z.string().nullable().describe("Null for a new tool"),
  after: z.string().nullable().describe("Null for one that is gone"),
});
export type HeldEntries = z.infer<typeof heldEntriesSchema>;
