import { createAuditStore } from "../db/sqlite/audit/audit-store";
import { createAuditChain } from "../features/audit/audit-chain";
import { createAuditLog } from "../features/audit/audit-log";
import { createAuditService } from "../features/audit/audit-service";
import type { Foundation } from "./foundation";

/** Of the key: the command that verifies the log derives the same one. */
export const AUDIT_KEY = "audit log";

/** The audit log: its one writer, and what the console reads of it. */
export function createAuditParts({ db, secretBox, logger, masking }: Foundation) {
  const store = createAuditStore({ db, chain: createAuditChain(secretBox.derive(AUDIT_KEY)) });
  const log = createAuditLog({ store, now: () => Date.now(), logger, masking });
  return { log, service: createAuditService({ store, log }) };
}
