import type {
  RunStatus,
  TranscriptQuery,
  TranscriptSegment,
  TranscriptSegmentInput,
  TranscriptSettings,
  TranscriptStatus,
  TranscriptSummary,
} from "../../../lib/contract";
import { transcriptSettingsSchema } from "../../../lib/contract/transcript";
import type { Database } from "../../db/database";
import type * as rows from "../../db/generated/client";
import type { BackgroundQuery } from "../../engine/background-request";
import type { TranscriptProgress, TranscriptRecord } from "./transcript-record";

export interface StoredQuery extends TranscriptQuery {
  transcriptId: string;
}

export interface TranscriptStore {
  /** Newest first. */
  list(): Promise<TranscriptSummary[]>;
  find(id: string): Promise<TranscriptRecord | null>;
  open(): Promise<TranscriptRecord[]>;
  counts(id: string): Promise<{ segmentCount: number; queryCount: number }>;
  create(transcript: { id: string; createdAt: number; settings: TranscriptSettings }): Promise<TranscriptRecord>;
  setStatus(id: string, status: TranscriptStatus, error: string | null, closedAt: number | null): Promise<void>;
  /** Of an open one: why its file cannot be read now. */
  setTrouble(id: string, error: string | null): Promise<void>;
  /** Segments and how far things are, in one commit. Returns the segments with their numbers. */
  append(
    id: string,
    segments: readonly TranscriptSegmentInput[],
    receivedAt: number,
    progress: TranscriptProgress,
  ): Promise<TranscriptSegment[]>;
  /** Queries and how far the search is, in one commit. */
  keep(id: string, queries: readonly NewQuery[], progress: TranscriptProgress): Promise<void>;
  /** Runs stay. */
  delete(id: string): Promise<void>;
  /** The newest `limit` up to `untilSeq`, oldest first. */
  segments(id: string, limit: number, untilSeq?: number): Promise<TranscriptSegment[]>;
  segmentsAfter(id: string, seq: number, limit: number): Promise<TranscriptSegment[]>;
  /** Oldest first. */
  queries(id: string): Promise<TranscriptQuery[]>;
  findQuery(id: string): Promise<StoredQuery | null>;
  queryOfRun(runId: string): Promise<StoredQuery | null>;
  /** Those that have no outcome yet. */
  unanswered(): Promise<StoredQuery[]>;
  undelivered(): Promise<StoredQuery[]>;
  /** Null: it has none after all. */
  setRun(queryId: string, runId: string | null): Promise<void>;
  /** False where the query is gone. */
  setOutcome(queryId: string, outcome: { answer: string | null; answeredAt: number }): Promise<boolean>;
  setWebhook(queryId: string, webhook: TranscriptQuery["webhook"]): Promise<void>;
}

export interface NewQuery extends Omit<BackgroundQuery, "context"> {
  askedAt: number;
}

const NO_PROGRESS: TranscriptProgress = {
  file: null,
  transcriber: null,
  heardSeq: 0,
  characters: 0,
  faults: {},
};
/** Of one transcript, shown and answered to the API. */
const MAX_QUERIES = 2000;
const MAX_LISTED = 500;

