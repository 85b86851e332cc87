import type { Database } from "../../../platform/db/database";
import { toJsonList } from "../../../platform/db/sql";
import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import type { HiddenCall, PrivateCallStore } from "../private-calls";
import { createPostgresReads } from "./postgres/reads";

/** Calls that got, or may get, their actor's own credential; a server's setting can let everyone read them. */
const PRIVATE = `(coalesce("credential", '') = 'personal' OR coalesce("serverName", '') IN (SELECT value FROM json_each(?)))
  AND coalesce("serverName", '') NOT IN (SELECT value FROM json_each(?))`;
/** Runs are private as a whole: other calls in them, and reruns of them, repeat what a private call returned. */
const IN_PRIVATE_RUN = `("runId" IS NOT NULL AND coalesce((SELECT "actorId" FROM "Run" WHERE id = "runId"), '') <> ? AND EXISTS (
  WITH RECURSIVE line(id, parent) AS (
    SELECT id, "parentId" FROM "Run" WHERE id = "Execution"."runId"
    UNION SELECT "Run".id, "Run"."parentId" FROM "Run" JOIN line ON "Run".id = line.parent)
  SELECT 1 FROM (SELECT "runId" AS run, "credential", "serverName" FROM "Execution" AS other WHERE other."runId" IN (SELECT id FROM line)) AS calls
  WHERE ${PRIVATE}))`;
const NOT_DECIDED_BY = `NOT EXISTS (SELECT 1 FROM "Approval" WHERE "executionId" = "Execution".id AND "deciderId" = ?)`;

/** The rows that a reader may search in. */
export function readableCondition({ id, personal, open }: { id: string; personal: string[]; open: string[] }) {
  const servers = [JSON.stringify(personal), JSON.stringify(open)];
  return {
    sql: `(+"actorId" = ? OR NOT (${PRIVATE} OR ${IN_PRIVATE_RUN}))`,
    values: [id, ...servers, id, ...servers],
  };
}

const HIDDEN = `SELECT * FROM (SELECT id, status, "toolName", "actorId", "actorName", "runId", ${PRIVATE} AS private,
     (SELECT mode FROM "Approval" WHERE "executionId" = "Execution".id) AS mode FROM "Execution"
     WHERE id IN (SELECT value FROM json_each(?)) AND "actorId" <> ? AND ${NOT_DECIDED_BY}) AS calls
   WHERE private OR "runId" IS NOT NULL`;
const CALLERS = `WITH RECURSIVE line(id, parent) AS (
    SELECT id, "parentId" FROM "Run" WHERE id = ?
    UNION SELECT "Run".id, "Run"."parentId" FROM "Run" JOIN line ON "Run".id = line.parent)
  SELECT DISTINCT "actorId" FROM "Execution"
  WHERE "runId" IN (SELECT id FROM line) AND "runId" IS NOT NULL AND ${PRIVATE}`;
const OWNERS = 'SELECT "actorId" FROM "Run" WHERE id = ?';

interface ActorRow {
  actorId: string;
}

type HiddenRow = Omit<HiddenCall, "actor"> & { actorId: string; actorName: string };

const toHiddenCall = ({ actorId, actorName, ...call }: HiddenRow): HiddenCall => ({
  ...call,
  actor: { id: actorId, name: actorName },
});
const toIds = (rows: readonly ActorRow[]): string[] => rows.map(({ actorId }) => actorId);

export function createPrivateCallStore(db: Database): PrivateCallStore {
  return db.kind === "sqlite" ? createSqliteStore(db.raw) : createPostgresStore(createPostgresReads(db.pool).rows);
}

function createSqliteStore(raw: RawDatabase): PrivateCallStore {
  const hidden = raw.prepare<string[], HiddenRow>(HIDDEN).safeIntegers(false);
  const callers = raw.prepare<string[], ActorRow>(CALLERS);
  const owners = raw.prepare<[string], ActorRow>(OWNERS);
  return {
    hidden: (ids, reader, { personal, open }) =>
      hidden.all(JSON.stringify(personal), JSON.stringify(open), toJsonList(ids), reader, reader).map(toHiddenCall),
    readersOfRun(runId, { personal, open }) {
      const found = toIds(callers.all(runId, JSON.stringify(personal), JSON.stringify(open)));
      return found.length === 0 ? null : [...found, ...toIds(owners.all(runId))];
    },
    ownersOfRun: (runId) => toIds(owners.all(runId)),
  };
}

function createPostgresStore(rows: <Row>(sql: string, values: string[]) => Promise<Row[]>): PrivateCallStore {
  const ownersOfRun = async (runId: string): Promise<string[]> => toIds(await rows<ActorRow>(OWNERS, [runId]));
  return {
    async hidden(ids, reader, { personal, open }) {
      const lists = [JSON.stringify(personal), JSON.stringify(open), toJsonList(ids)];
      return (await rows<HiddenRow>(HIDDEN, [...lists, reader, reader])).map(toHiddenCall);
    },
    async readersOfRun(runId, { personal, open }) {
      const found = toIds(await rows<ActorRow>(CALLERS, [runId, JSON.stringify(personal), JSON.stringify(open)]));
      return found.length === 0 ? null : [...found, ...(await ownersOfRun(runId))];
    },
    ownersOfRun,
  };
}
