import type { SqliteDatabase } from "../database";

type Value = string | number | null;

/** Prepares statements that give numbers as numbers. Those that write expect the write queue. */
export function prepareWith({ raw }: Pick<SqliteDatabase, "raw">) {
  return {
    rows: <Row>(sql: string) => raw.prepare<Value[], Row>(sql).safeIntegers(false),
    values: <T>(sql: string) => raw.prepare<Value[], T>(sql).pluck().safeIntegers(false),
    write: (sql: string) => raw.prepare<Value[]>(sql).safeIntegers(false),
  };
}

/** Texts given as one JSON list. */
export const AMONG = "IN (SELECT value FROM json_each(?))";
