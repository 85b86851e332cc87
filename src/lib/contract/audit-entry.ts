import { z } from "zod";
import { actorSchema } from "./actor-schema";
import { AUDIT_DOORS, AUDIT_OUTCOMES } from "./audit";

const stateSchema = z.string().nullable().describe("JSON text, without secrets; null where there is none");

/** One entry of the audit log. Times are epoch milliseconds. */
export const auditEntrySchema = z.object({
  seq: z.number().int().describe("Counts from 1 without gaps"),
  at: z.number(),
  actor: actorSchema,
  token: z.string().nullable().describe("The name of the API token that was used; null for none"),
  door: z.enum(AUDIT_DOORS).describe("How the request came in; `system` is the server itself"),
  address: z.string().nullable().describe("The client's IP address; null where none is known"),
  action: z.string().describe("`tools.update`, `signIn`, …"),
  target: z.object({ kind: z.string().describe("`tool`, `server`, `person`, …"), name: z.string() }).nullable(),
  outcome: z.enum(AUDIT_OUTCOMES),
  error: z.string().nullable().describe("Why it was denied or failed"),
  before: stateSchema,
  after: stateSchema,
  times: z.number().int().describe("How many identical attempts this entry stands for"),
  hash: z.string().describe("Chains the entry to the one before"),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

export interface AuditPage {
  items: AuditEntry[];
  /** The `cursor` of the next, older page; null at the end. */
  nextCursor: number | null;
}

/** The values by which entries can be filtered. */
export const auditFacetsSchema = z.object({
  actors: z.array(actorSchema),
  actions: z.array(z.string()),
  targets: z.array(z.string()).describe("Kinds of targets"),
});
export type AuditFacets = z.infer<typeof auditFacetsSchema>;
