import type { Statement } from "better-sqlite3";
import type { RawDatabase } from "./connection";

/** The limit of prepared texts, more than all searches have; filters create some of them. */
const MAX_PREPARED = 500;
const prepared = new WeakMap<RawDatabase, Map<string, Statement<unknown[], unknown>>>();

/** Selects one column, numbers as numbers. A text is prepared once for a connection: that takes as long as reading some rows. */
export function prepareColumn<Values extends unknown[], Value>(
  raw: RawDatabase,
  sql: string,
): Statement<Values, Value> {
  let known = prepared.get(raw);
  if (known === undefined || known.size >= MAX_PREPARED) {
    known = new Map();
    prepared.set(raw, known);
  }
  let statement = known.get(sql);
  if (statement === undefined) {
    statement = raw.prepare(sql).pluck().safeIntegers(false);
    known.set(sql, statement);
  }
  return statement as Statement<Values, Value>;
}
