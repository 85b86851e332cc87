import type { RunStatus } from "../../../../lib/contract/run";
import type { TranscriptQuery, TranscriptSegment, TranscriptStatus } from "../../../../lib/contract/transcript";
import { transcriptSettingsSchema } from "../../../../lib/contract/transcript";
import type { Database } from "../../../platform/db/database";
import type * as rows from "../../../platform/db/generated/client";
import { isLeftToCopy } from "../../../platform/db/owned-rows";
import { change, type Steps, selectRow } from "../../../platform/db/sql";
import type {
  AddedSegments,
  CountedTranscript,
  QueryOutcome,
  TranscriptProgress,
  TranscriptRecord,
  TranscriptStore,
} from "../transcript-store";

/** The queries of one transcript, as shown and as returned by the API. */
const MAX_QUERIES = 2000;
const MAX_LISTED = 500;

type QueryMethod = "queries" | "queryOfRun" | "unanswered" | "answersAfter" | "claim" | "setOutcome";

/** @param owner the copy of the server that writes */
export function createTranscriptStore({
  db,
  owner = "local",
}: {
  db: Database;
  owner?: string | undefined;
}): TranscriptStore {
  const { transcript, transcriptSegment, transcriptQuery } = db.prisma;
  return {
    list: () => listTranscripts(db),
    async find(id) {
      const row = await transcript.findUnique({ where: { id } });
      return row === null ? null : db.damaged.read("transcript", id, () => toRecord(row));
    },
    countOpen: () => transcript.count({ where: { status: "open" } }),
    countQueries: (id) => transcriptQuery.count({ where: { transcriptId: id } }),
    unfinished: () => db.rows(`${UNFINISHED} AND ${isLeftToCopy(db.kind)} ORDER BY seq`, owner),
    take: (id, expected) =>
      db.write(
        async () => (await transcript.updateMany({ where: { id, owner: expected }, data: { owner } })).count === 1,
      ),
    releaseAll: () =>
      db.write(async () => void (await transcript.updateMany({ where: { owner }, data: { owner: null } }))),
    async segments(id, limit, untilSeq) {
      const where = { transcriptId: id, ...(untilSeq === undefined ? {} : { seq: { lte: untilSeq } }) };
      const found = await transcriptSegment.findMany({ where, orderBy: { seq: "desc" }, take: limit });
      return found.reverse().map(toSegment);
    },
    async segmentsAfter(id, seq, limit) {
      const where = { transcriptId: id, seq: { gt: seq } };
      return (await transcriptSegment.findMany({ where, orderBy: { seq: "asc" }, take: limit })).map(toSegment);
    },
    async create({ id, createdAt, settings }) {
      const data = { id, title: settings.title, status: "open", createdAt: BigInt(createdAt), owner };
      return toRecord(
        await db.write(() => transcript.create({ data: { ...data, settings: JSON.stringify(settings) } })),
      );
    },
    async append(id, added) {
      // In turns, so that a reader who asks for what came after a segment misses none.
      const seqs = await db.transaction(() => appendSegments(id, added), `transcript ${id}`);
      if (seqs === null) return null;
      return added.segments.map(({ text, speaker = null, atMs = null }, index) => ({
        seq: seqs[index] ?? 0,
        text,
        speaker,
        atMs,
        receivedAt: added.receivedAt,
      }));
    },
    async keep(id, progress, queries, closedAt) {
      const closed = closedAt === undefined ? {} : { status: "closed", closedAt: BigInt(closedAt) };
      const found = queries.map(({ askedAt, ...query }) => ({ ...query, transcriptId: id, askedAt: BigInt(askedAt) }));
      await db.write(() =>
        db.prisma.$transaction([
          transcript.update({
            where: { id, owner },
            select: { id: true },
            data: { progress: JSON.stringify(progress), ...closed },
          }),
          transcriptQuery.createMany({ data: found }),
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
    ...createQueryMethods(db),
  };
}

const UNFINISHED = `SELECT id, owner FROM "Transcript" WHERE
  (status = 'open' OR id IN (SELECT "transcriptId" FROM "TranscriptQuery" WHERE "answeredAt" IS NULL))`;
/** Of the columns of PostgreSQL. */
const MAX_INTEGER = 2 ** 31 - 1;
const EXTEND = `UPDATE "Transcript" SET "segmentCount" = "segmentCount" + ?, characters = characters + ?
  WHERE id = ? AND status = 'open' AND "segmentCount" <= ? AND characters <= ?`;
const INSERT_SEGMENT = `INSERT INTO "TranscriptSegment" ("transcriptId", "receivedAt", "atMs", speaker, text)
  VALUES (?, ?, ?, ?, ?) RETURNING seq`;

/** In SQL: the hot path of a transcript, which the same statements through Prisma make ten times as long. */
function* appendSegments(id: string, { segments, receivedAt, limits }: AddedSegments): Steps<number[] | null> {
  const count = segments.length;
  const characters = segments.reduce((sum, { text }) => sum + text.length, 0);
  const space = [limits.segments - count, Math.min(limits.characters - characters, MAX_INTEGER)];
  if ((yield* change(EXTEND, count, characters, id, ...space)) === 0) return null;
  const seqs: number[] = [];
  for (const { text, speaker, atMs } of segments) {
    const values = [id, receivedAt, atMs ?? null, speaker ?? null, text];
    seqs.push((yield* selectRow<{ seq: number }>(INSERT_SEGMENT, ...values))?.seq ?? 0);
  }
  return seqs;
}

function createQueryMethods(db: Database): Pick<TranscriptStore, QueryMethod> {
  const { transcriptQuery } = db.prisma;
  return {
    queries: async (id) => (await readQueries(db, { transcriptId: id })).reverse(),
    queryOfRun: async (runId) => (await readQueries(db, { runId }))[0] ?? null,
    unanswered: async (id) => (await readQueries(db, { transcriptId: id, answeredAt: null })).reverse(),
    answersAfter: (id, answeredAt) =>
      readQueries(db, { transcriptId: id, answeredAt: { gt: BigInt(answeredAt) } }, { answeredAt: "asc" }),
    async claim(queryId, runId) {
      const where = { id: queryId, answeredAt: null, OR: [{ runId: null }, { runId }] };
      return (await db.write(() => transcriptQuery.updateMany({ where, data: { runId } }))).count > 0;
    },
    setOutcome: (queryId, outcome) => db.transaction(() => settle(queryId, outcome), "transcript answers"),
  };
}

const FIND_NEWEST_ANSWER = `SELECT query."transcriptId", max(other."answeredAt") AS newest
  FROM "TranscriptQuery" AS query JOIN "TranscriptQuery" AS other ON other."transcriptId" = query."transcriptId"
  WHERE query.id = ? GROUP BY query."transcriptId"`;
const UNSETTLED = `id = ? AND answer IS NULL`;

/** The answers of a transcript have different times, also where they come within a millisecond. */
function* settle(id: string, { answer, error, now }: QueryOutcome): Steps<string | null> {
  const found = yield* selectRow<{ transcriptId: string; newest: number | null }>(FIND_NEWEST_ANSWER, id);
  if (found === undefined) return null;
  const answeredAt = Math.max(now, (found.newest ?? 0) + 1);
  const set = `answer = ?, error = ?, "answeredAt" = ?${error === null ? "" : ', "runId" = NULL'}`;
  const condition = answer === null ? `${UNSETTLED} AND "answeredAt" IS NULL` : UNSETTLED;
  const changes = yield* change(
    `UPDATE "TranscriptQuery" SET ${set} WHERE ${condition}`,
    answer,
    error,
    answeredAt,
    id,
  );
  return changes === 0 ? null : found.transcriptId;
}

async function listTranscripts({ prisma, damaged }: Database): Promise<CountedTranscript[]> {
  const found = await prisma.transcript.findMany({ orderBy: { seq: "desc" }, take: MAX_LISTED });
  const where = { transcriptId: { in: found.map(({ id }) => id) } };
  const counted = await prisma.transcriptQuery.groupBy({ by: ["transcriptId"], where, _count: true });
  const queriesOf = new Map(counted.map((row) => [row.transcriptId, row._count]));
  const read = (row: rows.Transcript) => ({ ...toRecord(row), queryCount: queriesOf.get(row.id) ?? 0 });
  return found.flatMap((row) => damaged.read("transcript", row.id, () => read(row)) ?? []);
}

/** With what their runs say of themselves. */
async function readQueries(
  { prisma }: Database,
  where: rows.Prisma.TranscriptQueryWhereInput,
  orderBy: rows.Prisma.TranscriptQueryOrderByWithRelationInput = { seq: "desc" },
): Promise<TranscriptQuery[]> {
  const found = await prisma.transcriptQuery.findMany({ where, orderBy, take: MAX_QUERIES });
  const runIds = found.flatMap(({ runId }) => runId ?? []);
  const select = { id: true, status: true, error: true };
  const runs = await prisma.run.findMany({ where: { id: { in: runIds } }, select });
  const runOf = new Map(runs.map((run) => [run.id, run]));
  return found.map((row) => toQuery(row, runOf.get(row.runId ?? "") ?? null));
}

function toQuery(row: rows.TranscriptQuery, run: { status: string; error: string | null } | null): TranscriptQuery {
  const { id, text, wakePhrase, speaker, fromSeq, toSeq, runId, answer } = row;
  return {
    id,
    text,
    wakePhrase,
    speaker,
    fromSeq,
    toSeq,
    runId,
    answer,
    runStatus: (run?.status as RunStatus | undefined) ?? null,
    error: answer === null ? (run?.error ?? row.error) : null,
    askedAt: Number(row.askedAt),
    answeredAt: row.answeredAt === null ? null : Number(row.answeredAt),
  };
}

function toRecord(row: rows.Transcript): TranscriptRecord {
  return {
    id: row.id,
    seq: row.seq,
    owner: row.owner,
    status: row.status as TranscriptStatus,
    createdAt: Number(row.createdAt),
    closedAt: row.closedAt === null ? null : Number(row.closedAt),
    settings: transcriptSettingsSchema.parse(JSON.parse(row.settings)),
    segmentCount: row.segmentCount,
    characters: row.characters,
    progress: row.progress === null ? null : (JSON.parse(row.progress) as TranscriptProgress),
  };
}

function toSegment({ seq, text, speaker, atMs, receivedAt }: rows.TranscriptSegment): TranscriptSegment {
  return { seq, text, speaker, atMs, receivedAt: Number(receivedAt) };
}
