import type { Principal } from "../../../lib/contract/access";
import type { AuditOutcome, AuditTarget } from "../../../lib/contract/audit";
import type { Masking } from "../../engine/ports";
import { cutText, toAuditTexts } from "./audit-json";
import type { AuditStore, NewAuditEntry } from "./audit-store";
import { RepeatedAttempts } from "./repeated-attempts";

const MAX_NAME_CHARS = 300;
const MAX_ERROR_CHARS = 1_000;

/** An event before secrets are masked and before its position in the log is known. */
export interface AuditEvent {
  by: Pick<Principal, "id" | "name" | "token" | "origin">;
  action: string;
  target: AuditTarget | null;
  outcome: AuditOutcome;
  error?: string;
  before?: unknown;
  after?: unknown;
}

export interface AuditLog {
  /** Resolves when the entry is stored. */
  record(event: AuditEvent): Promise<void>;
}

export interface AuditLogPorts {
  store: Pick<AuditStore, "append">;
  now(): number;
  logger: { error(fields: object, message: string): void };
  /** Replaces the secrets that this installation knows. */
  masking: Pick<Masking, "inText" | "inValue">;
}

export interface RunningAuditLog extends AuditLog {
  /** Writes what was only counted so far. */
  close(): Promise<void>;
}

export function createAuditLog({ store, now, logger, masking }: AuditLogPorts): RunningAuditLog {
  const attempts = new RepeatedAttempts(append);

  function toEntry({ by, action, target, outcome, error, before, after }: AuditEvent) {
    const texts = toAuditTexts(masking.inValue(before ?? null), masking.inValue(after ?? null));
    return {
      at: now(),
      actor: { id: cutText(by.id, MAX_NAME_CHARS), name: cutText(by.name, MAX_NAME_CHARS) },
      token: by.token === null ? null : (by.token.name ?? by.token.id),
      address: by.origin?.address ?? null,
      door: by.origin?.door ?? "system",
      action,
      target: target && { kind: target.kind, name: cutText(masking.inText(target.name), MAX_NAME_CHARS) },
      outcome,
      error: error === undefined ? null : cutText(masking.inText(error), MAX_ERROR_CHARS),
      ...texts,
      times: 1,
    } satisfies NewAuditEntry;
  }

  async function append(entry: NewAuditEntry): Promise<void> {
    try {
      await store.append(entry);
    } catch (error) {
      // The server's log keeps the entry; it has no states, which may be long.
      const { before: _before, after: _after, ...facts } = entry;
      logger.error({ err: error, entry: facts }, "An entry of the audit log could not be written");
      throw error;
    }
  }

  return {
    async record(event) {
      const entry = toEntry(event);
      if (event.outcome === "done" || attempts.admit(entry)) await append(entry);
    },
    close: () => attempts.flush().catch(() => undefined),
  };
}
