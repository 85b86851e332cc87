import type { Database } from "../../../platform/db/database";
import type { CallHead, CallTexts, TrafficStore } from "../traffic-store";

const ENDED = `"toolName" = ? AND source <> 'check' AND status NOT IN ('running', 'waiting')`;
const HEADS = `SELECT seq, id, octet_length(arguments) + coalesce(octet_length(result), 0) AS bytes, "queuedAt", client,
    "actorId", "actorName", "errorKind", CASE WHEN "resultTruncated" THEN 1 ELSE 0 END AS "resultTruncated",
    CASE WHEN credential IS NULL THEN 0 ELSE 1 END AS "isPersonal"
  FROM "Execution" WHERE ${ENDED} AND seq < ? ORDER BY seq DESC LIMIT ?`;
const toTexts = (result: string) => `SELECT seq, arguments AS "argumentsText", ${result} AS "resultText"
  FROM "Execution" WHERE ${ENDED} AND seq >= ? AND seq <= ? ORDER BY seq DESC`;
const ARGUMENTS = toTexts("NULL");
const WITH_RESULTS = toTexts(`CASE WHEN "resultTruncated" THEN NULL ELSE result END`);

export function createTrafficStore({ rows }: Pick<Database, "rows">): TrafficStore {
  return {
    heads: (tool, below, limit) => rows<CallHead>(HEADS, tool, below, limit),
    texts: (tool, first, last, results) =>
      rows<CallTexts>(results ? WITH_RESULTS : ARGUMENTS, tool, Math.min(first, last), Math.max(first, last)),
  };
}
