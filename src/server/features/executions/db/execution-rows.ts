import { z } from "zod";
import type { ApprovalFacts } from "../../../../lib/contract/approval";
import { faultSchema, firedLimitSchema } from "../../../../lib/contract/envelope";
import { type ExecutionSummary, executionSummarySchema, logLineSchema } from "../../../../lib/contract/execution";
import { isPlainObject } from "../../../../lib/contract/json";
import type { ToolDefinition } from "../../../../lib/contract/tool-definition";
import type { DamagedRows } from "../../../platform/db/damaged-rows";
import type { StoredExecution } from "../execution-store";

/** A row of `SUMMARY_COLUMNS`: its texts are not checked yet. */
export interface SummaryRow
  extends Omit<ExecutionSummary, "actor" | "pinned" | "status" | "source" | "errorKind" | "calledAs"> {
  status: string;
  source: string;
  errorKind: string | null;
  actorId: string;
  actorName: string;
  pinned: number;
  calledAs: string | null;
}

type JsonColumn = "faults" | "firedLimit" | "logs";
type UnchangedColumn =
  | ("startedAt" | "timeoutMs" | "modelChars" | "resultChars")
  | ("callId" | "serverName" | "definitionHash" | "error" | "reason" | "toolset" | "taskId" | "tokenId");

export interface DetailRow extends SummaryRow, Pick<StoredExecution, UnchangedColumn> {
  resultTruncated: number;
  validationSkipped: number;
  validateMs: number | null;
  recordMs: number | null;
  runMs: number | null;
  waitMs: number | null;
  credential: string | null;
  lens: string | null;
  lensFault: string | null;
  definitionJson: string | null;
  versionNumber: number | null;
  versionTool: string | null;
  firedLimit: string | null;
  faults: string | null;
  logs: string | null;
  arguments: string;
  result: string | null;
}

export function toSummary({ actorId, actorName, pinned, calledAs, ...row }: SummaryRow): ExecutionSummary {
  const actor = { id: actorId, name: actorName };
  return executionSummarySchema.parse({ ...row, ...(calledAs !== null && { calledAs }), actor, pinned: pinned === 1 });
}

/** A column that is damaged is left out; the rest of the row is still worth showing. */
export function toStored(row: DetailRow, approval: ApprovalFacts | null, damaged: DamagedRows): StoredExecution {
  const parseColumn = <T>(column: JsonColumn, schema: z.ZodType<T>): T | null => {
    const text = row[column];
    return text === null
      ? null
      : damaged.read(`${column} of an execution`, row.id, () => schema.parse(JSON.parse(text)));
  };
  return {
    ...toSummary(row),
    argumentsText: row.arguments,
    resultText: row.result,
    resultTruncated: row.resultTruncated === 1,
    error: row.error,
    faults: parseColumn("faults", z.array(faultSchema)) ?? [],
    limit: parseColumn("firedLimit", firedLimitSchema),
    startedAt: row.startedAt,
    timing: { validateMs: row.validateMs, recordMs: row.recordMs, waitMs: row.waitMs, runMs: row.runMs },
    timeoutMs: row.timeoutMs,
    validationSkipped: row.validationSkipped === 1,
    definition: damaged.read("definition of an execution", row.id, () => parseDefinition(row.definitionJson)),
    definitionHash: row.definitionHash,
    version: toVersion(row),
    logs: parseColumn("logs", z.array(logLineSchema)) ?? [],
    callId: row.callId,
    toolset: row.toolset,
    taskId: row.taskId,
    tokenId: row.tokenId,
    reason: row.reason,
    serverName: row.serverName,
    credential: row.credential === "personal" ? "personal" : null,
    lens: row.lens === null ? null : { expression: row.lens, fault: row.lensFault },
    approval,
    modelChars: row.modelChars,
    resultChars: row.resultChars,
  };
}

function toVersion({ versionNumber, versionTool }: DetailRow): StoredExecution["version"] {
  return versionNumber === null || versionTool === null ? null : { number: versionNumber, toolName: versionTool };
}

const definitionShape = z.looseObject({
  name: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  implementation: z.looseObject({ type: z.string() }),
});

/** Null for what is no definition: it was recorded so, and the rest of the row is still worth showing. */
function parseDefinition(text: string | null): ToolDefinition | null {
  if (text === null) return null;
  const value: unknown = JSON.parse(text);
  return isDefinition(value) ? value : null;
}

/** The value itself goes on, not the parsed copy, which would lose a key called `__proto__`. */
function isDefinition(value: unknown): value is ToolDefinition {
  return isPlainObject(value) && definitionShape.safeParse(value).success;
}
