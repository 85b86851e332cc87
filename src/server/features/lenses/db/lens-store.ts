import type { SqliteDatabase } from "../../../platform/db/database";
import type { LaterCall, LensSample, LensStore } from "../lens-store";

const MAX_FAILURES = 1_000;
const MAX_LATER = 50;
const WINDOW_MS = 30 * 60_000;
/** Calls of all clients among which those of one are looked for. */
const MAX_WINDOW_CALLS = 2_000;
const MAX_ARGUMENT_CHARS = 100_000;

type SampleRow = LensSample & { whole: 0 | 1 };

export function createLensStore({ raw }: SqliteDatabase): LensStore {
  const selectSamples = raw
    .prepare<[string, number, number], SampleRow>(
      `SELECT seq, id, "queuedAt", "storedBytes", source, "runId", "actorId", client,
         arguments AS "argumentsText", (status = 'succeeded' AND NOT "resultTruncated" AND +source <> 'check') AS whole
       FROM "Execution" WHERE "toolName" = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
    )
    .safeIntegers(false);
  const selectResult = raw.prepare<[string], { resultText: string; implementationType: string | null }>(
    `SELECT result AS "resultText", "implementationType" FROM "Execution"
     WHERE id = ? AND status = 'succeeded' AND NOT "resultTruncated" AND result IS NOT NULL`,
  );
  const later = `SELECT id, "toolName", arguments AS "argumentsText" FROM "Execution"`;
  const selectOfRun = raw.prepare<[string, number], LaterCall>(
    `${later} WHERE "runId" = ? AND "runId" IS NOT NULL AND +seq > ? AND length(arguments) <= ${MAX_ARGUMENT_CHARS}
     ORDER BY seq LIMIT ${MAX_LATER}`,
  );
  const selectOfClient = raw.prepare<[number, number, string, string | null, number], LaterCall>(
    `${later} WHERE seq > ? AND seq <= ? AND +source = 'gateway' AND +"actorId" = ? AND client IS ? AND +"queuedAt" <= ?
       AND length(arguments) <= ${MAX_ARGUMENT_CHARS} ORDER BY seq LIMIT ${MAX_LATER}`,
  );
  const failed = `FROM "Execution" WHERE "toolName" = ? AND "lensFault" IS NOT NULL`;
  const countFailed = raw
    .prepare<[string], number>(`SELECT count(*) FROM (SELECT 1 ${failed} LIMIT ${MAX_FAILURES})`)
    .pluck()
    .safeIntegers(false);
  const selectFailed = raw
    .prepare<[string], { executionId: string; fault: string; queuedAt: number }>(
      `SELECT id AS "executionId", "lensFault" AS fault, "queuedAt" ${failed} ORDER BY seq DESC LIMIT 1`,
    )
    .safeIntegers(false);
  return {
    samples(toolName, below, limit) {
      const rows = selectSamples.all(toolName, below, limit);
      const samples = rows.filter(({ whole }) => whole === 1);
      return { samples, last: rows.length < limit ? null : (rows.at(-1)?.seq ?? null) };
    },
    result(id) {
      const row = selectResult.get(id);
      return row === undefined ? null : { resultText: row.resultText, fromServer: row.implementationType === "mcp" };
    },
    laterCalls({ seq, runId, source, actorId, client, queuedAt }) {
      if (runId !== null) return selectOfRun.all(runId, seq);
      if (source !== "gateway") return [];
      return selectOfClient.all(seq, seq + MAX_WINDOW_CALLS, actorId, client, queuedAt + WINDOW_MS);
    },
    failures: (toolName) => ({ count: countFailed.get(toolName) ?? 0, latest: selectFailed.get(toolName) ?? null }),
  };
}
