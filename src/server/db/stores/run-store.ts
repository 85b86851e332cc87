import type { RunEvent, RunEventBody, RunFilter, RunStatus, RunSummary } from "../../../lib/contract";
import { runSettingsSchema } from "../../../lib/contract/run";
import type { RunStore, StoredRun } from "../../features/runs/run-store";
import type { Database } from "../database";
import type { Prisma, Run } from "../generated/client";
import { createRunLogWriter } from "../sqlite/run-log-writer";

export function createRunStore({ db, instanceId }: { db: Database; instanceId: string }): RunStore {
  const { run, runEvent, execution } = db.prisma;
  const writer = createRunLogWriter(db, instanceId);
  const newestFirst = db.raw.prepare<[string, number], EventRow>(
    'SELECT "index", at, type, body FROM "RunEvent" WHERE "runId" = ? AND "index" < ? ORDER BY "index" DESC',
  );

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
    create: writer.create,
    append: writer.append,
    async find(id) {
      const row = await run.findUnique({ where: { id } });
      return row === null ? null : toStored(row);
    },
    async events(runId) {
      const rows = await runEvent.findMany({ where: { runId }, orderBy: { index: "asc" } });
      return rows.map(toEvent);
    },
    *eventsBackwards(runId, before) {
      for (const row of newestFirst.iterate(runId, before ?? Number.MAX_SAFE_INTEGER)) yield toEvent(row);
    },
    async event(runId, index) {
      const row = await runEvent.findUnique({ where: { runId_index: { runId, index } } });
      return row === null ? null : toEvent(row);
    },
    eventCount: (runId) => runEvent.count({ where: { runId } }),
    hasMessage: async (runId) =>
      (await runEvent.findFirst({ where: { runId, type: "user_message" }, select: { index: true } })) !== null,
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
          where: { id, status: { in: [...from] }, instanceId: ownerId },
          data: { status: to, finishedAt: null, error: null, ...(to === "running" && { instanceId }) },
        });
        return count === 1;
      }),
  };
}

interface EventRow {
  index: number | bigint;
  at: number | bigint;
  type: string;
  body: string;
}

function toEvent({ index, at, type, body }: EventRow): RunEvent {
  return { ...(JSON.parse(body) as RunEventBody), type, index: Number(index), at: Number(at) } as RunEvent;
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
