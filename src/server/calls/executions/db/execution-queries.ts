import { NO_DEFINITION } from "../../../../lib/contract/execution-facets";
import { toJsonList } from "../../../platform/db/sql";
import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import { prepareColumn } from "../../../platform/db/sqlite/prepare-column";
import type { StoredFilter } from "../execution-store";
import { IN_UNSUCCESSFUL, toStatusConditions, toStatuses } from "./class-conditions";
import { COUNTED } from "./counted-sources";
import { DURATION_SQL, type SqlValue } from "./execution-statements";
import { readableCondition } from "./private-calls";
import { type Condition, toKinds, toUnindexed } from "./unindexed-conditions";
import { WorkBudget } from "./work-budget";

/** The columns of a list; none of them is long. The order is that of the table. */
export const SUMMARY_COLUMNS = `seq, id, status, pinned, "toolName", "implementationType", source, "actorId", "actorName", client,
  "queuedAt", "finishedAt", "executionTimeMs", ${DURATION_SQL} AS "durationMs", "resultBytes", "storedBytes", "errorKind",
  "parentId", "runId", coalesce("argumentsPreview", arguments) AS "argumentsPreview", substr(error, 1, 200) AS "errorPreview",
  (SELECT c."calledAs" FROM "Execution" c INDEXED BY "Execution_called_names"
    WHERE c.seq = "Execution".seq AND c."calledAs" IS NOT NULL) AS "calledAs",
  (SELECT c.cost FROM "Execution" c INDEXED BY "Execution_costs" WHERE c.seq = "Execution".seq AND c.cost IS NOT NULL) AS cost,
  (SELECT title FROM "Run" WHERE "Run".id = "runId") AS "runTitle"`;

/**
 * The version of a tool that the call `"Execution"` ran: of those with its definition, the newest before it. A restored
 * definition is in several.
 */
export function versionColumn(column: "number" | "toolName", execution = '"Execution"'): string {
  const newest = (condition: string): string => `(SELECT v."${column}" FROM "ToolVersion" v
    WHERE v."definitionHash" = ${execution}."definitionHash"${condition} ORDER BY v.at DESC LIMIT 1)`;
  // Two reads of an index: SQLite before 3.53 resolves no column of the outer row in an ORDER BY.
  return `coalesce(${newest(` AND v.at <= ${execution}."queuedAt"`)}, ${newest("")})`;
}

/**
 * Keyset pages need rows in `seq` order. With `IN` over an indexed column SQLite would fetch every match and sort it, so
 * a list filtered by several values is read as several lists, one a value (`arms`), that are merged. Other lists of
 * values are kept from the index by a unary plus.
 */
export interface ExecutionQuery {
  common: Condition[];
  arms: Condition[];
  /** The filter may leave out rows, other than those of evals. */
  selective: boolean;
  /** No index finds the rows: reading them in one step could block the event loop. */
  isScan: boolean;
  /** Conditions of which each row meets one, and which an index alone can check; none where no index can. */
  covered: readonly CoveredCondition[];
}

interface CoveredCondition extends Condition {
  index: string;
}

