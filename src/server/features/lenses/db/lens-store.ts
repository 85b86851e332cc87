import type { Database } from "../../../platform/db/database";
import { UNCOUNTED_SQL } from "../../executions/db/counted-sources";
import type { LaterCall, LensSample, LensStore } from "../lens-store";

const MAX_FAILURES = 1_000;
const MAX_LATER = 50;
const WINDOW_MS = 30 * 60_000;
/** Calls of all clients among which those of one are looked for. */
const MAX_WINDOW_CALLS = 2_000;
const MAX_ARGUMENT_CHARS = 100_000;

type SampleRow = LensSample & { whole: 0 | 1 };

const SELECT_SAMPLES = `SELECT seq, id, "queuedAt", "storedBytes", source, "runId", "actorId", client,
    arguments AS "argumentsText", (status = 'succeeded' AND NOT "resultTruncated" AND source NOT IN ${UNCOUNTED_SQL}) AS whole
  FROM "Execution" WHERE "toolName" = ? AND seq < ? ORDER BY seq DESC LIMIT ?`;
const SELECT_RESULT = `SELECT result AS "resultText", "implementationType" FROM "Execution"
  WHERE id = ? AND status = 'succeeded' AND NOT "resultTruncated" AND result IS NOT NULL`;
const LATER = `SELECT id, "toolName", arguments AS "argumentsText" FROM "Execution"`;
const SELECT_OF_RUN = `${LATER} WHERE "runId" = ? AND "runId" IS NOT NULL AND +seq > ?
  AND length(arguments) <= ${MAX_ARGUMENT_CHARS} ORDER BY seq LIMIT ${MAX_LATER}`;
const SELECT_OF_CLIENT = `${LATER} WHERE seq > ? AND seq <= ? AND +source = 'gateway' AND +"actorId" = ?
  AND client IS NOT DISTINCT FROM ? AND +"queuedAt" <= ? AND length(arguments) <= ${MAX_ARGUMENT_CHARS}
  ORDER BY seq LIMIT ${MAX_LATER}`;
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
    async laterCalls({ seq, runId, source, actorId, client, queuedAt }) {
      if (runId !== null) return db.rows<LaterCall>(SELECT_OF_RUN, runId, seq);
      if (source !== "gateway") return [];
      const window = [seq, seq + MAX_WINDOW_CALLS] as const;
      return db.rows<LaterCall>(SELECT_OF_CLIENT, ...window, actorId, client, queuedAt + WINDOW_MS);
    },
    async failures(toolName) {
      const counted = await db.row<{ found: number }>(COUNT_FAILED, toolName);
      const latest = await db.row<{ executionId: string; fault: string; queuedAt: number }>(SELECT_FAILED, toolName);
      return { count: counted?.found ?? 0, latest: latest ?? null };
    },
  };
}
