import { nanoid } from "nanoid";
import type { CallEvent, CallEvents } from "../../../../lib/contract/call-event";
import { type CassetteInput, type CassettePlay, cassetteInputSchema } from "../../../../lib/contract/cassette";
import { parseExact } from "../../../../lib/json/exact-text";
import { writeKeptParts } from "../../../../lib/json/known-text";
import type { Clock } from "../../../engine/ports";
import type { Database } from "../../../platform/db/database";
import type { Cassette as CassetteRow } from "../../../platform/db/generated/client";
import { refuseDuplicate } from "../../../platform/db/refuse-duplicate";
import { isRevision, refuseOutdated, toLastEdit } from "../../../platform/db/refuse-outdated";
import { AMONG, change, type SqlAccess } from "../../../platform/db/sql";
import type { CallEventStore, CassetteStore, PlayFacts, StoredCassette } from "../cassette-store";
import { createSessionLog, type SessionRow, toSession } from "./session-log";

/** Characters and lines of one transaction. */
const SLICE_CHARS = 1_000_000;
const SLICE_LINES = 200;

type PlayRow = Omit<CassettePlay, "differences" | "at" | "outOfOrder" | "argumentsText"> & {
  at: number | bigint;
  outOfOrder: number | boolean;
  arguments: string;
  differences: string | null;
};
type FactsRow = Pick<PlayRow, "outcome" | "recording" | "outOfOrder"> & { sessionId: string };

const INSERT_LINE = 'INSERT INTO "CassetteLine" ("cassetteId", "position", "line") VALUES (?, ?, ?)';
const SELECT_FACTS = `SELECT "sessionId", "outcome", "recording", "outOfOrder" FROM "CassettePlay"
  WHERE "sessionId" ${AMONG} ORDER BY "sessionId", "ordinal"`;
const SELECT_NEWEST = `SELECT * FROM "CassetteSession" WHERE "seq" IN (SELECT max("seq") FROM "CassetteSession" GROUP BY "cassetteId")`;
const SELECT_SESSIONS =
  'SELECT * FROM "CassetteSession" WHERE "cassetteId" = ? ORDER BY "lastAt" DESC, "seq" DESC LIMIT ?';

export function createCassetteStore({ db, clock }: { db: Database; clock: Clock }): CassetteStore {
  const { cassette } = db.prisma;
  const now = (): bigint => BigInt(clock.now());
  const columns = ({ name, notes, settings }: CassetteInput) => ({
    name,
    notes,
    settings: JSON.stringify(settings),
    updatedAt: now(),
  });

  const { writeLines, deleteLines } = createLineWrites(db);

  return {
    ...createSessionLog(db, clock),
    ...createReads(db),

    async list() {
      const rows = await cassette.findMany({ orderBy: { name: "asc" } });
      return rows.flatMap((row) => db.damaged.read("cassette", row.name, () => toCassette(row)) ?? []);
    },

    async find(name) {
      const row = await cassette.findUnique({ where: { name } });
      return row === null ? null : toCassette(row);
    },

    async create(input, { lines, servers, toolCount, callCount }, by) {
      const id = nanoid(12);
      try {
        await writeLines(id, lines);
        const data = columns(input);
        const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
        const facts = { toolCount, callCount, bytes, servers: JSON.stringify(servers) };
        const row = { ...data, ...facts, id, createdAt: data.updatedAt, createdBy: by.name, changedBy: by.name };
        const created = await db
          .write(() => cassette.create({ data: row }))
          .catch(refuseDuplicate("cassette", input.name));
        return toCassette(created);
      } catch (error) {
        await deleteLines(id).catch(() => undefined);
        throw error;
      }
    },

    async update(name, input, { by, revision } = {}) {
      const data = { ...columns(input), changedBy: by?.name ?? null, revision: { increment: 1 } };
      const [row] = await db
        .write(() => cassette.updateManyAndReturn({ where: { name, ...isRevision(revision) }, data }))
        .catch(refuseDuplicate("cassette", input.name));
      if (row === undefined) refuseOutdated("cassette", name, await cassette.findUnique({ where: { name } }));
      return toCassette(row);
    },

    async delete(name, revision) {
      const row = await cassette.findUnique({ where: { name } });
      const { count } = await db.write(() => cassette.deleteMany({ where: { name, ...isRevision(revision) } }));
      if (count === 0 || row === null) refuseOutdated("cassette", name, row);
      const { id } = row;
      await db.transaction(function* () {
        yield* change(
          'DELETE FROM "CassettePlay" WHERE "sessionId" IN (SELECT "id" FROM "CassetteSession" WHERE "cassetteId" = ?)',
          id,
        );
        yield* change('DELETE FROM "CassetteSession" WHERE "cassetteId" = ?', id);
      });
      await deleteLines(id);
    },
  };
}