export function buildQuery(filter: StoredFilter): ExecutionQuery {
  const common: Condition[] = [];
  if (filter.actor !== undefined) common.push({ sql: '"actorId" = ?', values: [filter.actor] });
  if (filter.runId !== undefined) common.push({ sql: '"runId" = ? AND "runId" IS NOT NULL', values: [filter.runId] });
  if (filter.toolset !== undefined)
    common.push({ sql: "toolset = ? AND toolset IS NOT NULL", values: [filter.toolset] });
  if (filter.token !== undefined)
    common.push({ sql: '"tokenId" = ? AND "tokenId" IS NOT NULL', values: [filter.token] });
  const unindexed = toUnindexed(filter);
  common.push(...unindexed);
  if (filter.rule !== undefined)
    common.push({ sql: 'id IN (SELECT "executionId" FROM "RuleMatch" WHERE "ruleId" = ?)', values: [filter.rule] });
  if (filter.lensFailed) common.push({ sql: '"lensFault" IS NOT NULL', values: [] });
  if (filter.definition === NO_DEFINITION) common.push({ sql: '+"definitionHash" IS NULL', values: [] });
  else if (filter.definition !== undefined) common.push({ sql: '+"definitionHash" = ?', values: [filter.definition] });
  if (filter.since !== undefined) common.push({ sql: '+"queuedAt" >= ?', values: [filter.since] });
  if (filter.until !== undefined) common.push({ sql: '+"queuedAt" <= ?', values: [filter.until] });
  if (filter.pinned !== undefined)
    common.push({ sql: filter.pinned ? "pinned = true" : "+pinned = false", values: [] });

  if (filter.ids) common.push({ sql: "id IN (SELECT value FROM json_each(?))", values: [toJsonList(filter.ids)] });
  if (filter.ended) common.push({ sql: "+status NOT IN ('running', 'waiting')", values: [] });
  if (filter.readableBy !== undefined) common.push(readableCondition(filter.readableBy));
  if (filter.kind?.length) common.push(toKinds(filter.kind));

  const inputIds = JSON.stringify(filter.awaitingInput ?? []);
  let arms: Condition[] = [];
  for (const { isIndexed, toConditions } of listArms(filter, inputIds)) {
    const each = toConditions("");
    if (each.length === 1) common.push(...each);
    else if (isIndexed && arms.length === 0) arms = each;
    else if (each.length > 0) common.push(anyOf(toConditions("+")));
  }
  const selective = common.length > 0 || arms.length > 1;
  const hidesUncounted = !filter.source?.length && filter.runId === undefined && filter.pinned !== true;
  if (hidesUncounted) common.push({ sql: COUNTED, values: [] });
  return {
    common,
    arms: arms.length > 0 ? arms : [{ sql: "true", values: [] }],
    selective,
    isScan: unindexed.length > 0 || filter.definition !== undefined,
    covered: toCovered(filter),
  };
}

/** The rarest part of a filter that has an index. */
function toCovered({ status = [], actor, tool = [], toolset }: StoredFilter): CoveredCondition[] {
  const isAmong = (index: string, column: string, names: readonly string[], partial = ""): CoveredCondition => ({
    index,
    sql: `${column} IN (SELECT value FROM json_each(?))${partial}`,
    values: [JSON.stringify(names)],
  });
  if (status.length > 0 && !status.includes("succeeded")) {
    return [isAmong("Execution_unsuccessful", "status", toStatuses(status), ` AND ${IN_UNSUCCESSFUL}`)];
  }
  if (toolset !== undefined) return [isAmong("Execution_toolset", "toolset", [toolset], " AND toolset IS NOT NULL")];
  if (tool.length > 0) {
    return [
      isAmong("Execution_toolName_idx", '"toolName"', tool),
      isAmong("Execution_called_as", '"calledAs"', tool, ' AND "calledAs" IS NOT NULL'),
    ];
  }
  return actor === undefined ? [] : [isAmong("Execution_actorId_idx", '"actorId"', [actor])];
}

/** Prepares a test that drops rows which are not of the query, without reading them; those that it keeps may not be either. */
export function prepareNarrow(raw: RawDatabase, { covered }: ExecutionQuery): (seqs: number[]) => number[] {
  if (covered.length === 0) return (seqs) => seqs;
  const statements = covered.map(({ index, sql, values }) => {
    const select = prepareColumn<SqlValue[], number>(
      raw,
      `SELECT seq FROM "Execution" INDEXED BY "${index}" WHERE seq IN (SELECT value FROM json_each(?)) AND ${sql}`,
    );
    return (text: string) => select.all(text, ...values);
  });
  return (seqs) => {
    const text = JSON.stringify(seqs);
    const found = new Set(statements.flatMap((select) => select(text)));
    return seqs.filter((seq) => found.has(seq));
  };
}

/** The conditions of a query with its arms as one, for rows that are found by number. */
export const allConditions = ({ common, arms }: ExecutionQuery): Condition[] => [
  ...common,
  { sql: `(${arms.map(({ sql }) => `(${sql})`).join(" OR ")})`, values: arms.flatMap(({ values }) => values) },
];

interface Arms {
  /** An index finds the rows of each condition. */
  isIndexed: boolean;
  /** @param plus keeps the conditions from the index */
  toConditions: (plus: "" | "+") => Condition[];
}

