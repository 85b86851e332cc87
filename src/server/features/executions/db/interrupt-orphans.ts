import type { Logger } from "../../../engine/ports";
import type { Database } from "../../../platform/db/database";
import { selectRows } from "../../../platform/db/sql";
import { IN_UNSUCCESSFUL } from "./execution-queries";

const INTERRUPTED_ERROR = "Interrupted: the server ended while this call was running";

/** At the start, when nothing runs yet: ends the calls that an earlier process left running. Gives the ids. */
export async function interruptOrphans(db: Database, logger: Logger): Promise<string[]> {
  // When the server ended is not known: not before the newest call, which is the last that it stored for certain.
  const rows = await db.transaction(() =>
    selectRows<{ id: string }>(
      `UPDATE "Execution" SET "status" = 'interrupted', "error" = ?, "errorKind" = 'interrupted',
         "finishedAt" = (SELECT max("queuedAt") FROM "Execution")
       WHERE "status" = 'running' AND ${IN_UNSUCCESSFUL} RETURNING "id"`,
      INTERRUPTED_ERROR,
    ),
  );
  const ended = rows.map(({ id }) => id);
  if (ended.length > 0) logger.warn({ executions: ended }, "Calls of a server that ended are marked as interrupted");
  return ended;
}
