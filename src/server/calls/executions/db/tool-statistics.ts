import { classifyCall, FAILED_CLASSES, isFailedClass } from "../../../../lib/contract/call-class";
import type { ExecutionStatus } from "../../../../lib/contract/envelope";
import {
  type CallGroup,
  type FailureGroup,
  MESSAGE_CHARS,
  type ToolFailures,
} from "../../../../lib/contract/execution";
import type { Database } from "../../../platform/db/database";
import type { PageFigures } from "../../statistics/db/page-figures";
import type { ExecutionStats, StoredFilter } from "../execution-store";
import { CLASS_SQL } from "./class-conditions";
import { COUNTED } from "./counted-sources";
import type { SqlValue } from "./execution-statements";
import { createPostgresReads } from "./postgres/reads";
import { readableCondition } from "./private-calls";

/** The limit of failed calls whose messages are read, for any number of calls: some milliseconds. */
const FAILURE_LIMIT = 500;
const MAX_GROUPS = 10;
const IS_FAILED = `${CLASS_SQL} IN (${FAILED_CLASSES.map((each) => `'${each}'`).join(", ")})`;

interface FailedCall {
  id: string;
  status: string;
  errorKind: string;
  source: string;
  queuedAt: number;
  message: string | null;
}

/** The newest of the versions with the definition: a restored definition is in several. */
const VERSION = `SELECT v."number", v."toolName", v."at" FROM "ToolVersion" v WHERE v."definitionHash" = ? ORDER BY v."at" DESC LIMIT 1`;

export function createToolStatistics(
  db: Database,
  figures: PageFigures,
): Pick<ExecutionStats, "toolStatistics" | "toolFailures"> {
  const { rows } = db.kind === "postgres" ? createPostgresReads(db.pool) : { rows: readSqlite };

  async function readSqlite<Row>(sql: string, values: readonly SqlValue[] = []): Promise<Row[]> {
    return await db.rows<Row>(sql, ...values);
  }

  /** The index of errors, whose condition has to be there literally, chooses the rows. */
  async function toolFailures(
    name: string,
    since: number,
    readableBy?: StoredFilter["readableBy"],
  ): Promise<ToolFailures> {
    const readable = readableBy === undefined ? null : readableCondition(readableBy);
    const calls = await rows<FailedCall>(
      `SELECT id, status, "errorKind", source, "queuedAt", CASE WHEN ${readable?.sql ?? "true"} THEN substr(error, 1, ${MESSAGE_CHARS}) END AS message
       FROM "Execution" WHERE "toolName" = ? AND "errorKind" IS NOT NULL AND "queuedAt" >= ? AND ${COUNTED} AND ${IS_FAILED}
       ORDER BY seq DESC LIMIT ${FAILURE_LIMIT}`,
      [...(readable?.values ?? []), name, since],
    );
    return { failures: groupFailures(calls).slice(0, MAX_GROUPS), read: calls.length, failureLimit: FAILURE_LIMIT };
  }

  async function addVersion(group: CallGroup) {
    const found = await db.row<{ number: number; toolName: string; at: number }>(VERSION, group.key ?? "");
    return { ...group, ...(found ?? { number: null, toolName: null, at: 0 }) };
  }

  const toolStatistics: ExecutionStats["toolStatistics"] = async (name, period, readableBy) => {
    const { versions, rebuilding: _rebuilding, ...rest } = await figures.toolStatistics(name, period);
    const known = await Promise.all(versions.map(addVersion));
    return {
      ...rest,
      ...(await toolFailures(name, rest.since ?? 0, readableBy)),
      versions: known
        .sort((left, right) => right.at - left.at)
        .slice(0, MAX_GROUPS)
        .map(({ at: _at, ...version }) => version),
    };
  };
  return { toolStatistics, toolFailures };
}

function groupFailures(calls: readonly FailedCall[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const { id, status, errorKind, source, queuedAt, message } of calls) {
    const kind = classifyCall({ status: status as ExecutionStatus, errorKind, source });
    if (!isFailedClass(kind)) continue;
    const key = `${kind} ${message}`;
    const known = groups.get(key) ?? { kind, message, calls: 0, latestId: id, latestAt: queuedAt };
    groups.set(key, { ...known, calls: known.calls + 1 });
  }
  return [...groups.values()].sort((left, right) => right.calls - left.calls);
}
