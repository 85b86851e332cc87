import { z } from "zod";
import {
  type ApprovalFacts,
  type ExecutionDetail,
  type ExecutionSummary,
  executionSummarySchema,
  faultSchema,
  firedLimitSchema,
  isPlainObject,
  logLineSchema,
  type ToolDefinition,
} from "../../../lib/contract";

/** What the logbook knows of one call. The rest of `ExecutionDetail` takes the catalogue and other rows. */
export interface StoredExecution
  extends Omit<ExecutionDetail, "definitionChanged" | "modelView" | "parent" | "children"> {
  /** Characters of the result that a model was given, and of the whole. */
  modelChars: number | null;
  resultChars: number | null;
  instanceId: string;
}

/** A row of `SUMMARY_COLUMNS`. */
export interface SummaryRow {
  seq: number;
  id: string;
  status: string;
  pinned: number;
  toolName: string;
  implementationType: string | null;
  source: string;
  actorId: string;
  actorName: string;
  client: string | null;
  queuedAt: number;
  finishedAt: number | null;
  executionTimeMs: number | null;
  resultBytes: number | null;
  errorKind: string | null;
  parentId: string | null;
  runId: string | null;
  argumentsPreview: string;
  errorPreview: string | null;
}

export interface DetailRow extends SummaryRow {
  resultTruncated: number;
  validationSkipped: number;
  startedAt: number | null;
  validateMs: number | null;
  recordMs: number | null;
  runMs: number | null;
  timeoutMs: number | null;
  storedBytes: number | null;
  modelChars: number | null;
  resultChars: number | null;
  callId: string | null;
  serverName: string | null;
  definitionHash: string | null;
  definitionJson: string | null;
  instanceId: string;
  firedLimit: string | null;
  error: string | null;
  faults: string | null;
  logs: string | null;
  arguments: string;
  result: string | null;
}

export function toSummary({ actorId, actorName, pinned, ...row }: SummaryRow): ExecutionSummary {
  return executionSummarySchema.parse({ ...row, actor: { id: actorId, name: actorName }, pinned: pinned === 1 });
}

export function toStored(row: DetailRow, approval: ApprovalFacts | null): StoredExecution {
  return {
    ...toSummary(row),
    argumentsText: row.arguments,
    resultText: row.result,
    resultTruncated: row.resultTruncated === 1,
    storedBytes: row.storedBytes,
    error: row.error,
    faults: parseColumn(row, "faults", z.array(faultSchema)) ?? [],
    limit: parseColumn(row, "firedLimit", firedLimitSchema),
    startedAt: row.startedAt,
    timing: { validateMs: row.validateMs, recordMs: row.recordMs, runMs: row.runMs },
    timeoutMs: row.timeoutMs,
    validationSkipped: row.validationSkipped === 1,
    definition: parseDefinition(row.definitionJson),
    definitionHash: row.definitionHash,
    logs: parseColumn(row, "logs", z.array(logLineSchema)) ?? [],
    callId: row.callId,
    serverName: row.serverName,
    approval,
    modelChars: row.modelChars,
    resultChars: row.resultChars,
    instanceId: row.instanceId,
  };
}

function parseColumn<T>(row: DetailRow, column: "faults" | "firedLimit" | "logs", schema: z.ZodType<T>): T | null {
  const text = row[column];
  if (text === null) return null;
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(`The logbook's row of ${row.id} is damaged: ${column} cannot be read`, { cause: error });
  }
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
