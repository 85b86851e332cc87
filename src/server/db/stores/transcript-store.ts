import type { RunStatus, TranscriptQuery, TranscriptSegment, TranscriptStatus } from "../../../lib/contract";
import { transcriptSettingsSchema } from "../../../lib/contract/transcript";
import type { SecretBox } from "../../features/servers/server-store";
import type {
  CountedTranscript,
  TranscriptProgress,
  TranscriptRecord,
} from "../../features/transcripts/transcript-record";
import type { AddedSegments, StoredQuery, TranscriptStore } from "../../features/transcripts/transcript-store";
import type { Database } from "../database";
import type * as rows from "../generated/client";
import { readWebhookUrl, writeSettings } from "./transcript-settings";

const NO_PROGRESS: TranscriptProgress = { file: null, transcriber: null, heardSeq: 0, faults: {} };
/** Of one transcript, shown and answered to the API. */
const MAX_QUERIES = 2000;
const MAX_LISTED = 500;

type WriteMethod = "create" | "adopt" | "setTrouble" | "append" | "keep" | "delete";
type QueryMethod =
  | "queries"
  | "findQuery"
  | "queryOfRun"
  | "unanswered"
  | "answersAfter"
  | "undelivered"
  | "claim"
  | "refuse"
  | "setOutcome"
  | "setWebhook";

export interface TranscriptStorePorts {
  db: Database;
  /** Encrypts the addresses of webhooks; absent where they are not: samples, tests. */
  secretBox?: SecretBox | undefined;
}

export function createTranscriptStore({ db, secretBox }: TranscriptStorePorts): TranscriptStore {
  const { transcript, transcriptSegment, transcriptQuery } = db.prisma;
  return {
    list: () => listTranscripts(db),
    async find(id) {
      const row = await transcript.findUnique({ where: { id } });
      return row === null ? null : db.damaged.read("transcript", id, () => toRecord(row));
    },
    countOpen: () => transcript.count({ where: { status: "open" } }),
    countQueries: (id) => transcriptQuery.count({ where: { transcriptId: id } }),
    async unfinished() {
      const by = { where: { answeredAt: null }, distinct: ["transcriptId" as const], select: { transcriptId: true } };
      const ids = (await transcriptQuery.findMany(by)).map(({ transcriptId }) => transcriptId);
      const where = { OR: [{ status: "open" }, { id: { in: ids } }] };
      const found = await transcript.findMany({ where, orderBy: { seq: "asc" }, select: { id: true, status: true } });
      return found.map(({ id, status }) => ({ id, status: status as TranscriptStatus }));
    },
    async segments(id, limit, untilSeq) {
      const where = { transcriptId: id, ...(untilSeq === undefined ? {} : { seq: { lte: untilSeq } }) };
      const found = await transcriptSegment.findMany({ where, orderBy: { seq: "desc" }, take: limit });
      return found.reverse().map(toSegment);
    },
    segmentsAfter: async (id, seq, limit) =>
      (
        await transcriptSegment.findMany({
          where: { transcriptId: id, seq: { gt: seq } },
          orderBy: { seq: "asc" },
          take: limit,
        })
      ).map(toSegment),
    async webhookUrl(id) {
      const row = await transcript.findUnique({ where: { id }, select: { settings: true } });
      return row === null ? null : readWebhookUrl(id, row.settings, secretBox);
    },
    ...createWriteMethods({ db, secretBox }),
    ...createQueryMethods(db),
  };
}

function createWriteMethods({ db, secretBox }: TranscriptStorePorts): Pick<TranscriptStore, WriteMethod> {
  const { transcript } = db.prisma;
  const appendTogether = prepareAppend(db);
  return {
    async create({ id, createdAt, settings }) {
      const data = { id, title: settings.title, status: "open", createdAt: BigInt(createdAt) };
      return toRecord(
        await db.write(() =>
          transcript.create({
            data: { ...data, settings: writeSettings(id, settings, secretBox) },
          }),
        ),
      );
    },
    adopt: (id, fence) =>
      commit(db, async (tx) => {
        const { count } = await tx.transcript.updateMany({ where: { id, fence: { lt: fence } }, data: { fence } });
        return count === 0 ? null : toRecord(await tx.transcript.findUniqueOrThrow({ where: { id } }));
      }),
    async setTrouble(id, fence, error) {
      await db.write(() => transcript.updateMany({ where: { id, fence, status: "open" }, data: { error } }));
    },
    async append(id, added) {
      const seqs = await db.write(() => appendTogether(id, added));
      if (seqs === null) return null;
      return added.segments.map(({ text, speaker = null, atMs = null }, index) => ({
        ...{ seq: seqs[index] ?? 0, text, speaker, atMs, receivedAt: added.receivedAt },
      }));
    },
    async keep(id, { fence, progress }, queries, end) {
      const data = queries.map(({ askedAt, ...query }) => ({
        ...query,
        ...{ transcriptId: id, askedAt: BigInt(askedAt), webhookState: "none" },
      }));
      const kept = await commit(db, async (tx) => {
        const { count } = await tx.transcript.updateMany({
          where: { id, fence, ...(end && { status: "open" }) },
          data: { progress: JSON.stringify(progress), ...(end && { ...end, closedAt: BigInt(end.closedAt) }) },
        });
        if (count === 0) return null;
        const unheard = { transcriptId: id, seq: { gt: progress.heardSeq } };
        if (end !== undefined && (await tx.transcriptSegment.count({ where: unheard })) > 0) return null;
        return await tx.transcriptQuery.createMany({ data });
      });
      return kept !== null;
    },
    async delete(id) {
      await db.write(() =>
        db.prisma.$transaction([
          db.prisma.transcriptSegment.deleteMany({ where: { transcriptId: id } }),
          db.prisma.transcriptQuery.deleteMany({ where: { transcriptId: id } }),
          transcript.deleteMany({ where: { id } }),
        ]),
      );
    },
  };
}

