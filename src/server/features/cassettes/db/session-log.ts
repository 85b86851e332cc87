import { nanoid } from "nanoid";
import type { Clock } from "../../../engine/ports";
import type { SqlAccess } from "../../../platform/db/sql";
import { change, type Steps, selectRow, selectRows } from "../../../platform/db/sql";
import type { NewPlay, PlayFacts, SessionKey, SessionLog, StoredSession } from "../cassette-store";

/** The plays of one session; further ones begin another. */
const MAX_PLAYS = 10_000;
/** The sessions of one cassette: older ones are deleted. */
const MAX_SESSIONS = 100;

export interface SessionRow {
  seq: number;
  id: string;
  cassetteId: string;
  label: string | null;
  client: string | null;
  actorId: string;
  actorName: string;
  startedAt: number | bigint;
  lastAt: number | bigint;
}
type FactsRow = Omit<PlayFacts, "outOfOrder"> & { outOfOrder: number | boolean };

const SELECT_SESSION =
  'SELECT * FROM "CassetteSession" WHERE "cassetteId" = ? AND "key" = ? ORDER BY "seq" DESC LIMIT 1';
const INSERT_SESSION = `INSERT INTO "CassetteSession"
  ("id", "cassetteId", "key", "label", "actorId", "actorName", "client", "startedAt", "lastAt") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const UPDATE_SESSION = 'UPDATE "CassetteSession" SET "lastAt" = ?, "client" = coalesce("client", ?) WHERE "id" = ?';
const SELECT_FACTS =
  'SELECT "outcome", "recording", "outOfOrder" FROM "CassettePlay" WHERE "sessionId" = ? ORDER BY "ordinal"';
const INSERT_PLAY = `INSERT INTO "CassettePlay"
  ("sessionId", "ordinal", "at", "name", "outcome", "recording", "outOfOrder", "arguments", "message", "differences")
  VALUES (?, ?, ?, ?, ?, ?, ? = 1, ?, ?, ?)`;
const SELECT_OLD = 'SELECT "id" FROM "CassetteSession" WHERE "cassetteId" = ? ORDER BY "seq" DESC LIMIT 1000 OFFSET ?';

export function toSession(row: SessionRow): StoredSession {
  const { id, cassetteId, label, client, actorId, actorName } = row;
  const actor = { id: actorId, name: actorName };
  return { id, cassetteId, label, client, actor, startedAt: Number(row.startedAt), lastAt: Number(row.lastAt) };
}

export function createSessionLog(db: Pick<SqlAccess, "transaction">, clock: Clock): SessionLog {
  function* findSession(cassetteId: string, { key, idleMs }: SessionKey, now: number) {
    const found = yield* selectRow<SessionRow>(SELECT_SESSION, cassetteId, key);
    if (found === undefined || (idleMs !== null && Number(found.lastAt) + idleMs < now)) return null;
    const rows = yield* selectRows<FactsRow>(SELECT_FACTS, found.id);
    const facts = rows.map((row) => ({ ...row, outOfOrder: Boolean(row.outOfOrder) }));
    return facts.length < MAX_PLAYS ? { id: found.id, facts } : null;
  }

  function* openSession(id: string, cassetteId: string, session: SessionKey, now: number): Steps<void> {
    const { key, label, actor, client } = session;
    yield* change(INSERT_SESSION, id, cassetteId, key, label, actor.id, actor.name, client, now, now);
    for (const old of yield* selectRows<{ id: string }>(SELECT_OLD, cassetteId, MAX_SESSIONS)) {
      yield* change('DELETE FROM "CassettePlay" WHERE "sessionId" = ?', old.id);
      yield* change('DELETE FROM "CassetteSession" WHERE "id" = ?', old.id);
    }
  }

  return {
    note<Play extends NewPlay | null>(
      cassetteId: string,
      session: SessionKey,
      decide: (earlier: readonly PlayFacts[]) => Play,
    ): Promise<Play> {
      const newId = nanoid(12);
      return db.transaction(function* (): Steps<Play> {
        const now = clock.now();
        const known = yield* findSession(cassetteId, session, now);
        const play = decide(known?.facts ?? []);
        if (play === null) return play;
        const id = known?.id ?? newId;
        if (known === null) yield* openSession(id, cassetteId, session, now);
        else yield* change(UPDATE_SESSION, now, session.client, id);
        const { name, outcome, recording, outOfOrder, argumentsText, message, differences } = play;
        const details = differences.length === 0 ? null : JSON.stringify(differences);
        const ordinal = known?.facts.length ?? 0;
        yield* change(
          INSERT_PLAY,
          id,
          ordinal,
          now,
          name,
          outcome,
          recording,
          outOfOrder ? 1 : 0,
          argumentsText,
          message,
          details,
        );
        return play;
      }, `cassette ${cassetteId}`);
    },
  };
}
