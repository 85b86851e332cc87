import type { Database } from "../../../platform/db/database";
import { UNCOUNTED_SQL } from "../../executions/db/execution-statements";
import type { RecordedQuestionStore, RecordedReason } from "../recorded-questions";

/** Reasons have no index: so many of the newest calls are read. */
const NEWEST = 20_000;
const MAX_REASON_CHARS = 2000;

const SELECT = `SELECT id AS "executionId", "runId", "toolName", substr(reason, 1, ${MAX_REASON_CHARS}) AS reason
  FROM "Execution" WHERE seq > (SELECT max(seq) FROM "Execution") - ${NEWEST} AND reason IS NOT NULL
  AND source NOT IN ${UNCOUNTED_SQL} ORDER BY seq DESC LIMIT ?`;

export function createRecordedQuestionStore(db: Database): RecordedQuestionStore {
  return { reasons: (limit) => db.rows<RecordedReason>(SELECT, limit) };
}
