import { classifyCall } from "../../../../lib/contract/call-class";
import type { ExecutionStatus } from "../../../../lib/contract/envelope";
import type { CallGroup, FailureGroup } from "../../../../lib/contract/execution";
import type { Database } from "../../../platform/db/database";
import type { PageFigures } from "../../statistics/db/page-figures";
import type { ExecutionStats, StoredFilter } from "../execution-store";
import { COUNTED } from "./counted-sources";
import type { SqlValue } from "./execution-statements";
import { createPostgresReads } from "./postgres/reads";
import { readableCondition } from "./private-calls";

/** Failed and invalid calls whose messages are read, whatever the number of the tool's calls: some milliseconds. */
const FAILURE_LIMIT = 500;
const MESSAGE_CHARS = 200;
const MAX_GROUPS = 10;

interface FailedCall {
  id: string;
  status: string;
  errorKind: string;
  queuedAt: number;
  message: string | null;
}

/** Of those with the definition, the newest: a restored definition is in several. */
const VERSION = `SELECT v."number", v."toolName", v."at" FROM "ToolVersion" v WHERE v."definitionHash" = ? ORDER BY v."at" DESC LIMIT 1`;

export function createToolStatistics(db: Database, figures: PageFigures): ExecutionStats["toolStatistics"] {
  const { rows } = db.kind === "postgres" ? createPostgresReads(db.pool) : { rows: readSqlite };

  async function readSqlite<Row>(sql: string, values: readonly SqlValue[] = []): Promise<Row[]> {
    return await db.rows<Row>(sql, ...values);
  }

  /** The index of errors, whose condition has to be there literally, chooses the rows. */
  async function readFailures(name: string, since: number, readableBy: StoredFilter["readableBy"]) {
    const readable = readableBy === undefined ? null : readableCondition(readableBy);
    return await rows<FailedCall>(
      `SELECT id, status, "errorKind", "queuedAt", CASE WHEN ${readable?.sql ?? "true"} THEN substr(error, 1, ${MESSAGE_CHARS}) END AS message
       FROM "Execution" WHERE "toolName" = ? AND "errorKind" IS NOT NULL AND "queuedAt" >= ? AND ${COUNTED}
       ORDER BY seq DESC LIMIT ${FAILURE_LIMIT}`,
      [...(readable?.values ?? []), name, since],
    );
  }

  async function addVersion(group: CallGroup) {
    const found = await db.row<{ number: number; toolName: string; at: number }>(VERSION, group.key ?? "");
    return { ...group, ...(found ?? { number: null, toolName: null, at: 0 }) };
  }

  return async (name, readableBy) => {
    const { from, versions, rebuilding: _rebuilding, ...rest } = await figures.toolStatistics(name);
    const known = await Promise.all(versions.map(addVersion));
    return {
      ...rest,
      failures: groupFailures(await readFailures(name, from, readableBy)).slice(0, MAX_GROUPS),
      failureLimit: FAILURE_LIMIT,
      versions: known
        .sort((left, right) => right.at - left.at)
        .slice(0, MAX_GROUPS)
        .map(({ at: _at, ...version }) => version),
    };
  };
}

function groupFailures(calls: readonly FailedCall[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const { id, status, errorKind, queuedAt, message } of calls) {
    const kind = classifyCall(status as ExecutionStatus, errorKind);
    if (kind !== "failed" && kind !== "invalid") continue;
    const key = `${kind} ${message}`;
    const known = groups.get(key) ?? { kind, message, calls: 0, latestId: id, latestAt: queuedAt };
    groups.set(key, { ...known, calls: known.calls + 1 });
  }
  return [...groups.values()].sort((left, right) => right.calls - left.calls);
}
