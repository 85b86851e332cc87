import { change, type SqlValue, type Steps, selectRows } from "../../../platform/db/sql";
import { largest, type StatisticChange, type StatisticKey } from "./count-facts";
import { changeHistogram } from "./histogram";

const KEY = ["span", "dimension", "start", "value", "detail", "kind", "class", "errorKind"] as const;
const SUMS = ["calls", "firstSeq", "lastSeq", "durations", "waits", "sizes", "longestMs", "largestBytes"] as const;
const COLUMNS = [...KEY, ...SUMS] as const;

const TYPES: Readonly<Record<string, string>> = {
  span: "int",
  start: "bigint",
  calls: "bigint",
  firstSeq: "bigint",
  lastSeq: "bigint",
  longestMs: "float8",
  largestBytes: "bigint",
};

type StoredRow = StatisticKey & {
  calls: number;
  firstSeq: number;
  lastSeq: number;
  longestMs: number | null;
  largestBytes: number | null;
  durations: string;
  waits: string;
  sizes: string;
};

const list = (columns: readonly string[], prefix = "") => columns.map((column) => `${prefix}"${column}"`).join(", ");
const matches = (prefix: string) => KEY.map((column) => `s."${column}" = ${prefix}"${column}"`).join(" AND ");
const isKey = KEY.map((column) => `"${column}" = ?`).join(" AND ");
const assignments = SUMS.map((column) => `"${column}" = excluded."${column}"`).join(", ");

/** Rows as lists of their columns, for PostgreSQL. */
const given = (columns: readonly string[]) =>
  `unnest(${columns.map((column) => `?::${TYPES[column] ?? "text"}[]`).join(", ")}) AS v(${list(columns)})`;

const UPSERT = `ON CONFLICT (${list(KEY)}) DO UPDATE SET ${assignments}`;
const ONE_BY_ONE = {
  find: `SELECT ${list(SUMS)} FROM "Statistic" WHERE ${isKey}`,
  add: `INSERT INTO "Statistic" (${list(COLUMNS)}) VALUES (${COLUMNS.map(() => "?").join(", ")}) ON CONFLICT DO NOTHING`,
  put: `INSERT INTO "Statistic" (${list(COLUMNS)}) VALUES (${COLUMNS.map(() => "?").join(", ")}) ${UPSERT}`,
  remove: `DELETE FROM "Statistic" WHERE ${isKey}`,
};
const TOGETHER = {
  find: `SELECT ${list(COLUMNS, "s.")} FROM ${given(KEY)} JOIN "Statistic" s ON ${matches("v.")}`,
  put: `INSERT INTO "Statistic" (${list(COLUMNS)}) SELECT ${list(COLUMNS, "v.")} FROM ${given(COLUMNS)} ${UPSERT}`,
  remove: `DELETE FROM "Statistic" s USING ${given(KEY)} WHERE ${matches("v.")}`,
};
/** The number of rows in one statement. */
const AT_ONCE = 500;

const pick = <Column extends string>(
  row: Readonly<Record<Column, string | number | null>>,
  columns: readonly Column[],
): SqlValue[] => columns.map((column) => row[column]);
const toLists = <Column extends string>(
  rows: readonly Readonly<Record<Column, string | number | null>>[],
  columns: readonly Column[],
): SqlValue[] => columns.map((column) => rows.map((row) => row[column]) as string[] | number[]);
const toText = (row: StatisticKey): string => KEY.map((column) => row[column]).join("\0");

/** Removes a limited number of rows for which a condition holds. */
export const removeSome = (condition: string, limit: number): string =>
  `DELETE FROM "Statistic" WHERE (${list(KEY)}) IN (SELECT ${list(KEY)} FROM "Statistic" WHERE ${condition} LIMIT ${limit})`;

/**
 * Applies changes to the rows of statistics, inside a transaction that is alone in changing them.
 * @param areNew most of the rows are not there yet
 */
export function* changeStatistics(
  kind: "sqlite" | "postgres",
  changes: readonly StatisticChange[],
  areNew = false,
): Steps<void> {
  const real = changes.filter(({ calls, durations, waits, sizes }) => {
    const isChanged = (counts: ReadonlyMap<number, number>) => [...counts.values()].some((count) => count !== 0);
    return calls !== 0 || isChanged(durations) || isChanged(waits) || isChanged(sizes);
  });
  for (let from = 0; from < real.length; from += AT_ONCE) {
    const part = real.slice(from, from + AT_ONCE);
    if (kind === "sqlite") for (const each of part) yield* changeOne(each, areNew);
    else yield* changeTogether(part);
  }
}

function* changeOne(each: StatisticChange, isNew: boolean): Steps<void> {
  if (isNew && each.calls > 0) {
    const added = yield* change(ONE_BY_ONE.add, ...pick(applyChange(each, undefined), COLUMNS));
    if (added > 0) return;
  }
  const key = pick(each, KEY);
  const [known] = yield* selectRows<StoredRow>(ONE_BY_ONE.find, ...key);
  const row = applyChange(each, known);
  if (row.calls > 0) yield* change(ONE_BY_ONE.put, ...pick(row, COLUMNS));
  else if (known !== undefined) yield* change(ONE_BY_ONE.remove, ...key);
}

function* changeTogether(part: readonly StatisticChange[]): Steps<void> {
  const found = yield* selectRows<StoredRow>(TOGETHER.find, ...toLists(part, KEY));
  const known = new Map(found.map((row) => [toText(row), row]));
  const rows = part.map((each) => applyChange(each, known.get(toText(each))));
  const kept = rows.filter(({ calls }) => calls > 0);
  const gone = rows.filter(({ calls }) => calls <= 0);
  if (kept.length > 0) yield* change(TOGETHER.put, ...toLists(kept, COLUMNS));
  if (gone.length > 0) yield* change(TOGETHER.remove, ...toLists(gone, KEY));
}

function pickKey({ span, dimension, start, value, detail, kind, class: of, errorKind }: StatisticKey): StatisticKey {
  return { span, dimension, start, value, detail, kind, class: of, errorKind };
}

function applyChange(each: StatisticChange, known: StoredRow | undefined): StoredRow {
  return {
    ...pickKey(each),
    calls: (known?.calls ?? 0) + each.calls,
    firstSeq: Math.min(known?.firstSeq ?? each.firstSeq, each.firstSeq),
    lastSeq: Math.max(known?.lastSeq ?? each.lastSeq, each.lastSeq),
    longestMs: largest(known?.longestMs ?? null, each.longestMs),
    largestBytes: largest(known?.largestBytes ?? null, each.largestBytes),
    durations: changeHistogram(known?.durations ?? "", each.durations),
    waits: changeHistogram(known?.waits ?? "", each.waits),
    sizes: changeHistogram(known?.sizes ?? "", each.sizes),
  };
}
