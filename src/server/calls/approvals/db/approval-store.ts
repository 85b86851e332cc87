import { type ApprovalLinkUse, approvalModeSchema, type RunAllowance } from "../../../../lib/contract/approval";
import { executionSourceSchema } from "../../../../lib/contract/envelope";
import { isPlainObject } from "../../../../lib/contract/json";
import type { ToolDefinition } from "../../../../lib/contract/tool-definition";
import { parseWithDigits } from "../../../../lib/json/number-digits";
import type { Database } from "../../../platform/db/database";
import { change, type SqlValue, type Steps, selectRow, selectRows } from "../../../platform/db/sql";
import { EDIT_ARGUMENTS_SQL, editValues, INSERT_APPROVAL_SQL } from "../../executions/db/execution-statements";
import { noteEnded } from "../../statistics/db/record-changes";
import type { ApprovalChannelStore, StoredChannel } from "../approval-channels";
import type { ApprovalLinkStore } from "../approval-links";
import type { ApprovalDecisionRecord, ApprovalRecord, ApprovalStore, StoredApproval } from "../approval-store";
import { type AllowanceRow, APPROVALS, type ApprovalRow, afterEnd, toApprovalFacts } from "./approval-statements";

const MAX_PAGE = 200;
/** The largest number that PostgreSQL accepts for this column. */
const MAX_SEQ = 2_147_483_647;
const UNASKED = "Interrupted: the server stopped before this call could be approved";

export function createApprovalStore({ db }: { db: Database }): ApprovalStore {
  const lost = afterEnd(db.kind);
  const listIds = async (sql: string, ...values: SqlValue[]): Promise<string[]> =>
    (await db.rows<{ executionId: string }>(sql, ...values)).map(({ executionId }) => executionId);
  const readNumber = async (sql: string): Promise<number | null> =>
    (await db.row<{ number: number | null }>(sql))?.number ?? null;
  const changes = async (sql: string, ...values: SqlValue[]): Promise<boolean> => (await db.change(sql, ...values)) > 0;

  function* decideTogether(decision: ApprovalDecisionRecord): Steps<boolean> {
    const { executionId, status, decidedAt, by, reason, editedText, scope, client } = decision;
    // SQLite lets one write at a time; here the call must not end between the condition and the commit.
    if (db.kind === "postgres") yield* selectRow('SELECT 1 FROM "Execution" WHERE id = ? FOR UPDATE', executionId);
    // The clock decides what expires, at any time later.
    const byUser = status === "approved" || status === "rejected";
    const limits = [executionId, byUser ? decidedAt : 0, byUser ? 1 : 0];
    const how = [reason, scope ?? null, client ?? null];
    const values = [status, decidedAt, by?.id ?? null, by?.name ?? null, ...how, ...limits];
    if ((yield* change(APPROVALS.decide, ...values)) === 0) return false;
    if (editedText !== undefined) {
      yield* change(APPROVALS.keepRequested, executionId);
      yield* change(EDIT_ARGUMENTS_SQL, ...editValues(executionId, editedText));
    }
    return true;
  }

  return {
    async open({ executionId, requestedAt, expiresAt, mode }) {
      await db.change(INSERT_APPROVAL_SQL, executionId, requestedAt, expiresAt, mode);
    },
    async find(executionId) {
      const row = await db.row<ApprovalRow>(APPROVALS.find, executionId);
      return row === undefined ? null : toStored(row);
    },
    async list(status, cursor, limit) {
      const size = Math.max(1, Math.min(Math.trunc(limit), MAX_PAGE));
      const list = status === "open" ? APPROVALS.listOpen : APPROVALS.listDecided;
      const rows = await db.rows<ApprovalRow>(list, Math.min(cursor ?? 0, MAX_SEQ), size + 1);
      const shown = rows.slice(0, size);
      return { items: shown.map(toItem), nextCursor: rows.length > size ? (shown.at(-1)?.seq ?? null) : null };
    },
    countOpen: async () => (await readNumber(APPROVALS.countOpen)) ?? 0,
    decide: (decision) => db.transaction(() => decideTogether(decision), `approval ${decision.executionId}`),
    async findAllowance(executionId) {
      const row = await db.row<AllowanceRow>(APPROVALS.findAllowance, executionId);
      return row === undefined ? null : toAllowance(row);
    },
    allowances: async (runId) => (await db.rows<AllowanceRow>(APPROVALS.allowances, runId)).map(toAllowance),
    allow: (executionId) => changes(APPROVALS.allow, executionId),
    revoke: (executionId, by, at) => changes(APPROVALS.revoke, at, by.id, by.name, executionId),
    openAlike: (executionId) => listIds(APPROVALS.openAlike, executionId),
    detach: (executionId) => changes(APPROVALS.detach, executionId),
    noteAsked: (executionId, client) => changes(APPROVALS.noteAsked, client, executionId),
    adopt: async (executionId) => void (await db.change(APPROVALS.attach, executionId)),
    settled: (executionIds) => listIds(APPROVALS.settled, executionIds),
    async withdrawEnded(now) {
      // A read comes first: a request is seldom found, and a write would wait for other programs.
      if ((await db.row(APPROVALS.findEnded)) === undefined) return false;
      return await changes(APPROVALS.withdrawEnded, now);
    },
    detachLost: () => changes(lost.detach),
    nextExpiry: () => readNumber(APPROVALS.nextExpiry),
    async capExpiry(latest) {
      await db.change(APPROVALS.capExpiry, latest, latest);
    },
    expired: (now) => listIds(APPROVALS.expired, now),
    undone: () => listIds(APPROVALS.undone),
    async interruptUnasked(now) {
      return await db.transaction(function* () {
        const rows = yield* selectRows<{ id: string; seq: number }>(lost.interruptUnasked, UNASKED, now, now);
        yield* noteEnded(rows.map(({ seq }) => seq));
        return rows.map(({ id }) => id);
      });
    },
  };
}

