import {
  type Actor,
  type ApprovalItem,
  type ApprovalPage,
  executionSourceSchema,
  isPlainObject,
  type ToolDefinition,
} from "../../../lib/contract";
import type { Database } from "../../db/database";
import { type ApprovalRow, prepareApprovalStatements, toApprovalFacts } from "../../db/sqlite/approval-statements";
import { editValues } from "../../db/sqlite/execution-statements";

/** An approval with what it takes to run its call. */
export interface StoredApproval extends ApprovalItem {
  /** The call has neither begun nor ended. */
  waits: boolean;
  callId: string | null;
  parentId: string | null;
  protocol: string | null;
  timeoutMs: number | null;
  validationSkipped: boolean;
}

export interface ApprovalDecisionRecord {
  executionId: string;
  status: "approved" | "rejected" | "expired" | "withdrawn";
  decidedAt: number;
  by: Actor | null;
  reason: string | null;
  /** JSON text of the arguments that a person put in place of those asked for. */
  editedText?: string | undefined;
}

export interface ApprovalStore {
  /** Durable once it resolves. A request that is there already stays as it is. */
  open(request: { executionId: string; requestedAt: number; expiresAt: number }): Promise<void>;
  find(executionId: string): Promise<StoredApproval | null>;
  /** Open ones oldest first, decided ones newest decision first. */
  list(status: "open" | "decided", cursor: number | undefined, limit: number): Promise<ApprovalPage>;
  countOpen(): Promise<number>;
  /** One transaction, arguments included. False when it is no longer open, or a person comes after it expired. */
  decide(decision: ApprovalDecisionRecord): Promise<boolean>;
  /** Whether its caller still listens. */
  setDetached(executionId: string, detached: boolean): Promise<void>;
  /** No caller of an earlier process listens. */
  detachAll(): Promise<void>;
  /** Closes those whose calls have ended without telling: the logbook could not be written then. */
  withdrawEnded(now: number): Promise<void>;
  /** When the next open one expires; null where none is open. */
  nextExpiry(): Promise<number | null>;
  expired(now: number): Promise<string[]>;
  /** Those that were decided while their calls still wait: their server ended in between. */
  undone(): Promise<string[]>;
  /** Ends calls that were to wait and that nobody was asked for, and gives their ids. */
  interruptUnasked(now: number): Promise<string[]>;
}

const MAX_PAGE = 200;
const UNASKED = "Interrupted: the server ended before anybody could be asked to approve this call";

export function createApprovalStore({ db }: { db: Database }): ApprovalStore {
  const { raw } = db;
  const statements = prepareApprovalStatements(raw);

  const decideTogether = raw.transaction((decision: ApprovalDecisionRecord): boolean => {
    const { executionId, status, decidedAt, by, reason, editedText } = decision;
    // What expires is decided by the clock, which may do so at any time after.
    const notAfter = status === "approved" || status === "rejected" ? decidedAt : 0;
    const values = [status, decidedAt, by?.id ?? null, by?.name ?? null, reason, executionId, notAfter];
    if (statements.decide.run(...values).changes === 0) return false;
    if (editedText !== undefined) {
      statements.keepRequested.run(executionId);
      statements.editArguments.run(...editValues(executionId, editedText));
    }
    return true;
  });

  return {
    async open({ executionId, requestedAt, expiresAt }) {
      await db.write(() => statements.insert.run(executionId, requestedAt, expiresAt));
    },
    async find(executionId) {
      const row = statements.find.get(executionId);
      return row === undefined ? null : toStored(row);
    },
    async list(status, cursor, limit) {
      const size = Math.max(1, Math.min(Math.trunc(limit), MAX_PAGE));
      const list = status === "open" ? statements.listOpen : statements.listDecided;
      const rows = list.all(cursor ?? 0, size + 1);
      const shown = rows.slice(0, size);
      return { items: shown.map(toItem), nextCursor: rows.length > size ? (shown.at(-1)?.seq ?? null) : null };
    },
    countOpen: async () => statements.countOpen.get() ?? 0,
    decide: (decision) => db.write(() => decideTogether.immediate(decision)),
    async setDetached(executionId, detached) {
      await db.write(() => statements.setDetached.run(detached ? 1 : 0, executionId));
    },
    async detachAll() {
      await db.write(() => statements.detachAll.run());
    },
    async withdrawEnded(now) {
      await db.write(() => statements.withdrawEnded.run(now));
    },
    nextExpiry: async () => statements.nextExpiry.get() ?? null,
    expired: async (now) => statements.expired.all(now),
    undone: async () => statements.undone.all(),
    interruptUnasked: (now) => db.write(() => statements.interruptUnasked.all(UNASKED, now)),
  };
}

function toItem(row: ApprovalRow): ApprovalItem {
  return {
    ...toApprovalFacts(row),
    toolName: row.toolName,
    // A source of a later version must not hide the inbox.
    source: executionSourceSchema.catch("api").parse(row.source),
    actor: { id: row.actorId, name: row.actorName },
    client: row.client,
    runId: row.runId,
    argumentsText: row.arguments,
    definition: parseDefinition(row.definitionJson),
    detached: row.detached === 1,
  };
}

function toStored(row: ApprovalRow): StoredApproval {
  return {
    ...toItem(row),
    waits: row.executionStatus === "waiting",
    callId: row.callId,
    parentId: row.parentId,
    protocol: row.protocol,
    timeoutMs: row.timeoutMs,
    validationSkipped: row.validationSkipped === 1,
  };
}

/** It was checked when it was registered; a row that somebody broke by hand is shown without it. */
function parseDefinition(text: string | null): ToolDefinition | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) && typeof value.name === "string" ? (value as unknown as ToolDefinition) : null;
  } catch {
    return null;
  }
}
