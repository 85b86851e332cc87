import type { Actor } from "../../../../lib/contract/actor";
import type { ApprovalFacts, ApprovalStatus } from "../../../../lib/contract/approval";
import type { Database } from "../../../platform/db/database";
import { LIVING_COPIES } from "../../../platform/db/postgres/postgres-sql";
import { AMONG } from "../../../platform/db/sql";
import { versionColumn } from "../../executions/db/execution-queries";
import type { StoredApproval } from "../approval-store";

/** The condition of the partial index, which a query has to repeat literally. */
const OPEN = "status = 'open'";

const STILL_WAITS = `EXISTS (SELECT 1 FROM "Execution" e WHERE e.id = "executionId" AND e.status = 'waiting')`;

const FACT_COLUMNS = `a."executionId", a.status, a."requestedAt", a."expiresAt", a."decidedAt", a."deciderId", a."deciderName",
  a.reason, a."requestedArguments", a."askedIn", a."decidedIn"`;

export interface ApprovalFactsRow extends Omit<ApprovalFacts, "status" | "decidedBy" | "requestedArgumentsText"> {
  status: string;
  deciderId: string | null;
  deciderName: string | null;
  requestedArguments: string | null;
}

type UnchangedColumn =
  | "toolName"
  | "client"
  | "protocol"
  | "toolset"
  | "tokenId"
  | "runId"
  | "callId"
  | "parentId"
  | "timeoutMs";

/** An approval with facts of its execution. */
export interface ApprovalRow extends ApprovalFactsRow, Pick<StoredApproval, UnchangedColumn> {
  seq: number;
  detached: number;
  mode: string | null;
  source: string;
  actorId: string;
  actorName: string;
  validationSkipped: number;
  executionStatus: string;
  instanceId: string;
  arguments: string;
  definitionJson: string | null;
  version: number | null;
}

export function toApprovalFacts(row: ApprovalFactsRow): ApprovalFacts {
  return {
    executionId: row.executionId,
    status: row.status as ApprovalStatus,
    requestedAt: row.requestedAt,
    expiresAt: row.expiresAt,
    decidedAt: row.decidedAt,
    decidedBy: toDecider(row),
    reason: row.reason,
    requestedArgumentsText: row.requestedArguments,
    askedIn: row.askedIn,
    decidedIn: row.decidedIn,
  };
}

function toDecider({ deciderId, deciderName }: ApprovalFactsRow): Actor | null {
  return deciderId === null ? null : { id: deciderId, name: deciderName ?? deciderId };
}

/** The approvals of executions, by execution. */
export async function findApprovals(
  db: Pick<Database, "rows">,
  executionIds: readonly string[],
): Promise<Map<string, ApprovalFacts>> {
  const rows = await db.rows<ApprovalFactsRow>(
    `SELECT ${FACT_COLUMNS} FROM "Approval" a WHERE a."executionId" ${AMONG}`,
    executionIds,
  );
  return new Map(rows.map((row) => [row.executionId, toApprovalFacts(row)]));
}

const JOINED = `SELECT ${FACT_COLUMNS}, a.seq, a.detached, a.mode, e."toolName", e.source, e."actorId", e."actorName", e.client,
    e."instanceId", e.protocol, e.toolset, e."tokenId", e."runId", e."callId", e."parentId", e."timeoutMs", e."validationSkipped", e.status AS "executionStatus",
    e.arguments,
    (SELECT json FROM "Definition" WHERE hash = e."definitionHash") AS "definitionJson",
    ${versionColumn("number", "e")} AS version
  FROM "Approval" a JOIN "Execution" e ON e.id = a."executionId"`;

/** Calls of one run that the same decision covers; `given` is the decided call. */
const ALIKE = `"Execution" given JOIN "Execution" e ON e."runId" = given."runId" AND e."toolName" = given."toolName"
    AND e."definitionHash" = given."definitionHash" JOIN "Approval" a ON a."executionId" = e.id`;

const ALLOWED = `a.scope = 'run' AND a.status = 'approved' AND a."revokedAt" IS NULL`;

export interface AllowanceRow {
  executionId: string;
  toolName: string;
  decidedAt: number;
  deciderId: string;
  deciderName: string;
}

const ALLOWANCE = `SELECT a."executionId", e."toolName", a."decidedAt", a."deciderId", a."deciderName" FROM`;

const BY_SEQ = "ORDER BY a.seq";

