import type { OrphanStore } from "../../../features/executions/interrupt-orphans";
import type { Database } from "../../database";
import { IN_UNSUCCESSFUL } from "./execution-queries";

const INTERRUPTED_ERROR = "Interrupted: the server ended while this call was running";

export function createOrphanStore({ raw, write }: Database): OrphanStore {
  const running = raw
    .prepare<[], string>(
      `SELECT DISTINCT "instanceId" FROM "Execution" WHERE "status" = 'running' AND ${IN_UNSUCCESSFUL}`,
    )
    .pluck();
  const interrupt = raw
    .prepare<[string, number | null, string], string>(
      `UPDATE "Execution" SET "status" = 'interrupted', "error" = ?, "errorKind" = 'interrupted',
         "finishedAt" = max(coalesce(?, "queuedAt"), "queuedAt")
       WHERE "status" = 'running' AND ${IN_UNSUCCESSFUL} AND "instanceId" = ? RETURNING "id"`,
    )
    .pluck();
  return {
    listRunningInstances: async () => running.all(),
    interrupt: (instanceId, finishedAt) => write(() => interrupt.all(INTERRUPTED_ERROR, finishedAt, instanceId)),
  };
}
