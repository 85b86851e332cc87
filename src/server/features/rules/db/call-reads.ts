import { isPlainObject } from "../../../../lib/contract/json";
import { allConditions, buildQuery } from "../../../calls/executions/db/execution-queries";
import { searchSeqs } from "../../../calls/executions/db/execution-search";
import type { SqlValue } from "../../../calls/executions/db/execution-statements";
import { createExecutionSearch } from "../../../calls/executions/db/postgres/execution-search";
import { createPostgresReads } from "../../../calls/executions/db/postgres/reads";
import { WorkBudget } from "../../../calls/executions/db/work-budget";
import type { Database } from "../../../platform/db/database";
import { AMONG } from "../../../platform/db/sql";
import type { CallTime, MatchedCall, RecordedCall, RuleStore } from "../rule-store";
import { UNRULED } from "./counted-calls";

type CallReads = Pick<
  RuleStore,
  "findRange" | "readCalls" | "searchCalls" | "findCall" | "readTimes" | "readCosts" | "listArguments" | "readMatches"
>;
type CallRow = RecordedCall & { seq: number | bigint; queuedAt: number | bigint; bytes: number | bigint };
type MatchRow = MatchedCall & { recordOnly: boolean | number; matchedAt: number | bigint };

const CALL_COLUMNS = `seq, id, "toolName", "implementationType", "serverName", toolset, "actorId", "actorName", client, source, "tokenId", "queuedAt", status,
  "errorKind", "definitionHash", "runId", octet_length(arguments) + coalesce("resultBytes", 0) AS bytes, coalesce("argumentsPreview", arguments) AS "argumentsPreview"`;
/** Hundreds are in memory at once. */
const SHORT_ARGUMENTS = "CASE WHEN length(arguments) <= 131072 THEN arguments END";
const SHORT_RESULT = `CASE WHEN length(result) <= 131072 AND NOT "resultTruncated" THEN result END`;
const FIRST_SINCE = 'SELECT seq FROM "Execution" WHERE "queuedAt" >= ? ORDER BY "queuedAt", seq LIMIT 1';
const NEWEST = 'SELECT max(seq) AS seq FROM "Execution"';
const TIMES = `SELECT seq, "actorId", "toolName", "queuedAt" FROM "Execution" WHERE seq > ? AND seq <= ? AND ${UNRULED} ORDER BY seq`;
const PRICES = `SELECT "executionId", facts FROM "RuleMatch" WHERE effect = 'price' AND NOT "recordOnly" AND "executionId" ${AMONG}`;
const ARGUMENTS = `SELECT id, arguments AS text FROM "Execution" WHERE "toolName" = ? AND length(arguments) <= 10000 ORDER BY seq DESC LIMIT ?`;
const CALL = `SELECT ${CALL_COLUMNS}, ${SHORT_ARGUMENTS} AS "argumentsText", NULL AS "resultText", NULL AS error FROM "Execution" WHERE id = ?`;
/** Read in parts of some milliseconds. */
const MATCHES_AT_ONCE = 500;
const MATCHES = (
  isFirst: boolean,
): string => `SELECT m."executionId", m."matchedAt", m.version, m."recordOnly", e."toolName", e."actorId",
    e."actorName", e.source, e.status, e."errorKind", (SELECT a.status FROM "Approval" a WHERE a."executionId" = m."executionId") AS approval
  FROM "RuleMatch" m JOIN "Execution" e ON e.id = m."executionId"
  WHERE m."ruleId" = ? AND m."matchedAt" >= ?${isFirst ? "" : ' AND (m."matchedAt", m."executionId") < (?, ?)'}
  ORDER BY m."matchedAt" DESC, m."executionId" DESC LIMIT ${MATCHES_AT_ONCE}`;
const FIRST_MATCHES = MATCHES(true);
const NEXT_MATCHES = MATCHES(false);

