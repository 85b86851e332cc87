import { approvalModeSchema, type RunAllowance } from "../../../../lib/contract/approval";
import { executionSourceSchema } from "../../../../lib/contract/envelope";
import { isPlainObject } from "../../../../lib/contract/json";
import type { ToolDefinition } from "../../../../lib/contract/tool-definition";
import type { SqliteDatabase } from "../../../platform/db/database";
import { editValues } from "../../executions/db/execution-statements";
import type { ApprovalDecisionRecord, ApprovalRecord, ApprovalStore, StoredApproval } from "../approval-store";
import { type AllowanceRow, type ApprovalRow, prepareApprovalStatements, toApprovalFacts } from "./approval-statements";

const MAX_PAGE = 200;
const UNASKED = "Interrupted: the server stopped before this call could be approved";

export function createApprovalStore({ db }: { db: SqliteDatabase }): ApprovalStore {
  const { raw } = db;
  const statements = prepareApprovalStatements(raw);

  const decideTogether = raw.transaction((decision: ApprovalDecisionRecord): boolean => {
    const { executionId, status, decidedAt, by, reason, editedText, scope } = decision;
    // The clock decides what expires, at any time later.
    const byPerson = status === "approved" || status === "rejected";
    const limits = [executionId, byPerson ? decidedAt : 0, byPerson ? 1 : 0];
    const values = [status, decidedAt, by?.id ?? null, by?.name ?? null, reason, scope ?? null, ...limits];
    if (statements.decide.run(...values).changes === 0) return false;
    if (editedText !== undefined) {
      statements.keepRequested.run(executionId);
      statements.editArguments.run(...editValues(executionId, editedText));
    }
    return true;
  });

  return {
    async open({ executionId, requestedAt, expiresAt, mode }) {
      await db.write(() => statements.insert.run(executionId, requestedAt, expiresAt, mode));
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
    async findAllowance(executionId) {
      const row = statements.findAllowance.get(executionId);
      return row === undefined ? null : toAllowance(row);
    },
    allowances: async (runId) => statements.allowances.all(runId).map(toAllowance),
    allow: (executionId) => db.write(() => statements.allow.run(executionId).changes > 0),
    revoke: (executionId, by, at) => db.write(() => statements.revoke.run(at, by.id, by.name, executionId).changes > 0),
    openAlike: async (executionId) => statements.openAlike.all(executionId),
    detach: (executionId) => db.write(() => statements.detach.run(executionId).changes > 0),
    adopt: (executionId) => db.write(() => void statements.attach.run(executionId)),
    settled: async (executionIds) => statements.settled.all(JSON.stringify(executionIds)),
    async withdrawEnded(now) {
      // There seldom is one, and a write would wait for other programs.
      if (statements.findEnded.get() === undefined) return false;
      return await db.write(() => statements.withdrawEnded.run(now).changes > 0);
    },
    detachAll: () => db.write(() => void statements.detachAll.run()),
    nextExpiry: async () => statements.nextExpiry.get() ?? null,
    expired: async (now) => statements.expired.all(now),
    undone: async () => statements.undone.all(),
    interruptUnasked: (now) => db.write(() => statements.interruptUnasked.all(UNASKED, now)),
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
    // A damaged one demands the most.
    mode: approvalModeSchema.nullable().catch("other_admin").parse(row.mode),
    version: row.version,
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

/** A row whose definition is damaged is shown without it. */
function parseDefinition(text: string | null): ToolDefinition | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) && typeof value.name === "string" ? (value as unknown as ToolDefinition) : null;
  } catch {
    return null;
  }
}