/** A row of a later version, or one edited by hand, must not hide the others. */
function toCassette(row: CassetteRow): StoredCassette {
  const { id, name, notes, toolCount, callCount, bytes, createdBy } = row;
  const read = cassetteInputSchema.parse({ name, notes, settings: JSON.parse(row.settings) });
  return {
    ...read,
    id,
    toolCount,
    callCount,
    bytes,
    createdBy,
    servers: JSON.parse(row.servers) as string[],
    createdAt: Number(row.createdAt),
    updatedAt: Number(row.updatedAt),
    lastEdit: toLastEdit(row),
  };
}

function createLineWrites(db: Pick<SqlAccess, "transaction" | "change">) {
  /** Writes in slices, so that other work runs in between; until its row is written the cassette does not exist. */
  async function writeLines(id: string, lines: readonly string[]): Promise<void> {
    let position = 0;
    while (position < lines.length) {
      const from = position;
      let chars = 0;
      while (position < lines.length && position - from < SLICE_LINES && (chars === 0 || chars < SLICE_CHARS)) {
        chars += lines[position]?.length ?? 0;
        position += 1;
      }
      const slice = lines.slice(from, position);
      await db.transaction(function* () {
        for (const [index, line] of slice.entries()) yield* change(INSERT_LINE, id, from + index, line);
      });
    }
  }

  const deleteLines = (id: string) => db.change('DELETE FROM "CassetteLine" WHERE "cassetteId" = ?', id);

  return { writeLines, deleteLines };
}

function createReads(
  db: Pick<SqlAccess, "rows">,
): Pick<CassetteStore, "lines" | "sessions" | "newestSessions" | "plays" | "playFacts"> {
  return {
    async lines(id) {
      const select = 'SELECT "line" FROM "CassetteLine" WHERE "cassetteId" = ? ORDER BY "position"';
      return (await db.rows<{ line: string }>(select, id)).map(({ line }) => line);
    },

    sessions: async (id, limit) => (await db.rows<SessionRow>(SELECT_SESSIONS, id, limit)).map(toSession),
    newestSessions: async () => (await db.rows<SessionRow>(SELECT_NEWEST)).map(toSession),

    async plays(sessionId) {
      const rows = await db.rows<PlayRow>(
        'SELECT * FROM "CassettePlay" WHERE "sessionId" = ? ORDER BY "ordinal"',
        sessionId,
      );
      return rows.map(
        ({ arguments: argumentsText, differences, at, outOfOrder, ordinal, name, outcome, recording, message }) => ({
          ordinal,
          name,
          outcome,
          recording,
          message,
          argumentsText,
          at: Number(at),
          outOfOrder: Boolean(outOfOrder),
          differences: differences === null ? [] : JSON.parse(differences),
        }),
      );
    },

    async playFacts(sessionIds) {
      const found = new Map<string, PlayFacts[]>();
      for (const { sessionId, outcome, recording, outOfOrder } of await db.rows<FactsRow>(SELECT_FACTS, sessionIds)) {
        const facts = found.get(sessionId) ?? [];
        facts.push({ outcome, recording, outOfOrder: Boolean(outOfOrder) });
        found.set(sessionId, facts);
      }
      return found;
    },
  };
}

interface EventsRow {
  executionId: string;
  events: string;
  protocolError: string | null;
}

const INSERT_EVENTS =
  'INSERT INTO "ExecutionEvents" ("executionId", "events", "protocolError") VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
const SELECT_EVENTS = `SELECT "executionId", "events", "protocolError" FROM "ExecutionEvents" WHERE "executionId" ${AMONG}`;

export function createCallEventStore(db: SqlAccess): CallEventStore {
  return {
    async put(executionId, { events, protocolError }) {
      await db.change(
        INSERT_EVENTS,
        executionId,
        writeKeptParts(events) ?? "[]",
        protocolError && (writeKeptParts(protocolError) ?? null),
      );
    },
    async find(ids) {
      const rows = await db.rows<EventsRow>(SELECT_EVENTS, ids);
      return new Map(
        rows.map(({ executionId, events, protocolError }) => [executionId, readEvents(events, protocolError)]),
      );
    },
  };
}

function readEvents(events: string, protocolError: string | null): CallEvents {
  return {
    events: parseExact(events) as CallEvent[],
    protocolError: protocolError === null ? null : (parseExact(protocolError) as CallEvents["protocolError"]),
  };
}
