import type pg from "pg";
import { MAX_INDEXED_BYTES } from "../execution-text";
import type { IndexBatch } from "../text-indexer";

const MAX_BATCH_ROWS = 500;
/** Any number that nothing else in this database uses: one instance of Toolroom indexes at a time. */
const LOCK = 7_014_001;

/** A character that a search does not contain separates the texts of a row. */
const BODY = `lower(concat_ws(chr(1), arguments, result, error, reason, "calledAs") COLLATE "und-x-icu")`;

const INDEX = `WITH waiting AS MATERIALIZED (
    SELECT seq, arguments, result, error, reason, "calledAs",
      octet_length(arguments) + coalesce(octet_length(result), 0) + coalesce(octet_length(error), 0) <= ${MAX_INDEXED_BYTES} AS fits
    FROM "Execution" WHERE searchable <> 1 AND searchable = 0 AND status NOT IN ('running', 'waiting')
    ORDER BY seq LIMIT ${MAX_BATCH_ROWS} FOR UPDATE SKIP LOCKED
  ), indexed AS (
    INSERT INTO "ExecutionText" (seq, body) SELECT seq, ${BODY} FROM waiting WHERE fits
    ON CONFLICT (seq) DO UPDATE SET body = excluded.body
  )
  UPDATE "Execution" e SET searchable = CASE WHEN waiting.fits THEN 1 ELSE 2 END FROM waiting WHERE e.seq = waiting.seq`;

/** Brings ended calls into the text index, after the commit of their rows. */
export function createPostgresIndexBatch(pool: pg.Pool): IndexBatch {
  return async () => {
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      const { rows } = await client.query("SELECT pg_try_advisory_xact_lock($1) AS taken", [LOCK]);
      const indexed = Number(rows[0]?.taken) === 1 ? ((await client.query(INDEX)).rowCount ?? 0) : 0;
      await client.query("COMMIT");
      client.release();
      if (indexed === 0) return "nothing";
      return indexed === MAX_BATCH_ROWS ? "part" : "all";
    } catch (error) {
      await client.query("ROLLBACK").then(
        () => client.release(),
        (failure: Error) => client.release(failure),
      );
      throw error;
    }
  };
}
