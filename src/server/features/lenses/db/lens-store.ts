import { UNCOUNTED_SQL } from "../../../calls/executions/db/counted-sources";
import type { Database } from "../../../platform/db/database";
import type { LensSample, LensStore } from "../lens-store";

const MAX_FAILURES = 1_000;

type SampleRow = LensSample & { whole: 0 | 1 };

const SELECT_SAMPLES = `SELECT seq, id, "queuedAt", "storedBytes",
    (status = 'succeeded' AND NOT "resultTruncated" AND source NOT IN ${UNCOUNTED_SQL}) AS whole
  FROM "Execution" WHERE "toolName" = ? AND seq < ? ORDER BY seq DESC LIMIT ?`;
const SELECT_RESULT = `SELECT result AS "resultText", "implementationType" FROM "Execution"
  WHERE id = ? AND status = 'succeeded' AND NOT "resultTruncated" AND result IS NOT NULL`;
const FAILED = `FROM "Execution" WHERE "toolName" = ? AND "lensFault" IS NOT NULL`;
const COUNT_FAILED = `SELECT count(*) AS found FROM (SELECT 1 ${FAILED} LIMIT ${MAX_FAILURES}) AS failed`;
const SELECT_FAILED = `SELECT id AS "executionId", "lensFault" AS fault, "queuedAt" ${FAILED} ORDER BY seq DESC LIMIT 1`;

export function createLensStore(db: Database): LensStore {
  return {
    async samples(toolName, below, limit) {
      const rows = await db.rows<SampleRow>(SELECT_SAMPLES, toolName, below, limit);
      const samples = rows.filter(({ whole }) => whole === 1);
      return { samples, last: rows.length < limit ? null : (rows.at(-1)?.seq ?? null) };
    },
    async result(id) {
      const row = await db.row<{ resultText: string; implementationType: string | null }>(SELECT_RESULT, id);
      return row === undefined ? null : { resultText: row.resultText, fromServer: row.implementationType === "mcp" };
    },
    async failures(toolName) {
      const counted = await db.row<{ found: number }>(COUNT_FAILED, toolName);
      const latest = await db.row<{ executionId: string; fault: string; queuedAt: number }>(SELECT_FAILED, toolName);
      return { count: counted?.found ?? 0, latest: latest ?? null };
    },
  };
}
