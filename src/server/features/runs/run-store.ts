import type { RunEvent, RunEventBody, RunFilter, RunSettings, RunStatus, RunSummary } from "../../../lib/contract";
import { runSettingsSchema } from "../../../lib/contract/run";
import type { Database } from "../../db/database";
import type { Prisma, Run } from "../../db/generated/client";
import { createRunLogWriter, type NewRun, type RunSums } from "./run-log-store";

export interface StoredRun extends Omit<RunSummary, "waiting"> {
  settings: RunSettings;
  parentResults: "live" | "recorded" | null;
  instanceId: string;
}

export interface RunStore {
  /** The row and what its log begins with, together or not at all. */
  create(run: NewRun, events: readonly RunEvent[]): Promise<void>;
  /**
   * Resolves when the events, and the sums with them, are durable; what is not urgent may lie for some milliseconds. Events
   * of one run stay in order.
   */
  append(runId: string, events: readonly RunEvent[], sums: RunSums | null, urgent: boolean): Promise<void>;
  find(id: string): Promise<StoredRun | null>;
  events(runId: string): Promise<RunEvent[]>;
  list(filter: RunFilter, page: { cursor?: number | undefined; limit: number }): Promise<RunSummary[]>;
  children(id: string): Promise<{ id: string; title: string; parentStep: number | null }[]>;
  waiting(runId: string): Promise<number>;
  /** Executions of a run that wait or run. */
  unended(runId: string): Promise<number>;
  /** `running` or `waiting`, of all processes. */
  unfinished(): Promise<{ id: string; status: RunStatus; instanceId: string }[]>;
  /** Compare-and-set: this process goes on with the run. False when it is in another state, or another's, by now. */
  take(id: string, from: readonly RunStatus[], to: RunStatus, ownerId?: string): Promise<boolean>;
}

export function createRunStore({ db, instanceId }: { db: Database; instanceId: string }): RunStore {
  const { run, runEvent, execution } = db.prisma;
  const writer = createRunLogWriter(db);

  async function waitingOf(ids: readonly string[]): Promise<Map<string, number>> {
    if (ids.length === 0) return new Map();
    const rows = await execution.groupBy({
      by: ["runId"],
      where: { runId: { in: [...ids] }, status: "waiting" },
      _count: true,
    });
    return new Map(rows.map((row) => [row.runId ?? "", row._count]));
  }

  return {
    create: (created, events) => writer.create({ ...created, instanceId }, events),
    append: writer.append,
    async find(id) {
      const row = await run.findUnique({ where: { id } });
      return row === null ? null : toStored(row);
    },
    async events(runId) {
      const rows = await runEvent.findMany({ where: { runId }, orderBy: { index: "asc" } });
      return rows.map(
        ({ index, at, type, body }) =>
          ({ ...(JSON.parse(body) as RunEventBody), type, index, at: Number(at) }) as RunEvent,
      );
    },
    async list(filter, { cursor, limit }) {
      const rows = await run.findMany({ where: whereOf(filter, cursor), orderBy: { seq: "desc" }, take: limit });
      const waiting = await waitingOf(rows.map(({ id }) => id));
      return rows.map((row) => {
        const { settings: _settings, parentResults: _results, instanceId: _instance, ...summary } = toStored(row);
        return { ...summary, waiting: waiting.get(row.id) ?? 0 };
      });
    },
    children: (id) =>
      run.findMany({
        where: { parentId: id },
        select: { id: true, title: true, parentStep: true },
        orderBy: { seq: "desc" },
        take: 100,
      }),
    waiting: async (runId) => (await waitingOf([runId])).get(runId) ?? 0,
    unended: (runId) => execution.count({ where: { runId, status: { in: ["waiting", "running"] } } }),
    unfinished: async () =>
      (
        await run.findMany({
          where: { status: { in: ["running", "waiting"] } },
          select: { id: true, status: true, instanceId: true },
        })
      ).map((row) => ({ ...row, status: row.status as RunStatus })),
    take: (id, from, to, ownerId) =>
      db.write(async () => {
        const { count } = await run.updateMany({
          where: { id, status: { in: [...from] }, ...(ownerId === undefined ? {} : { instanceId: ownerId }) },
          data: { status: to, instanceId, finishedAt: null, error: null },
        });
        return count === 1;
      }),
  };
}

function whereOf(filter: RunFilter, cursor: number | undefined): Prisma.RunWhereInput {
  return {
    ...(filter.status?.length ? { status: { in: filter.status } } : {}),
    source: filter.source?.length ? { in: filter.source } : { not: "check" },
    ...(filter.provider === undefined ? {} : { provider: filter.provider }),
    ...(filter.model === undefined ? {} : { model: filter.model }),
    ...(filter.transcriptId === undefined ? {} : { transcriptId: filter.transcriptId }),
    ...(filter.q?.trim() ? { title: { contains: filter.q.trim() } } : {}),
    ...(cursor === undefined ? {} : { seq: { lt: cursor } }),
  };
}

function toStored(row: Run): StoredRun {
  const { actorId, actorName, inputTokens, outputTokens, cachedTokens, reasoningTokens, ...rest } = row;
  return {
    ...rest,
    status: row.status as RunStatus,
    source: row.source as RunSummary["source"],
    parentResults: row.parentResults as StoredRun["parentResults"],
    startedAt: Number(row.startedAt),
    finishedAt: row.finishedAt === null ? null : Number(row.finishedAt),
    actor: { id: actorId, name: actorName },
    usage: {
      inputTokens,
      outputTokens,
      cachedInputTokens: cachedTokens,
      reasoningTokens,
    },
    settings: runSettingsSchema.parse(JSON.parse(row.settings)),
  };
}