function toAllowance({ executionId, toolName, decidedAt, deciderId, deciderName }: AllowanceRow): RunAllowance {
  return { executionId, toolName, grantedAt: decidedAt, grantedBy: { id: deciderId, name: deciderName } };
}

function toItem(row: ApprovalRow): ApprovalRecord {
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
    // A damaged mode becomes the strictest one.
    mode: approvalModeSchema.nullable().catch("other_admin").parse(row.mode),
    version: row.version,
    detached: row.detached === 1,
  };
}

function toStored(row: ApprovalRow): StoredApproval {
  return {
    ...toItem(row),
    waits: row.executionStatus === "waiting",
    owner: row.instanceId,
    callId: row.callId,
    parentId: row.parentId,
    protocol: row.protocol,
    toolset: row.toolset,
    tokenId: row.tokenId,
    timeoutMs: row.timeoutMs,
    validationSkipped: row.validationSkipped === 1,
  };
}

/** A row whose definition is damaged is shown without it. */
function parseDefinition(text: string | null): ToolDefinition | null {
  if (text === null) return null;
  try {
    const value = parseWithDigits(text);
    return isPlainObject(value) && typeof value.name === "string" ? (value as unknown as ToolDefinition) : null;
  } catch {
    return null;
  }
}

interface UseRow extends Omit<ApprovalLinkUse, "usedAt"> {
  usedAt: number | bigint;
}

const NOTE = `UPDATE "ApprovalLinkUse"
  SET "userId" = ?, "executionId" = ?, "toolName" = ?, "status" = ?, "address" = ?, "expiresAt" = ? WHERE "id" = ?`;
const UNSEEN = `SELECT "id", "executionId", "toolName", "status", "address", "usedAt" FROM "ApprovalLinkUse"
  WHERE "userId" = ? AND "seenAt" IS NULL ORDER BY "usedAt" DESC, "id" LIMIT ?`;
const SAVE_CHANNEL = `INSERT INTO "ApprovalChannel" ("webhookId", "userId", "receiver", "confirmedAt") VALUES (?, ?, ?, ?)
  ON CONFLICT ("webhookId") DO UPDATE
  SET "userId" = EXCLUDED."userId", "receiver" = EXCLUDED."receiver", "confirmedAt" = EXCLUDED."confirmedAt"`;

export function createApprovalChannelStore(db: Database): ApprovalChannelStore {
  return {
    async find(webhookId) {
      const row = await db.row<StoredChannel>('SELECT * FROM "ApprovalChannel" WHERE "webhookId" = ?', webhookId);
      return row === undefined ? null : { ...row, confirmedAt: Number(row.confirmedAt) };
    },
    async save({ webhookId, userId, receiver, confirmedAt }) {
      await db.change(SAVE_CHANNEL, webhookId, userId, receiver, confirmedAt);
    },
    async delete(webhookId) {
      await db.change('DELETE FROM "ApprovalChannel" WHERE "webhookId" = ?', webhookId);
    },
  };
}

const USE =
  'INSERT INTO "ApprovalLinkUse" ("id", "usedAt", "expiresAt") VALUES (?, ?, ?) ON CONFLICT ("id") DO NOTHING';

export function createApprovalLinkStore(db: Database): ApprovalLinkStore {
  return {
    async use(id, usedAt, expiresAt) {
      // Links that have expired are refused without their rows.
      await db.change('DELETE FROM "ApprovalLinkUse" WHERE "expiresAt" < ?', usedAt);
      return (await db.change(USE, id, usedAt, expiresAt)) === 1;
    },
    async release(id) {
      await db.change('DELETE FROM "ApprovalLinkUse" WHERE "id" = ?', id);
    },
    async note(id, { userId, executionId, toolName, status, address }, keptUntil) {
      await db.change(NOTE, userId, executionId, toolName, status, address, keptUntil, id);
    },
    async listUnseen(userId, limit) {
      const rows = await db.rows<UseRow>(UNSEEN, userId, limit);
      return rows.map(({ usedAt, ...use }) => ({ ...use, usedAt: Number(usedAt) }));
    },
    async markSeen(userId, seenAt) {
      await db.change(
        'UPDATE "ApprovalLinkUse" SET "seenAt" = ? WHERE "userId" = ? AND "seenAt" IS NULL',
        seenAt,
        userId,
      );
    },
    isUsed: async (id) => (await db.row('SELECT "id" FROM "ApprovalLinkUse" WHERE "id" = ?', id)) !== undefined,
  };
}
