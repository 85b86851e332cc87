import type { ApprovalMode } from "../../../../lib/contract/approval";
import type { PrivateCallStore } from "../../../features/executions/private-calls";
import type { RawDatabase } from "../connection";

/** Calls that got, or may get, their actor's own credential; a server's setting can let everyone read them. */
const PRIVATE = `("credential" = 'personal' OR coalesce("serverName", '') IN (SELECT value FROM json_each(?)))
  AND coalesce("serverName", '') NOT IN (SELECT value FROM json_each(?))`;
const NOT_DECIDED_BY = `NOT EXISTS (SELECT 1 FROM "Approval" WHERE "executionId" = "Execution".id AND "deciderId" = ?)`;

/** The rows that a reader may search in. */
export function readableCondition({ id, personal, open }: { id: string; personal: string[]; open: string[] }) {
  return {
    sql: `(+"actorId" = ? OR NOT (${PRIVATE}))`,
    values: [id, JSON.stringify(personal), JSON.stringify(open)],
  };
}

export function createPrivateCallStore(raw: RawDatabase): PrivateCallStore {
  const hidden = raw.prepare<
    string[],
    { id: string; status: string; toolName: string; actorId: string; actorName: string; mode: ApprovalMode | null }
  >(
    `SELECT id, status, "toolName", "actorId", "actorName",
       (SELECT mode FROM "Approval" WHERE "executionId" = "Execution".id) AS mode FROM "Execution"
     WHERE id IN (SELECT value FROM json_each(?)) AND ${PRIVATE} AND "actorId" <> ? AND ${NOT_DECIDED_BY}`,
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
        .all(JSON.stringify(ids), JSON.stringify(personal), JSON.stringify(open), reader, reader)
        .map(({ actorId, actorName, ...call }) => ({ ...call, actor: { id: actorId, name: actorName } })),
    readersOfRun(runId, { personal, open }) {
      const found = callers.all(runId, JSON.stringify(personal), JSON.stringify(open));
      return found.length === 0 ? null : [...found, ...owners.all(runId)];
    },
    ownersOfRun: (runId) => owners.all(runId),
  };
}