export function createTranscriptStore({ db }: { db: Database }): TranscriptStore {
  const { transcript, transcriptSegment, transcriptQuery } = db.prisma;
  const readQueries = queryReader(db);
  const insert = db.raw.prepare(
    "INSERT INTO TranscriptSegment (transcriptId, receivedAt, atMs, speaker, text) VALUES (?, ?, ?, ?, ?)",
  );
  const saveProgress = db.raw.prepare("UPDATE Transcript SET progress = ? WHERE id = ?");
  const insertSegments = db.raw.transaction(
    (id: string, segments: readonly TranscriptSegmentInput[], receivedAt: number, progress: string): number[] => {
      saveProgress.run(progress, id);
      return segments.map(({ text, speaker, atMs }) =>
        Number(insert.run(id, receivedAt, atMs ?? null, speaker ?? null, text).lastInsertRowid),
      );
    },
  );

  return {
    list: () => listTranscripts(db),
    async find(id) {
      const row = await transcript.findUnique({ where: { id } });
      return row === null ? null : toRecord(row);
    },
    open: async () => (await transcript.findMany({ where: { status: "open" }, orderBy: { seq: "asc" } })).map(toRecord),
    async counts(id) {
      const where = { transcriptId: id };
      const [segmentCount, queryCount] = await Promise.all([
        transcriptSegment.count({ where }),
        transcriptQuery.count({ where }),
      ]);
      return { segmentCount, queryCount };
    },
    async create({ id, createdAt, settings }) {
      const data = { id, title: settings.title, status: "open", createdAt: BigInt(createdAt) };
      return toRecord(
        await db.write(() => transcript.create({ data: { ...data, settings: JSON.stringify(settings) } })),
      );
    },
    async setStatus(id, status, error, closedAt) {
      const data = { status, error, closedAt: closedAt === null ? null : BigInt(closedAt) };
      await db.write(() => transcript.updateMany({ where: { id }, data }));
    },
    async setTrouble(id, error) {
      await db.write(() => transcript.updateMany({ where: { id, status: "open" }, data: { error } }));
    },
    async append(id, segments, receivedAt, progress) {
      const seqs = await db.write(() => insertSegments(id, segments, receivedAt, JSON.stringify(progress)));
      return segments.map(({ text, speaker, atMs }, index) => ({
        ...{ seq: seqs[index] ?? 0, text, speaker: speaker ?? null, atMs: atMs ?? null, receivedAt },
      }));
    },
    async keep(id, queries, progress) {
      const data = queries.map(({ askedAt, ...query }) => ({
        ...query,
        ...{ transcriptId: id, askedAt: BigInt(askedAt), webhookState: "none" },
      }));
      await db.write(() =>
        db.prisma.$transaction([
          transcriptQuery.createMany({ data }),
          transcript.updateMany({ where: { id }, data: { progress: JSON.stringify(progress) } }),
        ]),
      );
    },
    async delete(id) {
      await db.write(() =>
        db.prisma.$transaction([
          transcriptSegment.deleteMany({ where: { transcriptId: id } }),
          transcriptQuery.deleteMany({ where: { transcriptId: id } }),
          transcript.deleteMany({ where: { id } }),
        ]),
      );
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
    queries: async (id) => (await readQueries({ transcriptId: id }, MAX_QUERIES)).reverse().map(withoutTranscript),
    findQuery: async (id) => (await readQueries({ id }, 1))[0] ?? null,
    queryOfRun: async (runId) => (await readQueries({ runId }, 1))[0] ?? null,
    unanswered: async () => (await readQueries({ answeredAt: null }, MAX_QUERIES)).reverse(),
    undelivered: async () => (await readQueries({ webhookState: "pending" }, MAX_QUERIES)).reverse(),
    async setRun(queryId, runId) {
      await db.write(() => transcriptQuery.updateMany({ where: { id: queryId }, data: { runId } }));
    },
    async setOutcome(queryId, { answer, answeredAt }) {
      const data = { answer, answeredAt: BigInt(answeredAt) };
      const { count } = await db.write(() => transcriptQuery.updateMany({ where: { id: queryId }, data }));
      return count > 0;
    },
    async setWebhook(queryId, { state, attempts, error }) {
      const data = { webhookState: state, webhookAttempts: attempts, webhookError: error };
      await db.write(() => transcriptQuery.updateMany({ where: { id: queryId }, data }));
    },
  };
}

async function listTranscripts({ prisma }: Database): Promise<TranscriptSummary[]> {
  const found = await prisma.transcript.findMany({ orderBy: { seq: "desc" }, take: MAX_LISTED });
  const where = { transcriptId: { in: found.map(({ id }) => id) } };
  const by = ["transcriptId" as const];
  const [segments, queries] = await Promise.all([
    prisma.transcriptSegment.groupBy({ by, where, _count: true }),
    prisma.transcriptQuery.groupBy({ by, where, _count: true }),
  ]);
  const countOf = (counted: typeof segments) => new Map(counted.map((row) => [row.transcriptId, row._count]));
  const [segmentsOf, queriesOf] = [countOf(segments), countOf(queries)];
  return found.map((row) => ({
    ...summaryOf(toRecord(row)),
    segmentCount: segmentsOf.get(row.id) ?? 0,
    queryCount: queriesOf.get(row.id) ?? 0,
  }));
}

/** The newest first. With what their runs say of themselves, and why a query has none. */
function queryReader({ prisma }: Database) {
  return async (where: rows.Prisma.TranscriptQueryWhereInput, take: number): Promise<StoredQuery[]> => {
    const found = await prisma.transcriptQuery.findMany({ where, orderBy: { seq: "desc" }, take });
    const runIds = found.flatMap(({ runId }) => runId ?? []);
    const runs = await prisma.run.findMany({
      where: { id: { in: runIds } },
      select: { id: true, status: true, error: true },
    });
    const runOf = new Map(runs.map((run) => [run.id, run]));
    const without = found.filter(({ runId }) => runId === null).map(({ transcriptId }) => transcriptId);
    const parents = await prisma.transcript.findMany({ where: { id: { in: [...new Set(without)] } } });
    const faultsOf = new Map(parents.map((row) => [row.id, toRecord(row).progress.faults]));
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

export function withoutTranscript({ transcriptId: _transcript, ...query }: StoredQuery): TranscriptQuery {
  return query;
}

/** Everything but the counts. */
export function summaryOf(record: TranscriptRecord): Omit<TranscriptSummary, "segmentCount" | "queryCount"> {
  const { id, seq, status, error, createdAt, closedAt, settings } = record;
  return { id, seq, title: settings.title, status, error, sourceKind: settings.source.kind, createdAt, closedAt };
}

function toRecord(row: rows.Transcript): TranscriptRecord {
  return {
    ...{ id: row.id, seq: row.seq, status: row.status as TranscriptStatus, error: row.error },
    createdAt: Number(row.createdAt),
    closedAt: row.closedAt === null ? null : Number(row.closedAt),
    settings: transcriptSettingsSchema.parse(JSON.parse(row.settings)),
    progress: { ...NO_PROGRESS, ...(row.progress === null ? {} : (JSON.parse(row.progress) as TranscriptProgress)) },
  };
}

function toSegment({ seq, text, speaker, atMs, receivedAt }: rows.TranscriptSegment): TranscriptSegment {
  return { seq, text, speaker, atMs, receivedAt: Number(receivedAt) };
}