/** No two conditions of a list match the same row: the rows of arms are added up. */
function listArms({ status = [], tool, source }: StoredFilter, inputIds: string): Arms[] {
  const names = [...new Set(tool ?? [])];
  const sources = [...new Set(source ?? [])];
  return [
    {
      isIndexed: !status.includes("succeeded"),
      toConditions: (plus) => toStatusConditions(status, inputIds, plus),
    },
    {
      isIndexed: true,
      // A tool is found by two names: its own, and the one that callers used.
      toConditions: (plus) => [
        ...names.map((name) => ({ sql: `${plus}"toolName" = ?`, values: [name] })),
        ...names.map((name) => isCalled(name, names, plus)),
      ],
    },
    {
      isIndexed: true,
      toConditions: (plus) => sources.map((each) => ({ sql: `${plus}"source" = ?`, values: [each] })),
    },
  ];
}

const anyOf = (each: readonly Condition[]): Condition => ({
  sql: `(${each.map(({ sql }) => `(${sql})`).join(" OR ")})`,
  values: each.flatMap(({ values }) => values),
});

/** The calls of other tools under this name. */
function isCalled(name: string, names: readonly string[], plus = ""): Condition {
  const marks = names.map(() => "?").join(", ");
  const sql = `${plus}"calledAs" = ? AND "calledAs" IS NOT NULL AND +"toolName" NOT IN (${marks})`;
  return { sql: `(${sql})`, values: [name, ...names] };
}

/** Sequence numbers that match, newest first, at most `limit`. */
export function selectSeqs(raw: RawDatabase, { query, below, above }: SeqWindow, limit: number): number[] {
  const found = query.arms.flatMap((arm) => {
    const conditions = [arm, ...query.common, { sql: "seq < ? AND seq > ?", values: [below, above] }];
    return prepareColumn<SqlValue[], number>(
      raw,
      `SELECT seq FROM "Execution" WHERE ${conditions.map(({ sql }) => sql).join(" AND ")} ORDER BY seq DESC LIMIT ?`,
    ).all(...conditions.flatMap(({ values }) => values), limit);
  });
  return query.arms.length === 1 ? found : found.sort((left, right) => right - left).slice(0, limit);
}

/** The query itself has no bound of `seq`: SQLite uses only the first of two, and would read from it in each slice. */
export interface SeqWindow {
  query: ExecutionQuery;
  /** Exclusive, like `above`. */
  below: number;
  above: number;
}

type Bounds = Pick<SeqWindow, "below" | "above">;

/** How rows are returned: as objects, as lists of their columns, or as the value of a single column. */
export type RowShape = "objects" | "lists" | "values";

/** The statements of a query's arms, for the rows between two bounds of `seq`. */
export function prepareArms<Row>(
  raw: RawDatabase,
  query: ExecutionQuery,
  columns: string,
  tail: string,
  shape: RowShape = "objects",
): (bounds: Bounds) => Row[] {
  const arms = query.arms.map((arm) => {
    const conditions = [arm, ...query.common];
    const where = [...conditions.map(({ sql }) => sql), "seq < ? AND seq > ?"].join(" AND ");
    const statement = raw
      .prepare<SqlValue[], Row>(`SELECT ${columns} FROM "Execution" WHERE ${where} ${tail}`)
      .safeIntegers(false)
      .raw(shape === "lists")
      .pluck(shape === "values");
    return { statement, values: conditions.flatMap(({ values }) => values) };
  });
  return ({ below, above }) => arms.flatMap(({ statement, values }) => statement.all(...values, below, above));
}

/** The rows of a filter that leaves fewer than `few`, newest first; null where it leaves more or finding them takes longer than some milliseconds. */
export async function selectFew(raw: RawDatabase, window: SeqWindow, few: number): Promise<number[] | null> {
  const arms = prepareArms<number>(raw, window.query, "seq", `ORDER BY seq DESC LIMIT ${few}`, "values");
  const budget = new WorkBudget(WINDOW_MS);
  const found: number[] = [];
  let isWhole = true;
  await eachWindow(raw, window, ({ below, above }) => {
    found.push(...budget.spend(() => arms({ below, above })));
    isWhole = found.length < few && (!budget.isSpent || above <= window.above);
    return isWhole;
  });
  return isWhole ? found.sort((left, right) => right - left) : null;
}

