import type { ExecutionEnd, ExecutionStart } from "../../../engine/ports";
import { toUnits } from "../../../engine/rules/limits/limit-slot";
import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import { ADD_COST_SQL, REMOVE_COST_SQL } from "../../spend/db/spend-sql";
import { CHARGE_LIMIT_SQL } from "./limit-charges";

/** Characters of the arguments that a list shows. Shorter arguments are their own preview and are not stored twice. */
const PREVIEW_CHARS = 200;

/** The columns that `startRow` fills. */
export const START_COLUMNS =
  `id, toolName, implementationType, source, actorId, actorName, client, protocol, serverName, queuedAt,
  validateMs, timeoutMs, validationSkipped, parentId, runId, callId, definitionHash, instanceId, argumentsPreview,
  arguments, reason, toolset, tokenId, calledAs`.split(/,\s+/);

/** The columns that `endRow` fills. */
export const END_COLUMNS =
  `status, resultTruncated, startedAt, finishedAt, executionTimeMs, recordMs, runMs, resultBytes,
  storedBytes, modelChars, resultChars, credential, lens, lensFault, taskId, errorKind, firedLimit, error,
  faults, logs, result, cost`.split(/,\s+/);

/** The columns that `matchRows` fills. */
export const MATCH_COLUMNS = ["executionId", "ruleId", "name", "version", "effect", "recordOnly", "matchedAt", "facts"];

/** Duration: the time the tool itself ran. Null for a call whose tool did not run. */
export const DURATION_SQL = `CASE WHEN "runMs" IS NOT NULL THEN round("executionTimeMs" - coalesce("validateMs", 0), 3) END`;

const listColumns = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(", ");
/** Positional, since binding 40 columns by name takes three times as long. */
export function pickValues(columns: readonly string[], row: SqlRow): SqlValue[] {
  const values: SqlValue[] = [];
  for (const column of columns) values.push(row[column] as SqlValue);
  return values;
}
const listMarks = (columns: readonly string[]) => columns.map(() => "?").join(", ");

export const INSERT_RUNNING_SQL = `INSERT INTO "Execution" (status, ${listColumns(START_COLUMNS)})
  VALUES ('running', ${listMarks(START_COLUMNS)})`;

const INSERT_WAITING_SQL = `INSERT INTO "Execution" (status, ${listColumns(START_COLUMNS)})
  VALUES ('waiting', ${listMarks(START_COLUMNS)})`;

/** A call that was recorded while its server started, with the tool that was found since. */
const COMPLETE_SQL = `UPDATE "Execution" SET status = ?, ${START_COLUMNS.map((column) => `"${column}" = ?`).join(", ")}
  WHERE id = ? AND status = 'running' RETURNING seq`;

/** The definition may have changed while a user was waited for; what is recorded is the one that runs. */
const PROCEED_SQL = `UPDATE "Execution" SET status = 'running', "startedAt" = ?, "instanceId" = ?, "definitionHash" = ?,
  "implementationType" = ?, "serverName" = ?, "timeoutMs" = ? WHERE id = ? AND status = 'waiting' RETURNING seq`;

/** An existing request stays unchanged. */
export const INSERT_APPROVAL_SQL = `INSERT INTO "Approval" ("executionId", status, "requestedAt", "expiresAt", mode)
  VALUES (?, 'open', ?, ?, ?) ON CONFLICT ("executionId") DO NOTHING`;

/** An approver's edit is decided again: the rule's newer match replaces the one of the request. */
export const ON_MATCHED_AGAIN = `ON CONFLICT ("executionId", "ruleId") DO UPDATE SET name = excluded.name, version = excluded.version,
  effect = excluded.effect, "recordOnly" = excluded."recordOnly", facts = excluded.facts`;
const INSERT_MATCH_SQL = `INSERT INTO "RuleMatch" (${listColumns(MATCH_COLUMNS)}) VALUES (${listMarks(MATCH_COLUMNS)}) ${ON_MATCHED_AGAIN}`;

/** Only a call that has not begun can have its arguments changed. */
export const EDIT_ARGUMENTS_SQL = `UPDATE "Execution" SET arguments = ?, "argumentsPreview" = ? WHERE id = ? AND status = 'waiting'`;

const INSERT_ENDED_SQL = `INSERT INTO "Execution" (${listColumns(START_COLUMNS)}, ${listColumns(END_COLUMNS)})
  VALUES (${listMarks(START_COLUMNS)}, ${listMarks(END_COLUMNS)})`;

const END_ASSIGNMENTS = END_COLUMNS.map((column) => `"${column}" = ?`).join(", ");

/** A compare-and-set: only what has not ended can end. */
export const END_BY_SEQ_SQL = `UPDATE "Execution" SET ${END_ASSIGNMENTS} WHERE seq = ? AND status IN ('running', 'waiting')`;
const END_INTERRUPTED_SQL = `UPDATE "Execution" SET ${END_ASSIGNMENTS} WHERE seq = ?`;

