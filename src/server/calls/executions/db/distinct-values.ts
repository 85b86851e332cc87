import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import { prepareColumn } from "../../../platform/db/sqlite/prepare-column";

type Column = "toolName" | "actorId" | "calledAs";

/** Selects the different values of an indexed column, without reading all of the index. */
export function selectDistinct(column: Column): string {
  const within = column === "calledAs" ? `"calledAs" IS NOT NULL` : "true";
  return `WITH RECURSIVE step(value) AS (
      SELECT min("${column}") FROM "Execution" WHERE ${within}
      UNION ALL
      SELECT (SELECT min("${column}") FROM "Execution" WHERE "${column}" > value AND ${within}) FROM step WHERE value IS NOT NULL
    )
    SELECT value FROM step WHERE value IS NOT NULL LIMIT ?`;
}

export function distinctValues(raw: RawDatabase, column: Column, limit: number): string[] {
  return prepareColumn<[number], string>(raw, selectDistinct(column)).all(limit);
}
