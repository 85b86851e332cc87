import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import type { AuditEntry } from "../../../lib/contract/audit-entry";
import type { Masking } from "../../engine/ports";
import type { AuditEvent } from "./audit-log";
import type { NewAuditEntry } from "./audit-store";

/** For tests without secrets. */
export const NO_SECRETS: Pick<Masking, "inText" | "inValue"> = { inText: (text) => text, inValue: (value) => value };
export const AUDIT_TEST_KEY = "ab".repeat(32);

export function anEntry(more: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return {
    at: 1_700_000_000_000,
    actor: { id: "ada", name: "Ada" },
    token: null,
    address: "127.0.0.1",
    door: "console",
    action: "tools.update",
    target: { kind: "tool", name: "echo" },
    outcome: "done",
    error: null,
    before: '{"enabled":true}',
    after: '{"enabled":false}',
    times: 1,
    ...more,
  };
}

export function anEvent(more: Partial<AuditEvent> = {}): AuditEvent {
  const by = { ...LOCAL_PRINCIPAL, origin: { door: "console", address: "127.0.0.1" } as const };
  return { by, action: "tools.update", target: { kind: "tool", name: "echo" }, outcome: "done", ...more };
}

export const listSeqs = (entries: readonly AuditEntry[]): number[] => entries.map(({ seq }) => seq);
