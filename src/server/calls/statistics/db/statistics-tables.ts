import type { Clock } from "../../../engine/ports";
import type { Database, PostgresDatabase } from "../../../platform/db/database";
import { BEGIN_SNAPSHOT, hashLock, runPoolTransaction, runSteps } from "../../../platform/db/postgres/postgres-sql";
import { type Steps, selectRows } from "../../../platform/db/sql";
import { createRunSteps } from "../../../platform/db/sqlite/sqlite-database";
import { storageCode } from "../../../platform/db/storage-error";
import { UNCOUNTED_SQL } from "../../executions/db/counted-sources";
import type { StatisticsUpkeep } from "../statistics-store";
import type { CallFacts } from "./call-facts";
import type { StatisticRow } from "./call-tally";
import { countBatch, parseRemoved, STATISTICS_LOCK, toAdded } from "./count-batch";
import { KEPT_MINUTES_MS } from "./count-facts";
import { DIMENSIONS, STORED_DIMENSIONS } from "./dimensions";
import { beginRebuild, createSqliteRebuild, rebuildFromSnapshot } from "./rebuild";
import type { RecentCalls } from "./recent-calls";
import { removeSome } from "./statistic-rows";
import type { RawFacts, ReadStatistics, StatisticsData, StatisticsRequest } from "./statistics-data";
import { READ_DELETIONS, READ_REBUILD, READ_UNCOUNTED, readRaw, readRows } from "./statistics-sql";

const SERIALIZATION_FAILURE = "40001";
const REMOVED_AT_ONCE = 2_000;
/** During an upgrade, running instances of a version without statistics count nothing. */
const IS_COMPLETE = `SELECT CASE WHEN
    (SELECT coalesce(sum("calls"), 0) FROM "Statistic" WHERE "span" = 1440 AND "dimension" = 'all')
    + (SELECT count(*) FROM "UncountedExecution" u JOIN "Execution" e ON e."seq" = u."seq" WHERE e."source" NOT IN ${UNCOUNTED_SQL})
    - (SELECT coalesce(sum(json_array_length("facts"::json)), 0) FROM "UncountedDeletion")
    = (SELECT count(*) FROM "Execution" WHERE "status" NOT IN ('running', 'waiting') AND "source" NOT IN ${UNCOUNTED_SQL})
  THEN 1 ELSE 0 END AS same`;
const RECENT = STORED_DIMENSIONS.filter((dimension) => DIMENSIONS[dimension].minutes === "recent");

export function createStatisticsTables(db: Database, clock: Pick<Clock, "now">, recent: RecentCalls) {
  const read = createReads(db);
  const size = { calls: 2_000 };
  const rebuildPart = db.kind === "sqlite" ? createSqliteRebuild(db, clock.now) : null;
  const isRebuilding = async () => (await db.rows(READ_REBUILD)).length > 0;

  async function rebuildAll(database: PostgresDatabase, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await rebuildFromSnapshot(database, { lock: hashLock(STATISTICS_LOCK), now: clock.now(), signal });
      } catch (error) {
        if (storageCode(error) !== SERIALIZATION_FAILURE) throw error;
      }
    }
  }

  const upkeep: StatisticsUpkeep = {
    isRebuilding,
    countSome(all = true) {
      // A transaction may be tried twice, and what a failed one leaves is read from the database.
      const options = { kind: db.kind, size, recent, own: recent.take(), all, now: clock.now() };
      return db.transaction(() => countBatch(options), STATISTICS_LOCK);
    },
    beginRebuild: () => db.transaction(beginRebuild, STATISTICS_LOCK),
    async rebuildSome(signal) {
      if (rebuildPart !== null) return await rebuildPart();
      if (db.kind === "postgres" && (await isRebuilding())) await rebuildAll(db, signal);
      return false;
    },
    isComplete: async () => db.kind === "sqlite" || (await db.row<{ same: 0 | 1 }>(IS_COMPLETE))?.same === 1,
    async removeOldMinutes() {
      const before = clock.now() - KEPT_MINUTES_MS;
      let isMore = false;
      for (const dimension of RECENT) {
        const removed = await db.change(
          removeSome(`"span" = 1 AND "dimension" = ? AND "start" < ?`, REMOVED_AT_ONCE),
          dimension,
          before,
        );
        isMore ||= removed >= REMOVED_AT_ONCE;
      }
      return isMore;
    },
  };
  return { read, upkeep };
}

/** Reads one state of the database: SQLite reads within one turn of the event loop, in which nothing else writes. */
function createReads(db: Database): ReadStatistics {
  if (db.kind === "sqlite") {
    const runAtOnce = createRunSteps(db.raw);
    return async (requests) => runAtOnce(readData(requests, "sqlite"));
  }
  return (requests) =>
    runPoolTransaction(db.pool, (client) => runSteps(client, readData(requests, "postgres")), BEGIN_SNAPSHOT);
}

function* readData(requests: readonly StatisticsRequest[], kind: Database["kind"]): Steps<StatisticsData[]> {
  const rows: StatisticRow[][] = [];
  for (const request of requests) rows.push(yield* readRows(request, kind));
  const uncounted = yield* selectRows<CallFacts>(READ_UNCOUNTED);
  const deletions = yield* selectRows<{ facts: string }>(READ_DELETIONS);
  const changes = [...toAdded(uncounted), ...deletions.flatMap(({ facts }) => parseRemoved(facts))];
  // Requests that count the same times by different dimensions share their calls.
  const toKey = ({ plan, countsOnly }: StatisticsRequest): string => JSON.stringify([plan.raw, countsOnly === true]);
  const calls = new Map<string, RawFacts[]>();
  for (const request of requests) {
    const key = toKey(request);
    if (!calls.has(key)) calls.set(key, yield* readRaw(request, kind));
  }
  const rebuild = yield* selectRows(READ_REBUILD);
  return requests.map((request, index) => ({
    rows: rows[index] ?? [],
    raw: calls.get(toKey(request)) ?? [],
    rebuilding: rebuild.length > 0,
    changes,
  }));
}
