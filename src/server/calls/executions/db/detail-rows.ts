import { toJsonList } from "../../../platform/db/sql";
import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import type { DetailRow } from "./execution-rows";

/**
 * Reads rows of SQLite as lists of their columns and writes each as one literal: an object of fifty columns that the driver makes takes
 * twice the time of reading the row, and copying one takes as long again.
 */
export function prepareDetails(raw: RawDatabase, select: string): (ids: readonly string[]) => DetailRow[] {
  const statement = raw.prepare<[string], unknown[]>(select).safeIntegers(false).raw();
  const places = new Map(statement.columns().map(({ name }, at) => [name, at]));
  const at = (name: keyof DetailRow): number => {
    const place = places.get(name);
    if (place === undefined) throw new Error(`The statement has no column ${name}`);
    return place;
  };
  const toRow = createToRow(at);
  return (ids) => statement.all(toJsonList(ids)).map(toRow);
}

function createToRow(at: (name: keyof DetailRow) => number): (values: readonly unknown[]) => DetailRow {
  const seqAt = at("seq");
  const idAt = at("id");
  const statusAt = at("status");
  const pinnedAt = at("pinned");
  const toolNameAt = at("toolName");
  const implementationTypeAt = at("implementationType");
  const sourceAt = at("source");
  const actorIdAt = at("actorId");
  const actorNameAt = at("actorName");
  const clientAt = at("client");
  const queuedAtAt = at("queuedAt");
  const finishedAtAt = at("finishedAt");
  const executionTimeMsAt = at("executionTimeMs");
  const durationMsAt = at("durationMs");
  const resultBytesAt = at("resultBytes");
  const storedBytesAt = at("storedBytes");
  const costAt = at("cost");
  const errorKindAt = at("errorKind");
  const parentIdAt = at("parentId");
  const runIdAt = at("runId");
  const argumentsPreviewAt = at("argumentsPreview");
  const errorPreviewAt = at("errorPreview");
  const calledAsAt = at("calledAs");
  const runTitleAt = at("runTitle");
  const resultTruncatedAt = at("resultTruncated");
  const validationSkippedAt = at("validationSkipped");
  const startedAtAt = at("startedAt");
  const validateMsAt = at("validateMs");
  const recordMsAt = at("recordMs");
  const runMsAt = at("runMs");
  const waitMsAt = at("waitMs");
  const timeoutMsAt = at("timeoutMs");
  const modelCharsAt = at("modelChars");
  const resultCharsAt = at("resultChars");
  const callIdAt = at("callId");
  const serverNameAt = at("serverName");
  const credentialAt = at("credential");
  const definitionHashAt = at("definitionHash");
  const firedLimitAt = at("firedLimit");
  const errorAt = at("error");
  const faultsAt = at("faults");
  const logsAt = at("logs");
  const argumentsAt = at("arguments");
  const resultAt = at("result");
  const reasonAt = at("reason");
  const toolsetAt = at("toolset");
  const lensAt = at("lens");
  const lensFaultAt = at("lensFault");
  const taskIdAt = at("taskId");
  const tokenIdAt = at("tokenId");
  const definitionJsonAt = at("definitionJson");
  const versionNumberAt = at("versionNumber");
  const versionToolAt = at("versionTool");
  return (values) =>
    ({
      seq: values[seqAt],
      id: values[idAt],
      status: values[statusAt],
      pinned: values[pinnedAt],
      toolName: values[toolNameAt],
      implementationType: values[implementationTypeAt],
      source: values[sourceAt],
      actorId: values[actorIdAt],
      actorName: values[actorNameAt],
      client: values[clientAt],
      queuedAt: values[queuedAtAt],
      finishedAt: values[finishedAtAt],
      executionTimeMs: values[executionTimeMsAt],
      durationMs: values[durationMsAt],
      resultBytes: values[resultBytesAt],
      storedBytes: values[storedBytesAt],
      cost: values[costAt],
      errorKind: values[errorKindAt],
      parentId: values[parentIdAt],
      runId: values[runIdAt],
      argumentsPreview: values[argumentsPreviewAt],
      errorPreview: values[errorPreviewAt],
      calledAs: values[calledAsAt],
      runTitle: values[runTitleAt],
      resultTruncated: values[resultTruncatedAt],
      validationSkipped: values[validationSkippedAt],
      startedAt: values[startedAtAt],
      validateMs: values[validateMsAt],
      recordMs: values[recordMsAt],
      runMs: values[runMsAt],
      waitMs: values[waitMsAt],
      timeoutMs: values[timeoutMsAt],
      modelChars: values[modelCharsAt],
      resultChars: values[resultCharsAt],
      callId: values[callIdAt],
      serverName: values[serverNameAt],
      credential: values[credentialAt],
      definitionHash: values[definitionHashAt],
      firedLimit: values[firedLimitAt],
      error: values[errorAt],
      faults: values[faultsAt],
      logs: values[logsAt],
      arguments: values[argumentsAt],
      result: values[resultAt],
      reason: values[reasonAt],
      toolset: values[toolsetAt],
      lens: values[lensAt],
      lensFault: values[lensFaultAt],
      taskId: values[taskIdAt],
      tokenId: values[tokenIdAt],
      definitionJson: values[definitionJsonAt],
      versionNumber: values[versionNumberAt],
      versionTool: values[versionToolAt],
    }) satisfies { [Name in keyof DetailRow]: unknown } as DetailRow;
}