/** In SQL: the hot path of a transcript, which the same statements through Prisma make ten times as long. */
function prepareAppend({ raw }: Database) {
  const extend = raw.prepare(
    `UPDATE "Transcript" SET "segmentCount" = "segmentCount" + ?, characters = characters + ?, progress = coalesce(?, progress)
     WHERE id = ? AND status = 'open' AND fence = coalesce(?, fence) AND "segmentCount" <= ? AND characters <= ?`,
  );
  const insert = raw.prepare(
    'INSERT INTO "TranscriptSegment" ("transcriptId", "receivedAt", "atMs", speaker, text) VALUES (?, ?, ?, ?, ?)',
  );
  return raw.transaction((id: string, { segments, receivedAt, limits, listener }: AddedSegments): number[] | null => {
    const count = segments.length;
    const characters = segments.reduce((sum, { text }) => sum + text.length, 0);
    const progress = listener === undefined ? null : JSON.stringify(listener.progress);
    const space = [limits.segments - count, limits.characters - characters];
    if (extend.run(count, characters, progress, id, listener?.fence ?? null, ...space).changes === 0) return null;
    return segments.map(({ text, speaker, atMs }) =>
      Number(insert.run(id, receivedAt, atMs ?? null, speaker ?? null, text).lastInsertRowid),
    );
  });
}

function createQueryMethods(db: Database): Pick<TranscriptStore, QueryMethod> {
  const { transcriptQuery } = db.prisma;
  const readQueries = queryReader(db);
  return {
    queries: async (id) => (await readQueries({ transcriptId: id })).reverse().map(toQueryView),
    findQuery: async (id) => (await readQueries({ id }))[0] ?? null,
    queryOfRun: async (runId) => (await readQueries({ runId }))[0] ?? null,
    unanswered: async (id) => (await readQueries({ transcriptId: id, answeredAt: null })).reverse(),
    answersAfter: async (id, answeredAt) =>
      (await readQueries({ transcriptId: id, answeredAt: { gt: BigInt(answeredAt) } }, { answeredAt: "asc" })).map(
        toQueryView,
      ),
    undelivered: async () => (await readQueries({ webhookState: "pending" })).reverse(),
    async claim(queryId, runId) {
      const where = { id: queryId, answeredAt: null, OR: [{ runId: null }, { runId }] };
      return (await db.write(() => transcriptQuery.updateMany({ where, data: { runId } }))).count > 0;
    },
    async refuse(id, { fence, progress }, queryId, now) {
      const refused = await commit(db, async (tx) => {
        const data = { progress: JSON.stringify(progress) };
        if ((await tx.transcript.updateMany({ where: { id, fence }, data })).count === 0) return null;
        return await settle(tx, { id: queryId, answeredAt: null }, { runId: null }, now);
      });
      return refused !== null;
    },
    async setOutcome(queryId, answer, now) {
      const where = { id: queryId, answer: null, ...(answer === null && { answeredAt: null }) };
      return (await commit(db, (tx) => settle(tx, where, { answer }, now))) !== null;
    },
    async setWebhook(queryId, { state, attempts, error }) {
      const data = { webhookState: state, webhookAttempts: attempts, webhookError: error };
      await db.write(() => transcriptQuery.updateMany({ where: { id: queryId }, data }));
    },
  };
}

function toQueryView({ transcriptId: _transcript, ...query }: StoredQuery): TranscriptQuery {
  return query;
}

/** Milliseconds. Prisma's own limits of a transaction are shorter than a busy process may need. */
const TIME_LIMITS = { maxWait: 30_000, timeout: 30_000 };
const REFUSED = new Error("Nothing is written");

