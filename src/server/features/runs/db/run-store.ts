import type { RunEvent, RunEventBody, RunFilter, RunSummary } from "../../../../lib/contract/run";
import { runSettingsSchema, runSourceSchema } from "../../../../lib/contract/run";
import { runStatusSchema } from "../../../../lib/contract/run-event";
import type { Database } from "../../../platform/db/database";
import type { Prisma, Run } from "../../../platform/db/generated/client";
import { isLeftToInstance } from "../../../platform/db/owned-rows";
import { toSearchable } from "../../../platform/db/sqlite/searchable-text";
import type { RunStore, StoredRun, UnfinishedRun } from "../run-store";
import { createRunLogWriter } from "./run-log-writer";

const UNFINISHED = `SELECT id, status, owner FROM "Run" WHERE status IN ('running', 'waiting')`;
/** PostgreSQL refuses greater numbers and indexes. */
const MAX_NUMBER = 2_147_483_647;
/** An event may hold a result of some megabytes. */
const EVENTS_AT_ONCE = 20;

/** @param owner the instance of the server that writes */
export function createRunStore({ db, owner = "local" }: { db: Database; owner?: string | undefined }): RunStore {
  const { run, runEvent, execution } = db.prisma;
  const isLeft = isLeftToInstance(db.kind);
  const writer = createRunLogWriter(db, owner);
  const { activeSince, readBackwards } = createEventReads(db);

  async function countWaiting(ids: readonly string[]): Promise<Map<string, number>> {
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
      return row === null ? null : db.damaged.read("run", id, () => toStored(row));
    },
    async events(runId) {
      const rows = await runEvent.findMany({ where: { runId }, orderBy: { index: "asc" } });
      return rows.map(toEvent);
    },
    readBackwards,
    async event(runId, index) {
      const row = await runEvent.findUnique({ where: { runId_index: { runId, index } } });
      return row === null ? null : toEvent(row);
    },
    eventCount: (runId) => runEvent.count({ where: { runId } }),
    hasMessage: async (runId) =>
      (await runEvent.findFirst({ where: { runId, type: "user_message" }, select: { index: true } })) !== null,
    async list(filter, { cursor, limit }) {
      const rows = await run.findMany({
        where: buildWhere(filter, cursor, db.kind),
        orderBy: { seq: "desc" },
        take: limit,
      });
      const waiting = await countWaiting(rows.map(({ id }) => id));
      const summaries: RunSummary[] = [];
      for (const row of rows) {
        const stored = db.damaged.read("run", row.id, () => toStored(row));
        if (stored === null) continue;
        const { settings: _settings, parentResults: _results, owner: _owner, ...summary } = stored;
        summaries.push({
          ...summary,
          waiting: waiting.get(row.id) ?? 0,
          activeSince: await activeSince(summary),
        });
      }
      return summaries;
    },
    children: (id) =>
      run.findMany({
        where: { parentId: id },
        select: { id: true, title: true, parentStep: true },
        orderBy: { seq: "desc" },
        take: 100,
      }),
    activeSince,
    async takenOver({ id, parentId, startedAt }) {
      if (parentId === null) return null;
      const where = { runId: id, at: { lt: startedAt } };
      const [modelCalls, toolCalls] = await Promise.all(
        ["model_started", "tool_finished"].map((type) => runEvent.count({ where: { ...where, type } })),
      );
      return { modelCalls: modelCalls ?? 0, toolCalls: toolCalls ?? 0 };
    },
    waiting: async (runId) => (await countWaiting([runId])).get(runId) ?? 0,
    unended: (runId) => execution.count({ where: { runId, status: { in: ["waiting", "running"] } } }),
    unfinished: () => db.rows<UnfinishedRun>(`${UNFINISHED} AND ${isLeft}`, owner),
    take: (id, from, to, expected, finishedAt) =>
      db.write(async () => {
        const { count } = await run.updateMany({
          where: {
            id,
            status: { in: [...from] },
            owner: expected,
            ...(finishedAt === undefined ? {} : { finishedAt: finishedAt === null ? null : BigInt(finishedAt) }),
          },
          data: { status: to, finishedAt: null, error: null, owner: to === "running" ? owner : null },
        });
        return count === 1;
      }),
    release: (id) => db.write(async () => void (await run.updateMany({ where: { id, owner }, data: { owner: null } }))),
  };
}

/** Reads only the part of a log that is needed. */
function createEventReads(db: Database): Pick<RunStore, "activeSince" | "readBackwards"> {
  const activeSince: RunStore["activeSince"] = async ({ id, status, startedAt }) => {
    if (status !== "running") return null;
    const event = await db.row<Omit<EventRow, "body">>(
      'SELECT "index", at, type FROM "RunEvent" WHERE "runId" = ? ORDER BY "index" DESC LIMIT 1',
      id,
    );
    // The run is about to be resumed.
    if (event?.type === "turn_ended") return null;
    return Math.max(startedAt, Number(event?.at ?? 0));
  };

  return {
    activeSince,
    async readBackwards(runId, before, visit) {
      for (let below = Math.min(before ?? MAX_NUMBER, MAX_NUMBER); ; ) {
        const rows = await db.rows<EventRow>(
          `SELECT "index", at, type, body FROM "RunEvent" WHERE "runId" = ? AND "index" < ?
           ORDER BY "index" DESC LIMIT ${EVENTS_AT_ONCE}`,
          runId,
          below,
        );
        for (const row of rows) if (!visit(toEvent(row))) return;
        const last = rows.at(-1);
        if (last === undefined || rows.length < EVENTS_AT_ONCE) return;
        below = Number(last.index);
      }
    },
  };
}

interface EventRow {
  index: number | bigint;
  at: number | bigint;
  type: string;
  body: string;
}

function toEvent({ index, at, type, body }: EventRow): RunEvent {
  const place = { index: Number(index), at: Number(at) };
  try {
    return { ...(JSON.parse(body) as RunEventBody), type, ...place } as RunEvent;
  } catch {
    // An event more or less would move the others.
    return { type: "notice", step: 0, text: "A stored event of this run cannot be read", ...place } as RunEvent;
  }
}

function buildWhere(filter: RunFilter, cursor: number | undefined, kind: Database["kind"]): Prisma.RunWhereInput {
  // SQLite folds ASCII always and has no mode.
  const folded = kind === "postgres" ? { mode: "insensitive" } : {};
  return {
    ...(filter.status?.length ? { status: { in: filter.status } } : {}),
    source: filter.source?.length ? { in: filter.source } : { not: "check" },
    ...(filter.provider === undefined ? {} : { provider: filter.provider }),
    ...(filter.model === undefined ? {} : { model: filter.model }),
    ...(filter.transcriptId === undefined ? {} : { transcriptId: filter.transcriptId }),
    ...(filter.q?.trim() ? { title: { contains: toSearchable(filter.q.trim()), ...folded } } : {}),
    ...(cursor === undefined ? {} : { seq: { lt: Math.min(cursor, MAX_NUMBER) } }),
  };
}

function toStored(row: Run): StoredRun {
  const { actorId, actorName, inputTokens, outputTokens, cachedTokens, reasoningTokens, ...rest } = row;
  return {
    ...rest,
    status: runStatusSchema.parse(row.status),
    source: runSourceSchema.parse(row.source),
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
