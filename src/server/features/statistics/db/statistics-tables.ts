import type { Clock } from "../../../engine/ports";
import type { Database, PostgresDatabase, SqliteDatabase } from "../../../platform/db/database";
import {
  BEGIN_SNAPSHOT,
  hashLock,
  runPoolTransaction,
  toPostgresSql,
} from "../../../platform/db/postgres/postgres-sql";
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
import type { ReadStatistics, StatisticsData, StatisticsRequest } from "./statistics-data";
import {
  READ_DELETIONS,
  READ_REBUILD,
  READ_UNCOUNTED,
  readFirstDay,
  readRaw,
  readRows,
  type Statement,
} from "./statistics-sql";

/** Runs a statement of a consistent read. */
type Query = <Row>(statement: Statement) => Row[] | Promise<Row[]>;

const SERIALIZATION_FAILURE = "40001";
const REMOVED_AT_ONCE = 2_000;
/** Copies of a version without statistics, which run beside this one during an upgrade, count nothing. */
const IS_COMPLETE = `SELECT CASE WHEN
    (SELECT coalesce(sum("calls"), 0) FROM "Statistic" WHERE "span" = 1440 AND "dimension" = 'all')
    + (SELECT count(*) FROM "UncountedExecution" u JOIN "Execution" e ON e."seq" = u."seq" WHERE e."source" NOT IN ${UNCOUNTED_SQL})
    - (SELECT coalesce(sum(json_array_length("facts"::json)), 0) FROM "UncountedDeletion")
    = (SELECT count(*) FROM "Execution" WHERE "status" NOT IN ('running', 'waiting') AND "source" NOT IN ${UNCOUNTED_SQL})
  THEN 1 ELSE 0 END AS same`;
const RECENT = STORED_DIMENSIONS.filter((dimension) => DIMENSIONS[dimension].minutes === "recent");

export function createStatisticsTables(db: Database, clock: Pick<Clock, "now">, recent: RecentCalls) {
  const readTogether = db.kind === "sqlite" ? createSqliteReads(db) : createPostgresReads(db);
  const size = { calls: 2_000 };
  const rebuildPart = db.kind === "sqlite" ? createSqliteRebuild(db, clock.now) : null;
  const isRebuilding = async () => (await db.rows(READ_REBUILD.sql)).length > 0;

  async function rebuildAll(database: PostgresDatabase, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await rebuildFromSnapshot(database, { lock: hashLock(STATISTICS_LOCK), now: clock.now(), signal });
      } catch (error) {
        if (storageCode(error) !== SERIALIZATION_FAILURE) throw error;
      }
    }
  }

  const read: ReadStatistics = (request) => readTogether(request, clock.now());
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

type ReadTogether = (request: StatisticsRequest, now: number) => Promise<StatisticsData>;

/** All of it within one turn of the event loop, in which nothing else writes. */
function createSqliteReads({ raw }: SqliteDatabase): ReadTogether {
  const query = <Row>({ sql, values }: Statement): Row[] =>
    raw
      .prepare<unknown[], Row>(sql)
      .safeIntegers(false)
      .all(...values);
  return async (request, now) => {
    const [first] = query<{ first: number | null }>(readFirstDay(request.dimension));
    const statements = listStatements("sqlite", request, now, first?.first ?? now);
    return toData({
      rows: statements.rows.flatMap((each) => query<StatisticRow>(each)),
      uncounted: query(READ_UNCOUNTED),
      deletions: query(READ_DELETIONS),
      raw: statements.raw.flatMap((each) => query<CallFacts>(each)),
      rebuild: query(READ_REBUILD),
    });
  };
}

function createPostgresReads({ pool }: PostgresDatabase): ReadTogether {
  return (request, now) =>
    runPoolTransaction(
      pool,
      async (client) => {
        const query: Query = async <Row>({ sql, values }: Statement) =>
          (await client.query({ text: toPostgresSql(sql), values })).rows as Row[];
        const [first] =
          request.value === undefined ? [] : await query<{ first: number | null }>(readFirstDay(request.dimension));
        const statements = listStatements("postgres", request, now, first?.first ?? now);
        let rows: StatisticRow[] = [];
        for (const each of statements.rows) rows = rows.concat(await query<StatisticRow>(each));
        let raw: CallFacts[] = [];
        for (const each of statements.raw) raw = raw.concat(await query<CallFacts>(each));
        return toData({
          ...{ rows, raw, uncounted: await query(READ_UNCOUNTED), deletions: await query(READ_DELETIONS) },
          rebuild: await query(READ_REBUILD),
        });
      },
      BEGIN_SNAPSHOT,
    );
}

function listStatements(kind: "sqlite" | "postgres", request: StatisticsRequest, now: number, first: number) {
  const { raw } = request.plan;
  return { rows: readRows(request, { kind, now, first }), raw: raw.length > 0 ? [readRaw(kind, raw)] : [] };
}

interface Found {
  rows: StatisticRow[];
  uncounted: CallFacts[];
  deletions: { facts: string }[];
  raw: CallFacts[];
  rebuild: unknown[];
}

const toData = ({ rows, uncounted, deletions, raw, rebuild }: Found): StatisticsData => ({
  ...{ rows, raw, rebuilding: rebuild.length > 0 },
  changes: [...toAdded(uncounted), ...deletions.flatMap(({ facts }) => parseRemoved(facts))],
});