/** Selects like `selectSeqs`, for rows that no index finds. */
export async function selectSeqsInSlices(raw: RawDatabase, window: SeqWindow, limit: number): Promise<number[]> {
  const arms = prepareArms<{ seq: number }>(raw, window.query, "seq", `ORDER BY seq DESC LIMIT ${limit}`);
  const found: number[] = [];
  await eachWindow(raw, window, (bounds) => {
    found.push(
      ...arms(bounds)
        .map(({ seq }) => seq)
        .sort((left, right) => right - left),
    );
    return found.length < limit;
  });
  return found.slice(0, limit);
}

const WINDOW_MS = 8;
const FIRST_WINDOW = 4_000;
const LEAST_WINDOW = 500;
const MOST_WINDOW = 64_000;

/** Walks over rows from new to old in windows of some milliseconds; ends where `visit` returns false. */
export async function eachWindow(
  raw: RawDatabase,
  { below, above }: Bounds,
  visit: (bounds: Bounds) => boolean,
): Promise<void> {
  const newest = prepareColumn<[], number | null>(raw, 'SELECT max(seq) FROM "Execution"').get();
  let rows = FIRST_WINDOW;
  for (let end = Math.min(below, (newest ?? 0) + 1); end > above + 1; ) {
    const begun = performance.now();
    const start = Math.max(above, end - rows - 1);
    if (!visit({ below: end, above: start })) return;
    const tookMs = performance.now() - begun;
    if (tookMs < WINDOW_MS / 2) rows = Math.min(rows * 2, MOST_WINDOW);
    else if (tookMs > WINDOW_MS) rows = Math.max(LEAST_WINDOW, rows >> 1);
    end = start + 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Selects the rows, newest first, that pass the filter and whose texts contain the search text. */
export function prepareRowTest(raw: RawDatabase, query: ExecutionQuery, text: Condition): (seqs: number[]) => number[] {
  const conditions = [...allConditions(query), { sql: `(${text.sql})`, values: text.values }];
  const statement = prepareColumn<SqlValue[], number>(
    raw,
    `SELECT seq FROM "Execution" WHERE seq IN (SELECT value FROM json_each(?)) AND ${conditions.map(({ sql }) => sql).join(" AND ")}
       ORDER BY seq DESC`,
  );
  const values = conditions.flatMap((condition) => condition.values);
  return (seqs) => statement.all(JSON.stringify(seqs), ...values);
}

/** Entries of the index that are read at once: about a millisecond. */
const BOUNDS_SLICE = 5_000;

interface IndexEntry {
  queuedAt: number;
  seq: number;
}

/**
 * The first and last row of a time window, null for an empty one. Clocks jump, so rows are not in order of time, and all
 * of the window's index is read, in slices.
 */
export async function seqBounds(
  raw: RawDatabase,
  since: number,
  until: number,
): Promise<{ first: number; last: number } | null> {
  const from = '("queuedAt", seq) > (?, ?)';
  const sliceEnd = raw
    .prepare<[number, number, number], IndexEntry>(
      `SELECT "queuedAt", seq FROM "Execution" WHERE ${from} AND "queuedAt" <= ?
       ORDER BY "queuedAt", seq LIMIT 1 OFFSET ${BOUNDS_SLICE}`,
    )
    .safeIntegers(false);
  const slice = raw
    .prepare<[number, number, number, number], { first: number | null; last: number | null }>(
      `SELECT min(seq) AS first, max(seq) AS last FROM "Execution"
       WHERE ${from} AND ("queuedAt", seq) <= (?, ?)`,
    )
    .safeIntegers(false);
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (let start: IndexEntry = { queuedAt: since, seq: -1 }; ; ) {
    const end = sliceEnd.get(start.queuedAt, start.seq, until);
    const read = slice.get(start.queuedAt, start.seq, end?.queuedAt ?? until, end?.seq ?? Number.MAX_SAFE_INTEGER);
    first = Math.min(first, read?.first ?? first);
    last = Math.max(last, read?.last ?? last);
    if (end === undefined) return last < first ? null : { first, last };
    start = end;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
