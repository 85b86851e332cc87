import type { CallKind } from "../../../coordination/call-registry";
import type { CommandStorage, StoredCommand } from "../../../coordination/storage";
import type { Clock } from "../../../engine/ports";
import type { Database } from "../../database";
import { prepareWith } from "./sql";

const OWNERS: Record<CallKind, string> = {
  execution: `SELECT "instanceId" FROM "Execution" WHERE "id" = ? AND "status" IN ('running', 'waiting')`,
  run: `SELECT "instanceId" FROM "Run" WHERE "id" = ? AND "status" IN ('running', 'waiting')`,
  model_check: `SELECT "instanceId" FROM "ModelCheck" WHERE "id" = ? AND "status" = 'running'`,
  interaction: 'SELECT "instanceId" FROM "Interaction" WHERE "id" = ?',
};

export function createCommandStorage(db: Database, clock: Clock): CommandStorage {
  const { rows, values, write } = prepareWith(db);
  const insert = write(
    'INSERT INTO "Command" ("id", "targetId", "kind", "key", "payload", "createdAt") VALUES (?, ?, ?, ?, ?, ?)',
  );
  const hasUnclaimed = values<number>('SELECT 1 FROM "Command" WHERE "targetId" = ? AND "claimedAt" IS NULL LIMIT 1');
  const claim = rows<StoredCommand>(
    `UPDATE "Command" SET "claimedAt" = ? WHERE "targetId" = ? AND "claimedAt" IS NULL RETURNING "id", "kind", "key", "payload"`,
  );
  const finish = write('UPDATE "Command" SET "outcome" = (? = 1) WHERE "id" = ?');
  const select = rows<{ claimedAt: number | null; outcome: number | null }>(
    'SELECT "claimedAt", "outcome" FROM "Command" WHERE "id" = ?',
  );
  const withdraw = write('DELETE FROM "Command" WHERE "id" = ? AND "claimedAt" IS NULL');
  const remove = write('DELETE FROM "Command" WHERE "id" = ?');
  const deleteOld = write('DELETE FROM "Command" WHERE "createdAt" < ?');
  const selectOwner = {
    execution: values<string>(OWNERS.execution),
    run: values<string>(OWNERS.run),
    model_check: values<string>(OWNERS.model_check),
    interaction: values<string>(OWNERS.interaction),
  };
  return {
    create: ({ id, targetId, kind, key, payload }) =>
      db.write(() => void insert.run(id, targetId, kind, key, payload, clock.now())),
    async claim(targetId) {
      // There seldom is one, and a write would wait for other programs.
      if (hasUnclaimed.get(targetId) === undefined) return [];
      return await db.write(() => claim.all(clock.now(), targetId));
    },
    finish: (id, outcome) => db.write(() => void finish.run(outcome ? 1 : 0, id)),
    async find(id) {
      const row = select.get(id);
      if (row === undefined) return null;
      return { isClaimed: row.claimedAt !== null, outcome: row.outcome === null ? null : row.outcome === 1 };
    },
    withdraw: (id) => db.write(() => withdraw.run(id).changes > 0),
    delete: (id) => db.write(() => void remove.run(id)),
    deleteOlderThan: (ageMs) => db.write(() => void deleteOld.run(clock.now() - ageMs)),
    findOwner: async (kind, id) => selectOwner[kind].get(id) ?? null,
  };
}
