import type { ChangeStorage, StoredChange } from "../../../coordination/storage";
import type { Clock } from "../../../engine/ports";
import type { Database } from "../../database";
import { prepareWith } from "./sql";

/** `seq` alone is the cursor: one transaction writes at a time, so no earlier number can become visible later. */
export function createChangeStorage(db: Database, clock: Clock): ChangeStorage {
  const { rows, values, write } = prepareWith(db);
  const insert = write('INSERT INTO "Change" ("instanceId", "topic", "key", "at") VALUES (?, ?, ?, ?)');
  const selectEnd = values<number>('SELECT coalesce(max("seq"), 0) FROM "Change"');
  const selectAfter = rows<StoredChange & { seq: number }>(
    'SELECT "seq", "instanceId", "topic", "key" FROM "Change" WHERE "seq" > ? ORDER BY "seq" LIMIT ?',
  );
  const deleteOld = write('DELETE FROM "Change" WHERE "at" < ?');
  return {
    append: ({ instanceId, topic, key }) => db.write(() => void insert.run(instanceId, topic, key, clock.now())),
    findEnd: async () => String(selectEnd.get() ?? 0),
    async listAfter(cursor, limit) {
      const found = selectAfter.all(Number(cursor), limit);
      return { changes: found, cursor: String(found.at(-1)?.seq ?? cursor) };
    },
    deleteOlderThan: (ageMs) => db.write(() => void deleteOld.run(clock.now() - ageMs)),
  };
}