/** Recorded calls as previews and comparisons of rules read them. */
export function createCallReads(db: Database): CallReads {
  // The conditions of filters are written for SQLite, and converted here.
  const postgres = db.kind === "postgres" ? createPostgresReads(db.pool) : null;
  const search = postgres === null ? null : createExecutionSearch(postgres);
  const read = <Row>(sql: string, values: readonly SqlValue[]): Promise<Row[]> =>
    postgres === null ? db.rows<Row>(sql, ...values) : postgres.rows<Row>(sql, values);

  return {
    async findRange(since) {
      const first = await db.row<{ seq: number }>(FIRST_SINCE, since);
      const newest = await db.row<{ seq: number | null }>(NEWEST);
      const upTo = Number(newest?.seq ?? 0);
      return { above: first === undefined ? upTo : Number(first.seq) - 1, upTo };
    },

    async readCalls(filter, { range, seqs, parts }) {
      const conditions = allConditions(buildQuery(filter));
      const chosen = seqs === undefined ? [] : [{ sql: `seq ${AMONG_NUMBERS}`, values: [JSON.stringify(seqs)] }];
      const rows = await read<CallRow>(
        `SELECT ${CALL_COLUMNS}, ${parts.arguments ? SHORT_ARGUMENTS : "NULL"} AS "argumentsText",
         ${parts.results ? SHORT_RESULT : "NULL"} AS "resultText", ${parts.results ? "error" : "NULL"} AS error FROM "Execution"
         WHERE ${["seq > ?", "seq <= ?", UNRULED, ...[...chosen, ...conditions].map(({ sql }) => sql)].join(" AND ")} ORDER BY seq DESC`,
        [range.above, range.upTo, ...[...chosen, ...conditions].flatMap(({ values }) => values)],
      );
      return rows.map(toCall);
    },

    async searchCalls(filter, { range, limit, until }) {
      const window = { query: buildQuery(filter), above: range.above, below: range.upTo + 1 };
      const text = filter.q?.trim() ?? "";
      if (search !== null) return await search.searchSeqs(window, text, limit, until);
      if (db.kind !== "sqlite") return [];
      return await searchSeqs(db.raw, window, text, limit, new WorkBudget(until - performance.now()));
    },

    async findCall(id) {
      const row = await db.row<CallRow>(CALL, id);
      return row === undefined ? null : toCall(row);
    },

    readTimes: async ({ above, upTo }) =>
      (await db.rows<CallTime>(TIMES, above, upTo)).map((row) => ({
        ...row,
        seq: Number(row.seq),
        queuedAt: Number(row.queuedAt),
      })),

    async readCosts(ids) {
      const costs = new Map<string, number>();
      for (const { executionId, facts } of await db.rows<{ executionId: string; facts: string }>(PRICES, ids)) {
        const values: unknown = JSON.parse(facts);
        const price = isPlainObject(values) && typeof values.price === "number" ? values.price : 0;
        costs.set(executionId, (costs.get(executionId) ?? 0) + price);
      }
      return costs;
    },

    listArguments: (toolName, limit) => db.rows<{ id: string; text: string }>(ARGUMENTS, toolName, limit),

    async readMatches(ruleId, since, after) {
      const rows =
        after === null
          ? await db.rows<MatchRow>(FIRST_MATCHES, ruleId, since)
          : await db.rows<MatchRow>(NEXT_MATCHES, ruleId, since, after.matchedAt, after.executionId);
      return rows.map((row) => ({ ...row, matchedAt: Number(row.matchedAt), recordOnly: Boolean(row.recordOnly) }));
    },
  };
}

/** Compares with numbers, which PostgreSQL needs as such. */
const AMONG_NUMBERS = "IN (SELECT CAST(value AS bigint) FROM json_each(?))";

const toCall = (row: CallRow): RecordedCall => ({
  ...row,
  seq: Number(row.seq),
  queuedAt: Number(row.queuedAt),
  bytes: Number(row.bytes),
});
