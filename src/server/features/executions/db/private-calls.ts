import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import type { HiddenCall, PrivateCallStore } from "../private-calls";

/** Calls that got, or may get, their actor's own credential; a server's setting can let everyone read them. */
const PRIVATE = `("credential" = 'personal' OR coalesce("serverName", '') IN (SELECT value FROM json_each(?)))
  AND coalesce("serverName", '') NOT IN (SELECT value FROM json_each(?))`;
/** Runs are private as a whole: other calls in them, and reruns of them, repeat what a private call returned. */
const IN_PRIVATE_RUN = `("runId" IS NOT NULL AND coalesce((SELECT "actorId" FROM "Run" WHERE id = "runId"), '') <> ? AND EXISTS (
  WITH RECURSIVE line(id, parent) AS (
    SELECT id, "parentId" FROM "Run" WHERE id = "Execution"."runId"
    UNION SELECT "Run".id, "Run"."parentId" FROM "Run" JOIN line ON "Run".id = line.parent)
  SELECT 1 FROM (SELECT "runId" AS run, "credential", "serverName" FROM "Execution" AS other WHERE other."runId" IN (SELECT id FROM line))
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

export function createPrivateCallStore(raw: RawDatabase): PrivateCallStore {
  const hidden = raw.prepare<string[], Omit<HiddenCall, "actor"> & { actorId: string; actorName: string }>(
    `SELECT * FROM (SELECT id, status, "toolName", "actorId", "actorName", "runId", ${PRIVATE} AS private,
       (SELECT mode FROM "Approval" WHERE "executionId" = "Execution".id) AS mode FROM "Execution"
       WHERE id IN (SELECT value FROM json_each(?)) AND "actorId" <> ? AND ${NOT_DECIDED_BY})
     WHERE private OR "runId" IS NOT NULL`,
  );
  const line = `WITH RECURSIVE line(id, parent) AS (
    SELECT id, "parentId" FROM "Run" WHERE id = ?
    UNION SELECT "Run".id, "Run"."parentId" FROM "Run" JOIN line ON "Run".id = line.parent)`;
  const callers = raw
    .prepare<string[], string>(
      `${line} SELECT DISTINCT "actorId" FROM "Execution"
       WHERE "runId" IN (SELECT id FROM line) AND "runId" IS NOT NULL AND ${PRIVATE}`,
    )
    .pluck();
  const owners = raw.prepare<[string], string>('SELECT "actorId" FROM "Run" WHERE id = ?').pluck();
  return {
    hidden: (ids, reader, { personal, open }) =>
      hidden
        .all(JSON.stringify(personal), JSON.stringify(open), JSON.stringify(ids), reader, reader)
        .map(({ actorId, actorName, ...call }) => ({ ...call, actor: { id: actorId, name: actorName } })),
    readersOfRun(runId, { personal, open }) {
      const found = callers.all(runId, JSON.stringify(personal), JSON.stringify(open));
      return found.length === 0 ? null : [...found, ...owners.all(runId)];
    },
    ownersOfRun: (runId) => owners.all(runId),
  };
}
