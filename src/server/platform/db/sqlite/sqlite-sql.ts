import type { Statement } from "better-sqlite3";
import type { Outcome, SqlAccess, Statement as SqlStatement, SqlValue, Steps } from "../sql";
import type { WriteQueue } from "../write-queue";
import type { RawDatabase } from "./connection";

type Bound = string | number | null | Uint8Array;
type Prepared = Statement<Bound[]>;

/** More texts than the stores have: some are made of the columns that a request names. */
const MAX_PREPARED = 500;

/** Runs the steps of a transaction, inside one that is open. */
export type RunSteps = <T>(steps: Steps<T>) => T;

function createExecution(raw: RawDatabase) {
  const prepared = new Map<string, Prepared>();

  function prepare(sql: string): Prepared {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    if (prepared.size >= MAX_PREPARED) prepared.clear();
    const statement = raw.prepare<Bound[]>(sql).safeIntegers(false);
    prepared.set(sql, statement);
    return statement;
  }

  function execute({ sql, values }: SqlStatement): Outcome {
    const statement = prepare(sql);
    const bound = values.map(toBound);
    if (!statement.reader) return { rows: [], changes: statement.run(...bound).changes };
    const rows = statement.all(...bound);
    // The rows of RETURNING.
    return { rows, changes: rows.length };
  }

  const runSteps: RunSteps = (steps) => {
    let step = steps.next();
    while (step.done !== true) step = steps.next(execute(step.value));
    return step.value;
  };
  return { execute, runSteps };
}

export const createRunSteps = (raw: RawDatabase): RunSteps => createExecution(raw).runSteps;

export function createSqliteSql(raw: RawDatabase, write: WriteQueue["write"]): SqlAccess {
  const { execute, runSteps } = createExecution(raw);
  const runTransaction = raw.transaction(<T>(work: () => Steps<T>): T => runSteps(work()));
  return {
    rows: async <Row>(sql: string, ...values: SqlValue[]) => execute({ sql, values }).rows as Row[],
    row: async <Row>(sql: string, ...values: SqlValue[]) => execute({ sql, values }).rows[0] as Row | undefined,
    change: (sql, ...values) => write(() => execute({ sql, values }).changes),
    transaction: <T>(work: () => Steps<T>) => write(() => runTransaction.immediate(work) as T),
  };
}

function toBound(value: SqlValue): Bound {
  return Array.isArray(value) ? JSON.stringify(value) : (value as Bound);
}