/** One commit. Null, and nothing is written, where `work` resolves to null; its first statement is a write. */
async function commit<T>(
  { write, prisma }: Database,
  work: (tx: rows.Prisma.TransactionClient) => Promise<T | null>,
): Promise<T | null> {
  const transaction = prisma.$transaction.bind(prisma);
  const committed = write(() =>
    transaction(async (tx) => {
      const result = await work(tx);
      if (result === null) throw REFUSED;
      return result;
    }, TIME_LIMITS),
  );
  return await committed.catch((error: unknown) => (error === REFUSED ? null : Promise.reject(error)));
}

/** Null where no query is as `where` says. */
async function settle(
  tx: rows.Prisma.TransactionClient,
  where: rows.Prisma.TranscriptQueryWhereInput & { id: string },
  data: { answer?: string | null; runId?: null },
  now: number,
): Promise<number | null> {
  if ((await tx.transcriptQuery.updateMany({ where, data })).count === 0) return null;
  const { transcriptId } = await tx.transcriptQuery.findUniqueOrThrow({ where: { id: where.id } });
  const { _max: newest } = await tx.transcriptQuery.aggregate({ where: { transcriptId }, _max: { answeredAt: true } });
  const answeredAt = Math.max(now, Number(newest.answeredAt ?? 0) + 1);
  await tx.transcriptQuery.update({ where: { id: where.id }, data: { answeredAt: BigInt(answeredAt) } });
  return answeredAt;
}

async function listTranscripts({ prisma, damaged }: Database): Promise<CountedTranscript[]> {
  const found = await prisma.transcript.findMany({ orderBy: { seq: "desc" }, take: MAX_LISTED });
  const where = { transcriptId: { in: found.map(({ id }) => id) } };
  const counted = await prisma.transcriptQuery.groupBy({ by: ["transcriptId"], where, _count: true });
  const queriesOf = new Map(counted.map((row) => [row.transcriptId, row._count]));
  const read = (row: rows.Transcript) => ({ ...toRecord(row), queryCount: queriesOf.get(row.id) ?? 0 });
  return found.flatMap((row) => damaged.read("transcript", row.id, () => read(row)) ?? []);
}

/** With what their runs say of themselves, and why a query has none. */
function queryReader({ prisma, damaged }: Database) {
  return async (
    where: rows.Prisma.TranscriptQueryWhereInput,
    orderBy: rows.Prisma.TranscriptQueryOrderByWithRelationInput = { seq: "desc" },
  ): Promise<StoredQuery[]> => {
    const found = await prisma.transcriptQuery.findMany({ where, orderBy, take: MAX_QUERIES });
    const runIds = found.flatMap(({ runId }) => runId ?? []);
    const runs = await prisma.run.findMany({
      where: { id: { in: runIds } },
      select: { id: true, status: true, error: true },
    });
    const runOf = new Map(runs.map((run) => [run.id, run]));
    const without = found.filter(({ runId }) => runId === null).map(({ transcriptId }) => transcriptId);
    const parents = await prisma.transcript.findMany({ where: { id: { in: [...new Set(without)] } } });
    const faultsOf = new Map(
      parents.map((row) => [row.id, damaged.read("transcript", row.id, () => toRecord(row).progress.faults) ?? {}]),
    );
    return found.map((row) => {
      const faults = faultsOf.get(row.transcriptId) ?? {};
      const fault = Object.hasOwn(faults, row.id) ? (faults[row.id] ?? null) : null;
      return toQuery(row, runOf.get(row.runId ?? "") ?? null, fault);
    });
  };
}

function toQuery(
  row: rows.TranscriptQuery,
  run: { status: string; error: string | null } | null,
  fault: string | null,
): StoredQuery {
  const { id, transcriptId, text, wakePhrase, speaker, fromSeq, toSeq, runId, answer } = row;
  return {
    ...{ id, transcriptId, text, wakePhrase, speaker, fromSeq, toSeq, runId, answer },
    runStatus: (run?.status as RunStatus | undefined) ?? null,
    error: answer === null ? (run?.error ?? fault) : null,
    askedAt: Number(row.askedAt),
    answeredAt: row.answeredAt === null ? null : Number(row.answeredAt),
    webhook: {
      state: row.webhookState as TranscriptQuery["webhook"]["state"],
      attempts: row.webhookAttempts,
      error: row.webhookError,
    },
  };
}

function toRecord(row: rows.Transcript): TranscriptRecord {
  return {
    ...{ id: row.id, seq: row.seq, status: row.status as TranscriptStatus, error: row.error },
    createdAt: Number(row.createdAt),
    closedAt: row.closedAt === null ? null : Number(row.closedAt),
    settings: transcriptSettingsSchema.parse(JSON.parse(row.settings)),
    ...{ segmentCount: row.segmentCount, characters: row.characters },
    progress: { ...NO_PROGRESS, ...(row.progress === null ? {} : (JSON.parse(row.progress) as TranscriptProgress)) },
  };
}

function toSegment({ seq, text, speaker, atMs, receivedAt }: rows.TranscriptSegment): TranscriptSegment {
  return { seq, text, speaker, atMs, receivedAt: Number(receivedAt) };
}
