import type { Logger } from "../../../engine/ports";
import type { Database } from "../../../platform/db/database";
import { LIVING_COPIES } from "../../../platform/db/postgres/postgres-sql";
import { selectRows } from "../../../platform/db/sql";
import { noteEnded } from "../../statistics/db/record-changes";
import { IN_UNSUCCESSFUL } from "./class-conditions";
import { noteTextChanged } from "./text-changes";

const INTERRUPTED_ERROR = "Interrupted: the server ended while this call was running";

/**
 * Ends the calls that a process left running: at the start, when nothing runs here yet, and on PostgreSQL whenever another instance of the server has
 * ended. Gives the ids.
 */
export async function interruptOrphans(db: Database, logger: Logger): Promise<string[]> {
  const ofEnded = db.kind === "postgres" ? `AND "instanceId" NOT IN ${LIVING_COPIES}` : "";
  // When the server ended is not known: not before the newest call, which is the last that it stored for certain.
  const rows = await db.transaction(function* () {
    const interrupted = yield* selectRows<{ id: string; seq: number }>(
      `UPDATE "Execution" SET "status" = 'interrupted', "error" = ?, "errorKind" = 'interrupted',
         "finishedAt" = (SELECT max("queuedAt") FROM "Execution")
       WHERE "status" = 'running' AND ${IN_UNSUCCESSFUL} ${ofEnded} RETURNING "id", "seq"`,
      INTERRUPTED_ERROR,
    );
    const seqs = interrupted.map(({ seq }) => seq);
    yield* noteEnded(seqs);
    // After a power cut the search index may have an end that the database lost.
    if (db.kind === "sqlite") yield* noteTextChanged(seqs);
    return interrupted;
  });
  const ended = rows.map(({ id }) => id);
  if (ended.length > 0) logger.warn({ executions: ended }, "Calls of a server that ended are marked as interrupted");
  return ended;
}
