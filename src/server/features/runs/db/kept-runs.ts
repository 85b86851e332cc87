import type { Database } from "../../../platform/db/database";
import type { KeptRun, KeptRuns } from "../../retention/retention-ports";

/** The number of events in the first transaction; the next ones depend on its duration. */
const FIRST_EVENTS = 200;
const MOST_EVENTS = 5_000;
const TARGET_MS = 20;
/** The time after which the search for leftovers lets other work run. */
const SLICE_MS = 6;
/** The column has four bytes on PostgreSQL. */
const MAX_SEQ = 2 ** 31 - 1;

const HELD = `r."status" IN ('running', 'waiting') OR EXISTS (SELECT 1 FROM "Execution" e WHERE e."runId" = r."id" AND e."runId" IS NOT NULL
  AND (e."pinned" = true OR e."status" IN ('running', 'waiting')))`;
const NAMED = `EXISTS (SELECT 1 FROM "Run" c WHERE c."parentId" = r."id" AND c."parentId" IS NOT NULL)
  OR EXISTS (SELECT 1 FROM "Execution" e JOIN "Execution" c ON c."parentId" = e."id" AND c."parentId" IS NOT NULL
    WHERE e."runId" = r."id" AND e."runId" IS NOT NULL)`;

type Row = Omit<KeptRun, "isHeld" | "isNamed"> & Record<"isHeld" | "isNamed", 0 | 1>;

const SELECT_BELOW = `SELECT r."seq", r."id", r."source", r."startedAt", CASE WHEN ${HELD} THEN 1 ELSE 0 END AS "isHeld",
    CASE WHEN ${NAMED} THEN 1 ELSE 0 END AS "isNamed"
  FROM "Run" r WHERE r."seq" < ? ORDER BY r."seq" DESC LIMIT ?`;
const SUM_EVENTS = 'SELECT coalesce(sum(octet_length("body")), 0) AS value FROM "RunEvent" WHERE "runId" = ?';
const SUM_CALLS = `SELECT coalesce(sum(octet_length("arguments") + coalesce(octet_length("result"), 0)), 0) AS value
  FROM "Execution" WHERE "runId" = ? AND "runId" IS NOT NULL`;
const SELECT_CALLS = 'SELECT "id" AS value FROM "Execution" WHERE "runId" = ? AND "runId" IS NOT NULL';
const REMOVE_RUN = `DELETE FROM "Run" WHERE "id" = ? AND NOT EXISTS (SELECT 1 FROM "Run" r WHERE r."id" = "Run"."id" AND (${HELD} OR ${NAMED}))
  AND NOT EXISTS (SELECT 1 FROM "Execution" e WHERE e."runId" = "Run"."id" AND e."runId" IS NOT NULL)`;
const LAST_EVENT = 'SELECT max("index") AS value FROM "RunEvent" WHERE "runId" = ?';
const REMOVE_EVENTS = 'DELETE FROM "RunEvent" WHERE "runId" = ? AND "index" > ?';
const NEXT_RUN = 'SELECT min("runId") AS value FROM "RunEvent" WHERE "runId" > ?';
const FIND_RUN = 'SELECT "seq" AS value FROM "Run" WHERE "id" = ?';

/** Runs as retention reads and deletes them. */
export function createKeptRuns({ rows, row, change }: Pick<Database, "rows" | "row" | "change">): KeptRuns {
  const readValue = async <T>(sql: string, id: string): Promise<T | null> =>
    (await row<{ value: T | null }>(sql, id))?.value ?? null;

  async function deleteEvents(id: string): Promise<void> {
    const readLast = () => readValue<number>(LAST_EVENT, id);
    let size = FIRST_EVENTS;
    for (let last = await readLast(); last !== null; last = await readLast()) {
      const begun = performance.now();
      await change(REMOVE_EVENTS, id, last - size);
      const tookMs = performance.now() - begun;
      size = tookMs > TARGET_MS ? Math.max(FIRST_EVENTS >> 2, size >> 1) : Math.min(size * 2, MOST_EVENTS);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  return {
    below: async (seq, limit) =>
      (await rows<Row>(SELECT_BELOW, Math.min(seq, MAX_SEQ), limit)).map((found) => ({
        ...found,
        isHeld: found.isHeld === 1,
        isNamed: found.isNamed === 1,
      })),
    measure: async (id) =>
      ((await readValue<number>(SUM_EVENTS, id)) ?? 0) + ((await readValue<number>(SUM_CALLS, id)) ?? 0),
    callIds: async (id) => (await rows<{ value: string }>(SELECT_CALLS, id)).map(({ value }) => value),
    async delete(id) {
      if ((await change(REMOVE_RUN, id)) === 0) return false;
      await deleteEvents(id);
      return true;
    },
    async deleteLeftovers() {
      let begun = performance.now();
      for (let id = await readValue<string>(NEXT_RUN, ""); id !== null; id = await readValue<string>(NEXT_RUN, id)) {
        if ((await readValue<number>(FIND_RUN, id)) === null) await deleteEvents(id);
        if (performance.now() - begun < SLICE_MS) continue;
        await new Promise((resolve) => setImmediate(resolve));
        begun = performance.now();
      }
    },
  };
}