/** The statements of the store, which both databases take. */
export const APPROVALS = {
  findAllowance: `${ALLOWANCE} ${ALIKE} WHERE given.id = ? AND ${ALLOWED} ORDER BY a.seq DESC LIMIT 1`,
  allowances: `${ALLOWANCE} "Execution" e JOIN "Approval" a ON a."executionId" = e.id WHERE e."runId" = ? AND ${ALLOWED} ${BY_SEQ}`,
  allow: `UPDATE "Approval" SET scope = 'run', "revokedAt" = NULL, "revokerId" = NULL, "revokerName" = NULL
    WHERE "executionId" = ? AND status = 'approved' AND (scope IS NULL OR "revokedAt" IS NOT NULL)`,
  revoke: `UPDATE "Approval" SET "revokedAt" = ?, "revokerId" = ?, "revokerName" = ?
    WHERE "executionId" = ? AND scope = 'run' AND "revokedAt" IS NULL`,
  openAlike: `SELECT a."executionId" FROM ${ALIKE} WHERE given.id = ? AND e.id <> given.id AND a.${OPEN} ${BY_SEQ}`,
  find: `${JOINED} WHERE a."executionId" = ?`,
  listOpen: `${JOINED} WHERE a.${OPEN} AND a.seq > ? ${BY_SEQ} LIMIT ?`,
  listDecided: `${JOINED} WHERE a.status <> 'open' AND (a."decidedAt", a.seq) <
      (SELECT coalesce(max("decidedAt"), 9000000000000000), coalesce(max(seq), 9000000000000000) FROM "Approval" WHERE seq = ?)
    ORDER BY a."decidedAt" DESC, a.seq DESC LIMIT ?`,
  countOpen: `SELECT count(*) AS number FROM "Approval" WHERE ${OPEN}`,
  capExpiry: `UPDATE "Approval" SET "expiresAt" = ? WHERE ${OPEN} AND "expiresAt" > ?`,
  nextExpiry: `SELECT min("expiresAt") AS number FROM "Approval" WHERE ${OPEN}`,
  expired: `SELECT "executionId" FROM "Approval" WHERE ${OPEN} AND "expiresAt" <= ? ORDER BY seq`,
  /** Calls that were decided, and whose server ended before they continued. */
  undone: `SELECT a."executionId" FROM "Execution" e JOIN "Approval" a ON a."executionId" = e.id
    WHERE e.status = 'waiting' AND e.status <> 'succeeded' AND a.status <> 'open' ${BY_SEQ}`,
  detach: `UPDATE "Approval" SET detached = true, "askedIn" = NULL WHERE "executionId" = ? AND ${OPEN}`,
  noteAsked: `UPDATE "Approval" SET "askedIn" = ? WHERE "executionId" = ? AND ${OPEN} AND detached = false`,
  attach: `UPDATE "Approval" SET detached = false WHERE "executionId" = ? AND ${OPEN}`,
  settled: `SELECT a."executionId" FROM "Approval" a JOIN "Execution" e ON e.id = a."executionId"
    WHERE a."executionId" ${AMONG} AND (a.status <> 'open' OR e.status <> 'waiting')`,
  findEnded: `SELECT "executionId" FROM "Approval" WHERE ${OPEN} AND NOT ${STILL_WAITS} LIMIT 1`,
  withdrawEnded: `UPDATE "Approval" SET status = 'withdrawn', "decidedAt" = ? WHERE ${OPEN} AND NOT ${STILL_WAITS}`,
  /** A compare-and-set: only what is open can be decided, by a user only until it expires and while its call waits. */
  decide: `UPDATE "Approval" SET status = ?, "decidedAt" = ?, "deciderId" = ?, "deciderName" = ?, reason = ?, scope = ?, "decidedIn" = ?
    WHERE "executionId" = ? AND ${OPEN} AND "expiresAt" > ? AND (? = 0 OR ${STILL_WAITS})`,
  keepRequested: `UPDATE "Approval" SET "requestedArguments" = (SELECT arguments FROM "Execution" WHERE id = "executionId")
    WHERE "executionId" = ?`,
} as const;

/**
 * At the start all calls on SQLite belong to an earlier process; on PostgreSQL other instances of the server may run
 * them.
 */
export function afterEnd(kind: Database["kind"]) {
  const isLost = kind === "postgres" ? `AND "instanceId" NOT IN ${LIVING_COPIES}` : "";
  return {
    detach: `UPDATE "Approval" SET detached = true, "askedIn" = NULL WHERE ${OPEN} AND detached = false
      AND EXISTS (SELECT 1 FROM "Execution" e WHERE e.id = "executionId" ${isLost})`,
    /** Ends calls that were to wait, and whose server ended before it stored their request. */
    interruptUnasked: `UPDATE "Execution" SET status = 'interrupted', error = ?, "errorKind" = 'interrupted',
        "finishedAt" = CASE WHEN "queuedAt" > ? THEN "queuedAt" ELSE ? END
      WHERE status = 'waiting' AND status <> 'succeeded' ${isLost}
        AND NOT EXISTS (SELECT 1 FROM "Approval" a WHERE a."executionId" = "Execution".id) RETURNING id, seq`,
  };
}
