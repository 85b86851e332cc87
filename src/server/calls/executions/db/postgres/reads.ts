import type pg from "pg";
import { storageCode } from "../../../../platform/db/storage-error";
import type { SqlValue } from "../execution-statements";

type Value = SqlValue | readonly number[] | readonly string[];

/** Statements with a question mark for each value. */
export interface PostgresReads {
  rows<Row>(sql: string, values?: readonly Value[]): Promise<Row[]>;
  /** For a statement that comes often, and whose best plan does not depend on its values: it is parsed and planned once. */
  preparedRows<Row>(sql: string, values: readonly Value[]): Promise<Row[]>;
  /** Reads rows within a time limit; null where it passed. */
  rowsWithin<Row>(ms: number, sql: string, values: readonly Value[]): Promise<Row[] | null>;
}

const QUERY_CANCELED = "57014";

/** The number of prepared statements that each connection keeps. */
const MAX_PREPARED = 200;

export function createPostgresReads(pool: pg.Pool): PostgresReads {
  const prepared = new Map<string, { name: string; text: string }>();

  function prepare(sql: string): { name?: string; text: string } {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const text = toPostgres(sql);
    if (prepared.size >= MAX_PREPARED) return { text };
    const statement = { name: `list_${prepared.size}`, text };
    prepared.set(sql, statement);
    return statement;
  }

  return {
    preparedRows: async <Row>(sql: string, values: readonly Value[]) =>
      (await pool.query({ ...prepare(sql), values: [...values] })).rows as Row[],
    async rows<Row>(sql: string, values: readonly Value[] = []) {
      return (await pool.query(toPostgres(sql), [...values])).rows as Row[];
    },
    async rowsWithin<Row>(ms: number, sql: string, values: readonly Value[]) {
      if (ms <= 0) return null;
      const client = await pool.connect();
      try {
        // For a text that is in most rows, the planner must not spend long on the whole index to find the best few.
        await client.query(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${Math.ceil(ms)}; SET LOCAL jit = off`);
        const { rows } = await client.query(toPostgres(sql), [...values]);
        await client.query("COMMIT");
        client.release();
        return rows as Row[];
      } catch (error) {
        const isLate = storageCode(error) === QUERY_CANCELED;
        await client.query("ROLLBACK").then(
          () => client.release(),
          (failure: Error) => client.release(failure),
        );
        if (isLate) return null;
        throw error;
      }
    },
  };
}

/**
 * Conditions are shared with SQLite. There, lists are JSON, and a unary plus keeps a column from its index, which
 * PostgreSQL's statistics do.
 */
function toPostgres(sql: string): string {
  let count = 0;
  return sql
    .replaceAll("json_each(?)", "json_array_elements_text(?::json)")
    .replaceAll(/\+(?=["a-z])/g, "")
    .replaceAll("?", () => `$${++count}`);
}
