import type { RawDatabase } from "../../../platform/db/sqlite/connection";

/** The different values of an indexed column, without reading all of the index. */
export function distinctValues(raw: RawDatabase, column: "toolName" | "actorId" | "calledAs", limit: number): string[] {
  const within = column === "calledAs" ? `"calledAs" IS NOT NULL` : "true";
  return raw
    .prepare<[number], string>(
      `WITH RECURSIVE step(value) AS (
         SELECT min("${column}") FROM "Execution" WHERE ${within}
         UNION ALL
         SELECT (SELECT min("${column}") FROM "Execution" WHERE "${column}" > value AND ${within}) FROM step WHERE value IS NOT NULL
       )
       SELECT value FROM step WHERE value IS NOT NULL LIMIT ?`,
    )
    .pluck()
    .all(limit);
}
