import { isCounted } from "../../../../lib/contract/call-class";
import type { CallGroup, FailureGroup, ToolStatistics } from "../../../../lib/contract/execution";
import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import type { ExecutionStats, StoredFilter } from "../execution-store";
import { addCall, type CallTally, classifyRow, createTally, type FigureRow, toFigures } from "./call-figures";
import { versionColumn } from "./execution-queries";
import { DURATION_SQL, type SqlValue } from "./execution-statements";
import { readableCondition } from "./private-calls";
import type { Condition } from "./unindexed-conditions";

/** Rows that are read, whatever the number of the tool's calls: some milliseconds. */
const LIMIT = 1_000;
const MESSAGE_CHARS = 200;
const MAX_GROUPS = 10;
/** Bounds of the latency's groups in milliseconds; the last group has none. */
const BOUNDS = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000];

export interface CallRow extends FigureRow {
  id: string;
  queuedAt: number;
  source: string;
  client: string | null;
  definitionHash: string | null;
  message: string | null;
}

interface CallReads {
  /** The newest calls of a tool, as many as statistics take. */
  readNewest(name: string, readableBy: StoredFilter["readableBy"]): Promise<CallRow[]>;
  /** The version of the tool that a call ran. */
  readVersion(id: string): Promise<{ number: number | null; toolName: string | null } | undefined>;
}

/** Reads the newest calls of a tool once, and groups them. */
export function createToolStatistics({ readNewest, readVersion }: CallReads): ExecutionStats["toolStatistics"] {
  return async (name, readableBy) => {
    const rows = await readNewest(name, readableBy);
    const isWhole = rows.length < LIMIT;
    const calls = rows.filter(({ source }) => isCounted(source));
    const clients = groupBy(calls, ({ client, source }) => client?.split("/")[0] ?? `source ${source}`);
    const versions = groupBy(calls, ({ definitionHash }) => definitionHash ?? "");
    return {
      limit: LIMIT,
      total: toGroup(null, tally(calls)),
      since: isWhole ? null : (calls.at(-1)?.queuedAt ?? null),
      failures: groupFailures(calls).slice(0, MAX_GROUPS),
      latency: groupByTime(calls),
      clients: [...clients.values()]
        .map((group) => ({
          ...toGroup(group[0]?.client?.split("/")[0] ?? null, tally(group)),
          source: group[0]?.source ?? "",
        }))
        .sort((left, right) => right.calls - left.calls)
        .slice(0, MAX_GROUPS),
      versions: await Promise.all(
        [...versions].slice(0, MAX_GROUPS).map(async ([hash, group]) => ({
          ...toGroup(hash || null, tally(group)),
          ...((await readVersion(group[0]?.id ?? "")) ?? { number: null, toolName: null }),
        })),
      ),
    };
  };
}

export const VERSION_OF_CALL = `SELECT ${versionColumn("number", "call")} AS number, ${versionColumn("toolName", "call")} AS "toolName"
  FROM "Execution" AS call WHERE call.id = ?`;

/** Selects the newest calls of a tool. The rows are chosen in the index alone, so that their number is bounded before one is read. */
export function selectNewestCalls(durationSql: string, readableBy: StoredFilter["readableBy"]): Condition {
  const readable = readableBy === undefined ? null : readableCondition(readableBy);
  return {
    sql: `SELECT id, status, source, client, "queuedAt", "errorKind", ${durationSql} AS "durationMs", "definitionHash", NULL AS "waitMs",
       CASE WHEN status <> 'succeeded' AND ${readable?.sql ?? "true"} THEN substr(error, 1, ${MESSAGE_CHARS}) END AS message
     FROM "Execution" WHERE seq IN (SELECT seq FROM "Execution" WHERE "toolName" = ? ORDER BY seq DESC LIMIT ${LIMIT})
     ORDER BY seq DESC`,
    values: readable?.values ?? [],
  };
}

export function prepareToolStatistics(raw: RawDatabase): ExecutionStats["toolStatistics"] {
  const versionOf = raw
    .prepare<[string], { number: number | null; toolName: string | null }>(VERSION_OF_CALL)
    .safeIntegers(false);
  return createToolStatistics({
    async readNewest(name, readableBy) {
      const { sql, values } = selectNewestCalls(DURATION_SQL, readableBy);
      return raw
        .prepare<SqlValue[], CallRow>(sql)
        .safeIntegers(false)
        .all(...values, name);
    },
    readVersion: async (id) => versionOf.get(id),
  });
}

function groupBy(rows: readonly CallRow[], toKey: (row: CallRow) => string): Map<string, CallRow[]> {
  const groups = new Map<string, CallRow[]>();
  for (const row of rows) {
    const key = toKey(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

function tally(rows: readonly CallRow[]): CallTally {
  const counted = createTally();
  for (const row of rows) addCall(counted, row);
  return counted;
}

function toGroup(key: string | null, counted: CallTally): CallGroup {
  const { calls, finished, failed, p50Ms, p95Ms } = toFigures(counted);
  return { key, calls, finished, failed, p50Ms, p95Ms };
}

function groupFailures(calls: readonly CallRow[]): FailureGroup[] {
  const wrong = calls.flatMap((row) => {
    const kind = classifyRow(row);
    return kind === "failed" || kind === "invalid" ? [{ ...row, kind }] : [];
  });
  const groups = new Map<string, FailureGroup>();
  for (const { kind, message, id, queuedAt } of wrong) {
    const key = `${kind} ${message}`;
    const known = groups.get(key) ?? { kind, message, calls: 0, latestId: id, latestAt: queuedAt };
    groups.set(key, { ...known, calls: known.calls + 1 });
  }
  return [...groups.values()].sort((left, right) => right.calls - left.calls);
}

function groupByTime(calls: readonly CallRow[]): ToolStatistics["latency"] {
  const groups = [...BOUNDS, null].map((upToMs) => ({ upToMs, calls: 0, failed: 0 }));
  for (const row of calls) {
    const kind = classifyRow(row);
    const { durationMs: ms } = row;
    if (ms === null || (kind !== "succeeded" && kind !== "failed")) continue;
    const group = groups.find(({ upToMs }) => upToMs === null || ms <= upToMs);
    if (group === undefined) continue;
    group.calls += 1;
    if (kind === "failed") group.failed += 1;
  }
  return groups;
}
