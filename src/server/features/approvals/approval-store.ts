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
  /** The process where its caller waited, and whether that is this one. */
  instanceId: string;
  own: boolean;
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
  /**
   * One transaction, arguments included. False when it is no longer open, or a person comes after it expired or its call
   * has ended.
   */
  decide(decision: ApprovalDecisionRecord): Promise<boolean>;
  /** Its caller no longer listens. False when it is no longer open. */
  detach(executionId: string): Promise<boolean>;
  /** A caller in this process listens to it again. */
  adopt(executionId: string): Promise<void>;
  /** Of these, those that were decided and those whose calls have ended otherwise. One read. */
  settled(executionIds: readonly string[]): Promise<string[]>;
  /** Closes those whose calls have ended without telling: the logbook could not be written then. False for none. */
  withdrawEnded(now: number): Promise<boolean>;
  /** The processes that calls wait in, or waited in. */
  waitingInstances(): Promise<string[]>;
  /** No caller in these processes listens. */
  detachAll(instanceIds: readonly string[]): Promise<void>;
  /** When the next open one expires; null where none is open. */
  nextExpiry(): Promise<number | null>;
  expired(now: number): Promise<string[]>;
  /** Those that were decided while their calls still wait: their server ended in between. */
  undone(): Promise<string[]>;
  /** Ends calls of these processes that were to wait and that nobody was asked for, and gives their ids. */
  interruptUnasked(now: number, instanceIds: readonly string[]): Promise<string[]>;
}

const MAX_PAGE = 200;
const UNASKED = "Interrupted: the server ended before anybody could be asked to approve this call";

export interface ApprovalStoreOptions {
  db: Database;
  /** Of `InstanceStore`: the process whose callers wait here. */
  instanceId: string;
}

export function createApprovalStore({ db, instanceId }: ApprovalStoreOptions): ApprovalStore {
  const { raw } = db;
  const statements = prepareApprovalStatements(raw);

  const decideTogether = raw.transaction((decision: ApprovalDecisionRecord): boolean => {
    const { executionId, status, decidedAt, by, reason, editedText } = decision;
    // What expires is decided by the clock, which may do so at any time after.
    const byPerson = status === "approved" || status === "rejected";
    const limits = [executionId, byPerson ? decidedAt : 0, byPerson ? 1 : 0];
    const values = [status, decidedAt, by?.id ?? null, by?.name ?? null, reason, ...limits];
    if (statements.decide.run(...values).changes === 0) return false;
    if (editedText !== undefined) {
      statements.keepRequested.run(executionId);
      statements.editArguments.run(...editValues(executionId, editedText));
    }
    return true;
  });

  const adoptTogether = raw.transaction((executionId: string): void => {
    if (statements.attach.run(executionId).changes > 0) statements.own.run(instanceId, executionId);
  });
  const toStored = (row: ApprovalRow): StoredApproval => storedOf(row, instanceId);

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
    detach: (executionId) => db.write(() => statements.detach.run(executionId).changes > 0),
    adopt: (executionId) => db.write(() => adoptTogether.immediate(executionId)),
    settled: async (executionIds) => statements.settled.all(JSON.stringify(executionIds)),
    async withdrawEnded(now) {
      // There seldom is one, and a write would wait for other programs.
      if (statements.findEnded.get() === undefined) return false;
      return await db.write(() => statements.withdrawEnded.run(now).changes > 0);
    },
    waitingInstances: async () => statements.waitingInstances.all(),
    async detachAll(instanceIds) {
      await db.write(() => statements.detachAll.run(JSON.stringify(instanceIds)));
    },
    nextExpiry: async () => statements.nextExpiry.get() ?? null,
    expired: async (now) => statements.expired.all(now),
    undone: async () => statements.undone.all(),
    interruptUnasked: (now, instanceIds) =>
      db.write(() => statements.interruptUnasked.all(UNASKED, now, JSON.stringify(instanceIds))),
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

function storedOf(row: ApprovalRow, own: string): StoredApproval {
  return {
    ...toItem(row),
    waits: row.executionStatus === "waiting",
    instanceId: row.instanceId,
    own: row.instanceId === own,
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