export type SqlValue = string | number | null;
/** Values by column. */
export type SqlRow = Record<string, SqlValue>;

export function startRow(start: ExecutionStart, definitionHash: string | null, instanceId: string): SqlRow {
  const { id, toolName, implementationType, source, actor, client, protocol, serverName, queuedAt } = start;
  const { validateMs, timeoutMs, parentId, runId, callId, argumentsText } = start;
  // Lists the members, since a spread of `start` takes ten times as long.
  return {
    id,
    toolName,
    implementationType,
    source,
    client,
    protocol,
    serverName,
    queuedAt,
    validateMs,
    timeoutMs,
    parentId,
    runId,
    callId,
    actorId: actor.id,
    actorName: actor.name,
    validationSkipped: start.validationSkipped ? 1 : 0,
    definitionHash,
    instanceId,
    argumentsPreview: preview(argumentsText),
    arguments: argumentsText,
    reason: start.reason ?? null,
    toolset: start.toolset ?? null,
    tokenId: start.tokenId ?? null,
    calledAs: start.calledAs ?? null,
  };
}

export function editValues(id: string, argumentsText: string): SqlValue[] {
  return [argumentsText, preview(argumentsText), id];
}

export function matchRows({ id, queuedAt, ruleMatches = [] }: ExecutionStart): SqlRow[] {
  return ruleMatches.map(({ ruleId, name, version, effect, recordOnly, values }) => ({
    executionId: id,
    ruleId,
    name,
    version,
    effect,
    recordOnly: recordOnly ? 1 : 0,
    matchedAt: queuedAt,
    facts: JSON.stringify(values),
  }));
}

export const matchValues = (start: ExecutionStart): SqlValue[][] =>
  matchRows(start).map((row) => pickValues(MATCH_COLUMNS, row));

export const endValues = (end: ExecutionEnd): SqlValue[] => pickValues(END_COLUMNS, endRow(end));

export function endRow(end: ExecutionEnd): SqlRow {
  const { status, startedAt, finishedAt, executionTimeMs, recordMs, runMs, resultBytes, storedBytes } = end;
  const { modelChars, resultChars, credential, errorKind, error } = end;
  return {
    status,
    startedAt,
    finishedAt,
    executionTimeMs,
    recordMs,
    runMs,
    resultBytes,
    storedBytes,
    modelChars,
    resultChars,
    credential,
    errorKind,
    error,
    lens: end.lens ?? null,
    lensFault: end.lensFault ?? null,
    taskId: end.taskId ?? null,
    resultTruncated: end.resultTruncated ? 1 : 0,
    firedLimit: end.limit === null ? null : JSON.stringify(end.limit),
    faults: end.faults === null ? null : JSON.stringify(end.faults),
    logs: end.logs === null ? null : JSON.stringify(end.logs),
    result: end.resultText,
    cost: end.cost === undefined || end.cost === null ? null : toUnits("money", end.cost),
  };
}

export function preview(text: string): string | null {
  if (text.length <= PREVIEW_CHARS) return null;
  // Half of a character outside the basic plane would be stored as a replacement character.
  const last = text.charCodeAt(PREVIEW_CHARS - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? PREVIEW_CHARS - 1 : PREVIEW_CHARS);
}

export interface EndTarget {
  seq: number;
  status: string;
  finishedAt: number | null;
}

/** The journal's statements, prepared once. All of them expect an open transaction. */
export function prepareExecutionStatements(raw: RawDatabase) {
  const prepare = (sql: string) => raw.prepare<SqlValue[]>(sql).safeIntegers(false);
  return {
    begin: prepare("BEGIN IMMEDIATE"),
    commit: prepare("COMMIT"),
    rollback: prepare("ROLLBACK"),
    insertDefinition: prepare(
      'INSERT INTO "Definition" (hash, "toolName", json) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING',
    ),
    insertRunning: prepare(INSERT_RUNNING_SQL),
    insertWaiting: prepare(INSERT_WAITING_SQL),
    complete: raw.prepare<SqlValue[], number>(COMPLETE_SQL).pluck().safeIntegers(false),
    insertApproval: prepare(INSERT_APPROVAL_SQL),
    insertMatch: prepare(INSERT_MATCH_SQL),
    chargeLimit: prepare(CHARGE_LIMIT_SQL),
    addCost: prepare(ADD_COST_SQL),
    removeCost: prepare(REMOVE_COST_SQL),
    editArguments: prepare(EDIT_ARGUMENTS_SQL),
    proceed: raw.prepare<SqlValue[], number>(PROCEED_SQL).pluck().safeIntegers(false),
    insertEnded: prepare(INSERT_ENDED_SQL),
    endBySeq: prepare(END_BY_SEQ_SQL),
    endInterrupted: prepare(END_INTERRUPTED_SQL),
    findEndTarget: raw
      .prepare<[string], EndTarget>('SELECT seq, status, "finishedAt" FROM "Execution" WHERE id = ?')
      .safeIntegers(false),
  };
}

export type ExecutionStatements = ReturnType<typeof prepareExecutionStatements>;
