import { UNCOUNTED_SOURCES } from "../../../../lib/contract/call-class";
import { REPLAY_CLIENT } from "../../../../lib/contract/change-verdict";
import type { Database } from "../../../platform/db/database";
import type { CallHead, CallTexts, TrafficPart, TrafficStore } from "../traffic-store";

/** Calls of replays have the source of evals and this client. */
const SOURCES: Record<TrafficPart, string> = {
  clients: `source NOT IN (${UNCOUNTED_SOURCES.map((source) => `'${source}'`).join(", ")})`,
  suites: `(source = 'test' OR (source = 'check' AND (client IS NULL OR client <> '${REPLAY_CLIENT}')))`,
};
const toEnded = (part: TrafficPart): string =>
  `"toolName" = ? AND ${SOURCES[part]} AND status NOT IN ('running', 'waiting')`;
const toHeads = (
  part: TrafficPart,
): string => `SELECT seq, id, octet_length(arguments) + coalesce(octet_length(result), 0) AS bytes, "queuedAt", client,
    "actorId", "actorName", "errorKind", CASE WHEN "resultTruncated" THEN 1 ELSE 0 END AS "resultTruncated",
    CASE WHEN credential IS NULL THEN 0 ELSE 1 END AS "isPersonal"
  FROM "Execution" WHERE ${toEnded(part)} AND seq < ? ORDER BY seq DESC LIMIT ?`;
const toTexts = (
  part: TrafficPart,
  result: string,
): string => `SELECT seq, arguments AS "argumentsText", ${result} AS "resultText"
  FROM "Execution" WHERE ${toEnded(part)} AND seq >= ? AND seq <= ? ORDER BY seq DESC`;
const WITH_RESULTS = 'CASE WHEN "resultTruncated" THEN NULL ELSE result END';

export function createTrafficStore({ rows }: Pick<Database, "rows">): TrafficStore {
  return {
    heads: (tool, part, below, limit) => rows<CallHead>(toHeads(part), tool, below, limit),
    texts: (tool, part, { first, last }, results) =>
      rows<CallTexts>(
        toTexts(part, results ? WITH_RESULTS : "NULL"),
        tool,
        Math.min(first, last),
        Math.max(first, last),
      ),
  };
}
