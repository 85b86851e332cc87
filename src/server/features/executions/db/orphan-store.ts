import type { Database } from "../../../platform/db/database";
import type { OrphanStore } from "../interrupt-orphans";
import { IN_UNSUCCESSFUL } from "./execution-queries";

const INTERRUPTED_ERROR = "Interrupted: the server ended while this call was running";

export function createOrphanStore({ raw, write }: Database): OrphanStore {
  // When the server ended is not known: not before the newest call, which is the last that it stored for certain.
  const interrupt = raw
    .prepare<[string], string>(
      `UPDATE "Execution" SET "status" = 'interrupted', "error" = ?, "errorKind" = 'interrupted',
         "finishedAt" = (SELECT max("queuedAt") FROM "Execution")
       WHERE "status" = 'running' AND ${IN_UNSUCCESSFUL} RETURNING "id"`,
    )
    .pluck();
  return { interruptRunning: () => write(() => interrupt.all(INTERRUPTED_ERROR)) };
}
