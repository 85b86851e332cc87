import type { ActivityEnd, ActivityStorage, StoredCall, StoredRunState } from "../../../coordination/storage";
import type { Database } from "../../database";
import { AMONG, prepareWith } from "./sql";

const CALLS = `SELECT seq, id, "toolName", status, source, "parentId", "instanceId" FROM "Execution"`;
const RUNS = 'SELECT id, status, source, "transcriptId", "instanceId" FROM "Run"';
const UNFINISHED = "status IN ('running', 'waiting')";

/** Reads what the stores write anyway. Events of runs are found by their row id: they are only ever inserted. */
export function createActivityStorage(db: Database): ActivityStorage {
  const { rows, values } = prepareWith(db);
  const selectEnd = rows<ActivityEnd>(
    `SELECT (SELECT coalesce(max(seq), 0) FROM "Execution") AS calls,
       (SELECT coalesce(max(rowid), 0) FROM "RunEvent") AS "runEvents"`,
  );
  const selectNewCalls = rows<StoredCall>(
    `${CALLS} WHERE seq > ? AND seq <= ? AND ("instanceId" <> ? OR status = 'waiting') ORDER BY seq`,
  );
  // The second condition is the partial index's.
  const selectOpenCalls = rows<StoredCall>(`${CALLS} WHERE ${UNFINISHED} AND status <> 'succeeded'`);
  const selectCalls = rows<StoredCall>(`${CALLS} WHERE seq ${AMONG}`);
  const selectWithEvents = values<string>('SELECT DISTINCT "runId" FROM "RunEvent" WHERE rowid > ? AND rowid <= ?');
  const selectRuns = rows<StoredRunState>(`${RUNS} WHERE ${UNFINISHED} UNION ${RUNS} WHERE id ${AMONG}`);
  return {
    findEnd: async () => selectEnd.get() ?? { calls: 0, runEvents: 0 },
    listNewCalls: async (after, upTo, instanceId) => selectNewCalls.all(after, upTo, instanceId),
    listCalls: async (seqs) => (seqs === null ? selectOpenCalls.all() : selectCalls.all(JSON.stringify(seqs))),
    listRunsWithEvents: async (after, upTo) => selectWithEvents.all(after, upTo),
    listRuns: async (ids) => selectRuns.all(JSON.stringify(ids)),
  };
}
