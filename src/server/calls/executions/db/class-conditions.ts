import {
  type CallClass,
  CONSOLE_SOURCES,
  type ExecutionOutcome,
  INVALID_KINDS,
  REJECTED_KINDS,
  toClasses,
} from "../../../../lib/contract/call-class";
import type { Condition } from "./unindexed-conditions";

/** Statuses in the partial index of what did not go well, whose condition a query has to repeat. */
export const IN_UNSUCCESSFUL = "status <> 'succeeded'";

const listTexts = (values: readonly string[]): string => `(${values.map((value) => `'${value}'`).join(", ")})`;

const KIND = `coalesce("errorKind", '')`;
const IS_INVALID = `${KIND} IN ${listTexts(INVALID_KINDS)}`;
const IS_REJECTED = `${KIND} IN ${listTexts(REJECTED_KINDS)}`;
/** Unary plus: the index of sources must not be chosen for this. */
const IN_CONSOLE = `+source IN ${listTexts(CONSOLE_SOURCES)}`;

/** The classes of calls whose status is `failed`. */
const OF_FAILED = {
  error: `(NOT ${IS_INVALID} AND NOT ${IS_REJECTED})`,
  invalid: `(${IS_INVALID} AND NOT (${IN_CONSOLE}))`,
  consoleInvalid: `(${IS_INVALID} AND ${IN_CONSOLE})`,
  rejected: IS_REJECTED,
} as const satisfies Partial<Record<CallClass, string>>;
type ClassOfFailed = keyof typeof OF_FAILED;

/** The status of the other classes. */
const STATUS = {
  succeeded: "succeeded",
  timedOut: "timed_out",
  interrupted: "interrupted",
  cancelled: "cancelled",
  waiting: "waiting",
  running: "running",
} as const satisfies Record<Exclude<CallClass, ClassOfFailed>, string>;

const CLASSES_OF_FAILED = Object.keys(OF_FAILED) as ClassOfFailed[];
const OTHERS = Object.keys(STATUS) as (keyof typeof STATUS)[];

/** An expression for the class of a call, as `classifyCall` finds it. */
export const CLASS_SQL = `CASE WHEN status = 'failed' THEN
  CASE ${CLASSES_OF_FAILED.map((name) => `WHEN ${OF_FAILED[name]} THEN '${name}'`).join(" ")} END
  ${OTHERS.map((name) => `WHEN status = '${STATUS[name]}' THEN '${name}'`).join(" ")} END`.replaceAll(
  "+source",
  "source",
);

/** The statuses of the rows that `toStatusConditions` finds. */
export function toStatuses(outcomes: readonly ExecutionOutcome[]): string[] {
  const classes = toClasses(outcomes);
  const found = [...classes].map((name) =>
    Object.hasOwn(OF_FAILED, name) ? "failed" : STATUS[name as keyof typeof STATUS],
  );
  return [...new Set(outcomes.includes("input") ? [...found, "running"] : found)];
}

/**
 * One condition for each status of a filter's calls, no two of which match the same row.
 * @param inputIds JSON, the ids of running calls that wait for input
 * @param plus keeps the conditions from the index
 */
export function toStatusConditions(outcomes: readonly ExecutionOutcome[], inputIds: string, plus = ""): Condition[] {
  const classes = toClasses(outcomes);
  const conditions = OTHERS.filter((name) => classes.has(name)).map((name): Condition => {
    const isIndexed = name !== "succeeded";
    return { sql: `${plus}status = ?${isIndexed ? ` AND ${IN_UNSUCCESSFUL}` : ""}`, values: [STATUS[name]] };
  });
  if (outcomes.includes("input") && !classes.has("running")) {
    const among = "id IN (SELECT value FROM json_each(?))";
    conditions.push({ sql: `${plus}status = 'running' AND ${IN_UNSUCCESSFUL} AND ${among}`, values: [inputIds] });
  }
  const failed = CLASSES_OF_FAILED.filter((name) => classes.has(name));
  if (failed.length > 0) {
    const isOneOf = failed.map((name) => OF_FAILED[name]).join(" OR ");
    conditions.push({ sql: `${plus}status = 'failed' AND ${IN_UNSUCCESSFUL} AND (${isOneOf})`, values: [] });
  }
  return conditions;
}
