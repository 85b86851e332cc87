import type { RunEvent, RunSettings } from "../../../../lib/contract/run";
import { addRunCosts, type RunCost, toDay } from "../../../calls/spend/db/spend-sql";
import type { SqliteDatabase } from "../../../platform/db/database";
import type { NewRun, RunSums } from "../run-store";

/** An addition to the log of a run. */
export interface Append {
  runId: string;
  events: readonly RunEvent[];
  sums: RunSums;
}

export interface RunWrites {
  /** The row and what its log begins with, together or not at all. */
  create(run: NewRun, events: readonly RunEvent[]): Promise<void>;
  /** One transaction. @returns the runs that another instance of the server owns: nothing was written of these */
  append(batch: readonly Append[]): Promise<ReadonlySet<string>>;
  /**
   * Appends together with what others write in this turn of the event loop.
   * @param take returns the batch, at the last moment
   */
  appendTogether(take: () => readonly Append[]): Promise<ReadonlySet<string>>;
}

const NONE: ReadonlySet<string> = new Set();

export function toRunRow({ actor, settings, ...run }: NewRun, owner: string) {
  const { provider, model } = settings;
  const { id, status, source, title, startedAt, parentId, parentStep, parentResults, transcriptId } = run;
  const names = { actorId: actor.id, actorName: actor.name, provider, model };
  const parent = { parentId, parentStep, parentResults, transcriptId };
  return { id, status, source, title, startedAt, ...names, ...parent, owner, settings: JSON.stringify(settings) };
}

/**
 * The last sums of each run in a batch.
 * @param written settings that a run's row already holds, by run: they can be as long as a system prompt
 */
export function listSums(batch: readonly Append[], written: ReadonlyMap<string, RunSettings>) {
  const newest = new Map<string, RunSums>();
  for (const { runId, sums } of batch) newest.set(runId, sums);
  return [...newest].map(([runId, sums]) => {
    const { settings, usage, status, provider, model, finishedAt, activeMs, cost, error } = sums;
    const { modelCalls, toolCalls, failedToolCalls } = sums;
    const { inputTokens, outputTokens, cachedInputTokens: cachedTokens = 0, reasoningTokens = 0 } = usage;
    const calls = { modelCalls, toolCalls, failedToolCalls };
    const tokens = { inputTokens, outputTokens, cachedTokens, reasoningTokens };
    const settingsText = written.get(runId) === settings ? null : JSON.stringify(settings);
    return {
      runId,
      status,
      provider,
      model,
      finishedAt,
      activeMs,
      cost,
      error,
      ...calls,
      ...tokens,
      settings: settingsText,
    };
  });
}

/** The current costs of a batch's runs, where they are known. */
export function listCosts(batch: readonly Append[]): RunCost[] {
  const costs = new Map<string, RunCost>();
  for (const { runId, events, sums } of batch) {
    const { provider, model, cost } = sums;
    if (cost === null) continue;
    const before = costs.get(runId)?.calls ?? 0;
    const calls =
      before + events.filter((event) => event.type === "model_finished" && event.usage !== undefined).length;
    const day = toDay(events.at(-1)?.at ?? 0);
    costs.set(runId, { runId, provider, model, cost, day, calls });
  }
  return [...costs.values()];
}

const ADD_COST = addRunCosts(
  `(SELECT @runId AS "runId", @provider AS "provider", @model AS "model", @cost AS "cost", @day AS "day", @calls AS "calls") AS v`,
  (cost) => `CAST(round(${cost} * 1000000) AS INTEGER)`,
  "true",
);

export function createSqliteRunWrites(
  { raw, write, writeTogether }: SqliteDatabase,
  written: ReadonlyMap<string, RunSettings>,
  owner: string,
): RunWrites {
  const insert = raw.prepare('INSERT INTO "RunEvent" ("runId", "index", at, type, body) VALUES (?, ?, ?, ?, ?)');
  const insertRun = raw.prepare(
    `INSERT INTO "Run" (id, status, source, provider, model, title, "actorId", "actorName", "startedAt", "parentId",
       "parentStep", "parentResults", "transcriptId", owner, settings)
     VALUES (@id, @status, @source, @provider, @model, @title, @actorId, @actorName, @startedAt, @parentId,
       @parentStep, @parentResults, @transcriptId, @owner, @settings)`,
  );
  const update = raw.prepare(
    `UPDATE "Run" SET status = @status, provider = @provider, model = @model, settings = coalesce(@settings, settings),
       "finishedAt" = @finishedAt, "activeMs" = @activeMs, "modelCalls" = @modelCalls, "toolCalls" = @toolCalls,
       "failedToolCalls" = @failedToolCalls, "inputTokens" = @inputTokens, "outputTokens" = @outputTokens,
       "cachedTokens" = @cachedTokens, "reasoningTokens" = @reasoningTokens, cost = @cost, error = @error,
       owner = CASE WHEN @finishedAt IS NULL THEN owner END
     WHERE id = @runId`,
  );
  const addCost = raw.prepare(ADD_COST);
  const insertEvents = (runId: string, events: readonly RunEvent[]): void => {
    for (const { index, at, type, ...body } of events) insert.run(runId, index, at, type, JSON.stringify(body));
  };
  const createTogether = raw.transaction((run: NewRun, events: readonly RunEvent[]) => {
    insertRun.run(toRunRow(run, owner));
    insertEvents(run.id, events);
  });
  const commit = raw.transaction((batch: readonly Append[]) => {
    // Adds the difference to the stored cost.
    for (const cost of listCosts(batch)) addCost.run(cost);
    for (const sums of listSums(batch, written)) update.run(sums);
    for (const { runId, events } of batch) insertEvents(runId, events);
  });
  return {
    create: (run, events) => write(() => createTogether(run, events)),
    // One process owns the database with all of its runs.
    append: (batch) => write(() => commit(batch)).then(() => NONE),
    appendTogether: (take) => writeTogether(() => commit(take())).then(() => NONE),
  };
}
