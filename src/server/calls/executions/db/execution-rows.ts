import { z } from "zod";
import {
  errorKindSchema,
  executionSourceSchema,
  executionStatusSchema,
  faultSchema,
  firedLimitSchema,
} from "../../../../lib/contract/envelope";
import { type ExecutionSummary, executionSummarySchema, logLineSchema } from "../../../../lib/contract/execution";
import { isPlainObject } from "../../../../lib/contract/json";
import type { ToolDefinition } from "../../../../lib/contract/tool-definition";
import { parseWithDigits } from "../../../../lib/json/number-digits";
import { deepFreeze } from "../../../engine/registry/check-definition";
import { toAmount } from "../../../engine/rules/limits/limit-slot";
import type { DamagedRows } from "../../../platform/db/damaged-rows";
import { BoundedCache } from "../../../platform/workers/bounded-cache";
import type { StoredExecution } from "../execution-store";

/** A row of `SUMMARY_COLUMNS`: its texts are not checked yet. */
export interface SummaryRow
  extends Omit<ExecutionSummary, "actor" | "pinned" | "status" | "source" | "errorKind" | "calledAs" | "cost"> {
  status: string;
  source: string;
  errorKind: string | null;
  actorId: string;
  actorName: string;
  pinned: number;
  calledAs: string | null;
  /** Millionths of a US dollar. */
  cost: number | null;
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

/**
 * The schema is the rule, and reports what is wrong with a damaged row; the rows of a page pass `isSummary`, which takes a
 * fiftieth of its time.
 */
export function toSummary(row: SummaryRow): ExecutionSummary {
  // Written out, since copying the rest of a row by its keys takes longer than reading the row.
  const summary = {
    seq: row.seq,
    id: row.id,
    toolName: row.toolName,
    calledAs: row.calledAs ?? undefined,
    implementationType: row.implementationType,
    status: row.status,
    source: row.source,
    actor: { id: row.actorId, name: row.actorName },
    client: row.client,
    argumentsPreview: row.argumentsPreview,
    errorPreview: row.errorPreview,
    errorKind: row.errorKind,
    executionTimeMs: row.executionTimeMs,
    durationMs: row.durationMs,
    queuedAt: row.queuedAt,
    finishedAt: row.finishedAt,
    resultBytes: row.resultBytes,
    storedBytes: row.storedBytes,
    ...(row.cost !== null && { cost: toAmount("money", row.cost) }),
    parentId: row.parentId,
    runId: row.runId,
    runTitle: row.runTitle,
    pinned: row.pinned === 1,
  };
  return isSummary(summary) ? summary : executionSummarySchema.parse(summary);
}

type UncheckedSummary = Record<
  Exclude<keyof ExecutionSummary, "match" | "restricted" | "calledAs" | "cost" | "actor">,
  unknown
> & {
  calledAs?: unknown;
  cost?: unknown;
  actor: Record<keyof ExecutionSummary["actor"], unknown>;
};

const STATUSES: ReadonlySet<unknown> = new Set(executionStatusSchema.options);
const SOURCES: ReadonlySet<unknown> = new Set(executionSourceSchema.options);
const ERROR_KINDS: ReadonlySet<unknown> = new Set([null, ...errorKindSchema.options]);

const isActorText = (value: unknown): boolean => typeof value === "string" && value.length > 0 && value.length <= 200;
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === "string";
const isNumberOrNull = (value: unknown): boolean => value === null || Number.isFinite(value);
const isIntegerOrNull = (value: unknown): boolean => value === null || Number.isSafeInteger(value);

/** True for a row that the schema accepts unchanged; false leaves the decision to the schema. */
function isSummary(row: UncheckedSummary): row is ExecutionSummary {
  return (
    STATUSES.has(row.status) &&
    SOURCES.has(row.source) &&
    ERROR_KINDS.has(row.errorKind) &&
    Number.isSafeInteger(row.seq) &&
    typeof row.id === "string" &&
    typeof row.toolName === "string" &&
    (row.calledAs === undefined || typeof row.calledAs === "string") &&
    isTextOrNull(row.implementationType) &&
    isActorText(row.actor.id) &&
    isActorText(row.actor.name) &&
    isTextOrNull(row.client) &&
    typeof row.argumentsPreview === "string" &&
    isTextOrNull(row.errorPreview) &&
    isNumberOrNull(row.executionTimeMs) &&
    isNumberOrNull(row.durationMs) &&
    Number.isFinite(row.queuedAt) &&
    isNumberOrNull(row.finishedAt) &&
    isIntegerOrNull(row.resultBytes) &&
    isIntegerOrNull(row.storedBytes) &&
    (row.cost === undefined || Number.isFinite(row.cost)) &&
    isTextOrNull(row.parentId) &&
    isTextOrNull(row.runId) &&
    isTextOrNull(row.runTitle) &&
    typeof row.pinned === "boolean"
  );
}

// Building a schema takes longer than reading a row.
const faultsSchema = z.array(faultSchema);
const logsSchema = z.array(logLineSchema);

/** Converts a row to an execution. A damaged column is left out, so that the rest of the row is still shown. */
export function toStored(
  row: DetailRow,
  { approval, ruleMatches }: Pick<StoredExecution, "approval" | "ruleMatches">,
  damaged: DamagedRows,
  parseDefinition: (text: string | null) => ToolDefinition | null,
): StoredExecution {
  const parseColumn = <T>(column: JsonColumn, schema: z.ZodType<T>): T | null => {
    const text = row[column];
    return text === null
      ? null
      : damaged.read(`${column} of an execution`, row.id, () => schema.parse(JSON.parse(text)));
  };
  const summary = toSummary(row);
  // Written out, since every copy of so many fields takes longer than reading the row.
  return {
    seq: summary.seq,
    id: summary.id,
    toolName: summary.toolName,
    calledAs: summary.calledAs,
    implementationType: summary.implementationType,
    status: summary.status,
    source: summary.source,
    actor: summary.actor,
    client: summary.client,
    argumentsPreview: summary.argumentsPreview,
    errorPreview: summary.errorPreview,
    errorKind: summary.errorKind,
    executionTimeMs: summary.executionTimeMs,
    durationMs: summary.durationMs,
    queuedAt: summary.queuedAt,
    finishedAt: summary.finishedAt,
    resultBytes: summary.resultBytes,
    storedBytes: summary.storedBytes,
    cost: summary.cost,
    parentId: summary.parentId,
    runId: summary.runId,
    runTitle: summary.runTitle,
    pinned: summary.pinned,
    argumentsText: row.arguments,
    resultText: row.result,
    resultTruncated: row.resultTruncated === 1,
    error: row.error,
    faults: parseColumn("faults", faultsSchema) ?? [],
    limit: parseColumn("firedLimit", firedLimitSchema),
    startedAt: row.startedAt,
    timing: { validateMs: row.validateMs, recordMs: row.recordMs, waitMs: row.waitMs, runMs: row.runMs },
    timeoutMs: row.timeoutMs,
    validationSkipped: row.validationSkipped === 1,
    definition: damaged.read("definition of an execution", row.id, () => parseDefinition(row.definitionJson)),
    definitionHash: row.definitionHash,
    version:
      row.versionNumber === null || row.versionTool === null
        ? null
        : { number: row.versionNumber, toolName: row.versionTool },
    logs: parseColumn("logs", logsSchema) ?? [],
    callId: row.callId,
    toolset: row.toolset,
    taskId: row.taskId,
    tokenId: row.tokenId,
    reason: row.reason,
    serverName: row.serverName,
    credential: row.credential === "personal" ? "personal" : null,
    lens: row.lens === null ? null : { expression: row.lens, fault: row.lensFault },
    approval,
    ruleMatches,
    modelChars: row.modelChars,
    resultChars: row.resultChars,
  };
}

const definitionShape = z.looseObject({
  name: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  implementation: z.looseObject({ type: z.string() }),
});

/** The texts of definitions that are kept parsed, in characters. */
const KEPT_DEFINITIONS = { maxEntries: 500, maxSize: 4_194_304 };

/**
 * Parses the definitions of rows; null for what is no definition: it was recorded so, and the rest of the row is still worth
 * showing. The ones that were read last are kept by their text, since every call is read once it has ended, and frozen as the
 * definitions of the catalog are.
 */
export function createDefinitionParser(): (text: string | null) => ToolDefinition | null {
  const parsed = new BoundedCache<ToolDefinition | null>(KEPT_DEFINITIONS);
  return (text) => {
    if (text === null) return null;
    const known = parsed.get(text);
    if (known !== undefined) return known;
    const value = parseWithDigits(text);
    const definition = isDefinition(value) ? deepFreeze(value) : null;
    parsed.set(text, definition, text.length);
    return definition;
  };
}

/** The caller keeps the value itself, since the parsed copy would lose a key called `__proto__`. */
function isDefinition(value: unknown): value is ToolDefinition {
  return isPlainObject(value) && definitionShape.safeParse(value).success;
}
