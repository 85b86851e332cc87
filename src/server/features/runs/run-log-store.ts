import type { ChatUsage, RunEvent, RunSettings, RunStatus, RunSummary } from "../../../lib/contract";
import type { Database } from "../../db/database";
import { describeWriteError } from "../../db/sqlite/sqlite-error";

/** The sums of a run, as its row has them. */
export interface RunSums {
  status: RunStatus;
  provider: string;
  model: string;
  settings: RunSettings;
  finishedAt: number | null;
  activeMs: number;
  modelCalls: number;
  toolCalls: number;
  failedToolCalls: number;
  usage: ChatUsage;
  cost: number | null;
  error: string | null;
}

export interface NewRun
  extends Pick<
    RunSummary,
    "id" | "status" | "title" | "source" | "actor" | "startedAt" | "parentId" | "parentStep" | "transcriptId"
  > {
  settings: RunSettings;
  parentResults: "live" | "recorded" | null;
}

interface Entry {
  runId: string;
  events: readonly RunEvent[];
  sums: RunSums | null;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** One commit holds at most this many appends, so that the event loop never stands still for long. */
const MAX_BATCH = 256;
const TORN = "The run could not be recorded: what comes before could not be";
/** How long an append that nobody waits for may lie, to share a commit with one that somebody does. */
const LAZY_MS = 15;

/**
 * Group commit, as the logbook of executions has it: what arrives until the event loop comes round is one transaction. A
 * batch that fails is tried again one by one, so that one run's fault is not the others'.
 */
export function createRunLogWriter(db: Database): {
  create(run: NewRun & { instanceId: string }, events: readonly RunEvent[]): Promise<void>;
  append(runId: string, events: readonly RunEvent[], sums: RunSums | null, urgent: boolean): Promise<void>;
} {
  const { raw } = db;
  /** What the rows of live runs have: settings can be as long as a system prompt, and sums are written all the time. */
  const written = new Map<string, RunSettings>();
  const insert = raw.prepare('INSERT INTO RunEvent (runId, "index", at, type, body) VALUES (?, ?, ?, ?, ?)');
  const insertRun = raw.prepare(
    `INSERT INTO Run (id, status, source, provider, model, title, actorId, actorName, startedAt, parentId, parentStep,
       parentResults, transcriptId, instanceId, settings) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = raw.prepare(
    `UPDATE Run SET status = ?, provider = ?, model = ?, settings = coalesce(?, settings), finishedAt = ?, activeMs = ?, modelCalls = ?,
       toolCalls = ?, failedToolCalls = ?, inputTokens = ?, outputTokens = ?, cachedTokens = ?, reasoningTokens = ?,
       cost = ?, error = ? WHERE id = ?`,
  );
  const insertEvents = (runId: string, events: readonly RunEvent[]): void => {
    for (const { index, at, type, ...body } of events) insert.run(runId, index, at, type, JSON.stringify(body));
  };
  const createTogether = raw.transaction((run: NewRun & { instanceId: string }, events: readonly RunEvent[]) => {
    insertRun.run(...columnsOf(run));
    insertEvents(run.id, events);
  });
  const commit = raw.transaction((batch: readonly Entry[]) => {
    const newest = new Map<string, RunSums>();
    for (const { runId, events, sums } of batch) {
      insertEvents(runId, events);
      if (sums !== null) newest.set(runId, sums);
    }
    for (const [runId, sums] of newest) update.run(...valuesOf(sums, written.get(runId) === sums.settings), runId);
  });
  const queue: Entry[] = [];
  /** What comes next in logs that were written to: after a failure nothing may follow with a gap. */
  const next = new Map<string, number>();

  /** Writes what goes on without a gap; gives the entries that do not. */
  function takeContiguous(batch: readonly Entry[]): { good: Entry[]; torn: Entry[] } {
    const reached = new Map<string, number>();
    const good: Entry[] = [];
    const torn: Entry[] = [];
    for (const entry of batch) {
      const first = entry.events[0]?.index;
      const expected = reached.get(entry.runId) ?? next.get(entry.runId) ?? first;
      if (first !== undefined && first !== expected) {
        torn.push(entry);
        continue;
      }
      if (first !== undefined) reached.set(entry.runId, first + entry.events.length);
      good.push(entry);
    }
    return { good, torn };
  }

  function settle(entry: Entry): void {
    const last = entry.events.at(-1);
    if (last?.type === "turn_ended") {
      next.delete(entry.runId);
      written.delete(entry.runId);
    } else {
      if (last !== undefined) next.set(entry.runId, last.index + 1);
      if (entry.sums !== null) written.set(entry.runId, entry.sums.settings);
    }
    entry.resolve();
  }

  let flushing = false;
  let lazily: ReturnType<typeof setTimeout> | null = null;

  function flushNow(): void {
    if (lazily !== null) clearTimeout(lazily);
    lazily = null;
    if (flushing) return;
    flushing = true;
    void flush();
  }

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const { good, torn } = takeContiguous(queue.splice(0, MAX_BATCH));
      for (const entry of torn) entry.reject(new Error(TORN));
      try {
        if (good.length > 0) await db.write(() => commit(good));
        for (const entry of good) settle(entry);
      } catch {
        for (const entry of good) await commitAlone(entry);
      }
    }
    flushing = false;
  }

  async function commitAlone(entry: Entry): Promise<void> {
    const { good } = takeContiguous([entry]);
    if (good.length === 0) {
      entry.reject(new Error(TORN));
      return;
    }
    try {
      await db.write(() => commit(good));
      settle(entry);
    } catch (error) {
      const first = entry.events[0];
      if (first !== undefined) next.set(entry.runId, first.index);
      entry.reject(new Error(`The run could not be recorded: ${describeWriteError(error)}`, { cause: error }));
    }
  }

  return {
    async create(run, events) {
      await db.write(() => createTogether(run, events));
      written.set(run.id, run.settings);
    },
    append: (runId, events, sums, urgent) =>
      new Promise<void>((resolve, reject) => {
        queue.push({ runId, events, sums, resolve, reject });
        if (urgent) flushNow();
        else if (!flushing) lazily ??= setTimeout(flushNow, LAZY_MS);
      }),
  };
}

function columnsOf(run: NewRun & { instanceId: string }): (string | number | null)[] {
  const { id, status, source, settings, title, actor, startedAt } = run;
  return [
    ...[id, status, source, settings.provider, settings.model, title, actor.id, actor.name, startedAt],
    ...[run.parentId, run.parentStep, run.parentResults, run.transcriptId, run.instanceId],
    JSON.stringify(settings),
  ];
}

function valuesOf(sums: RunSums, sameSettings: boolean): (string | number | null)[] {
  const { usage } = sums;
  return [
    sums.status,
    sums.provider,
    sums.model,
    sameSettings ? null : JSON.stringify(sums.settings),
    sums.finishedAt,
    sums.activeMs,
    sums.modelCalls,
    sums.toolCalls,
    sums.failedToolCalls,
    usage.inputTokens,
    usage.outputTokens,
    usage.cachedInputTokens ?? 0,
    usage.reasoningTokens ?? 0,
    sums.cost,
    sums.error,
  ];
}
