import { z } from "zod";
import { AUDIT_OUTCOMES } from "./audit";

/** The filter of audit entries; an empty one matches all. */
export const auditFilterSchema = z.object({
  /** Ids of actors. */
  actor: z.array(z.string().max(100)).max(100).optional(),
  action: z.array(z.string().max(100)).max(100).optional(),
  /** Kinds of targets. */
  target: z.array(z.string().max(100)).max(100).optional(),
  outcome: z.enum(AUDIT_OUTCOMES).optional(),
  /** Epoch milliseconds, inclusive. */
  since: z.number().optional(),
  until: z.number().optional(),
  /** Text in any field, in upper or lower case. */
  q: z.string().trim().max(200).optional(),
});
export type AuditFilter = z.infer<typeof auditFilterSchema>;

export const auditFormatSchema = z.enum(["jsonl", "csv"]);
export type AuditFormat = z.infer<typeof auditFormatSchema>;
