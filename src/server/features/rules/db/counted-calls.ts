import { UNRULED_KINDS } from "../../../../lib/contract/call-rule-words";
import { type CountedCallReader, type CountingCall, MAX_COUNTED_CALLS } from "../../../engine/rules/call-counts";
import { TimeSlice } from "../../../engine/time-slice";
import type { Database } from "../../../platform/db/database";
import type { CallTime, RuleStore } from "../rule-store";

/** A condition for calls that did not end before the rules were evaluated. */
export const UNRULED = `coalesce("errorKind", '') NOT IN (${UNRULED_KINDS.map((kind) => `'${kind}'`).join(", ")})`;
const OF_CALLER = `"toolName" = ? AND "actorId" = ? AND id <> ? AND "queuedAt" > ? AND "queuedAt" <= ? AND ${UNRULED}`;
const PART = `SELECT "queuedAt" FROM "Execution" WHERE seq > ? AND seq <= ? AND ${OF_CALLER}`;
const NEWEST = `SELECT "queuedAt" FROM "Execution" WHERE ${OF_CALLER} ORDER BY "queuedAt" DESC LIMIT ${MAX_COUNTED_CALLS}`;
/** The rows of one read, some milliseconds of SQLite's thread. */
const ROWS_AT_ONCE = 5_000;
/** Calls of everyone that are looked at for one caller: older ones do not count. */
const MAX_ROWS = 500_000;

type TimeRow = Pick<CallTime, "queuedAt">;

/** Reads the calls that `count` counts: once for a caller and a tool on SQLite, for each call where instances share the database. */
export function createCountedCallReader(db: Database, { findRange }: Pick<RuleStore, "findRange">): CountedCallReader {
  const toValues = ({ toolName, actorId, executionId, at }: CountingCall, after: number) =>
    [toolName, actorId, executionId, after, at] as const;

  /** Reads in parts, the newest first. */
  async function readParts(call: CountingCall, after: number): Promise<TimeRow[]> {
    const { above, upTo } = await findRange(after);
    const oldest = Math.max(above, upTo - MAX_ROWS);
    const slice = new TimeSlice();
    const rows: TimeRow[] = [];
    for (let last = upTo; last > oldest && rows.length < MAX_COUNTED_CALLS; last -= ROWS_AT_ONCE) {
      const first = Math.max(last - ROWS_AT_ONCE, oldest);
      rows.push(...(await db.rows<TimeRow>(PART, first, last, ...toValues(call, after))));
      await slice.pause();
    }
    return rows;
  }

  return {
    isShared: db.kind === "postgres",
    async readTimes(call, after) {
      const rows =
        db.kind === "postgres"
          ? await db.rows<TimeRow>(NEWEST, ...toValues(call, after))
          : await readParts(call, after);
      const times = rows.map(({ queuedAt }) => Number(queuedAt));
      return times.sort((left, right) => left - right).slice(-MAX_COUNTED_CALLS);
    },
  };
}
