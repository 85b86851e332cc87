import type { InstanceStorage } from "../../../coordination/storage";
import type { Clock } from "../../../engine/ports";
import type { Database } from "../../database";
import { AMONG, prepareWith } from "./sql";

export function createInstanceStorage(db: Database, clock: Clock): InstanceStorage {
  const { rows, write } = prepareWith(db);
  const upsert = write(
    `INSERT INTO "Instance" ("id", "pid", "host", "startedAt", "heartbeatAt") VALUES (?, ?, ?, ?, ?)
     ON CONFLICT ("id") DO UPDATE SET "heartbeatAt" = excluded."heartbeatAt"`,
  );
  const select = rows<{ id: string; pid: number; host: string; heartbeatAt: number }>(
    `SELECT "id", "pid", "host", "heartbeatAt" FROM "Instance" WHERE "id" ${AMONG}`,
  );
  const deleteOld = write('DELETE FROM "Instance" WHERE "heartbeatAt" < ?');
  return {
    beat: ({ id, pid, host }) => db.write(() => void upsert.run(id, pid, host, clock.now(), clock.now())),
    async list(ids) {
      const now = clock.now();
      return select.all(JSON.stringify(ids)).map(({ heartbeatAt, ...instance }) => ({
        ...instance,
        lastSeenAt: heartbeatAt,
        silentMs: now - heartbeatAt,
      }));
    },
    deleteSilent: (silentMs) => db.write(() => void deleteOld.run(clock.now() - silentMs)),
  };
}
