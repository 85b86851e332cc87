import type { ClaimedJob, JobStorage } from "../../../coordination/storage";
import type { Clock } from "../../../engine/ports";
import type { Database } from "../../database";
import { AMONG, prepareWith } from "./sql";

const CLAIM = '"kind" = ? AND "key" = ? AND "ownerId" = ? AND "fence" = ?';

export function createJobStorage(db: Database, clock: Clock): JobStorage {
  const { rows, values, write } = prepareWith(db);
  const isScheduled = values<number>(
    'SELECT 1 FROM "Job" WHERE "kind" = ? AND "key" = ? AND "payload" IS ? AND "runAt" <= ? AND "ownerId" IS NULL',
  );
  const schedule = write(
    `INSERT INTO "Job" ("kind", "key", "payload", "runAt") VALUES (?, ?, ?, ?)
     ON CONFLICT ("kind", "key") DO UPDATE SET "payload" = excluded."payload", "revision" = "Job"."revision" + 1,
       "runAt" = CASE WHEN "Job"."ownerId" IS NULL AND "Job"."runAt" < excluded."runAt" THEN "Job"."runAt"
         ELSE excluded."runAt" END`,
  );
  const selectNext = values<number | null>(
    `SELECT min(CASE WHEN "ownerId" IS NULL OR "leaseUntil" < "runAt" THEN "runAt" ELSE "leaseUntil" END)
     FROM "Job" WHERE "kind" ${AMONG}`,
  );
  const claim = rows<ClaimedJob>(
    `UPDATE "Job" SET "ownerId" = ?, "leaseUntil" = ?, "attempts" = "attempts" + 1, "fence" = "fence" + 1
     WHERE ("kind", "key") IN (
       SELECT "kind", "key" FROM "Job" WHERE "kind" ${AMONG} AND "runAt" <= ?
         AND ("ownerId" IS NULL OR "leaseUntil" <= ?) ORDER BY "runAt" LIMIT ?)
     RETURNING "kind", "key", "payload", "attempts", "fence", "revision"`,
  );
  const renew = write(`UPDATE "Job" SET "leaseUntil" = ? WHERE ${CLAIM}`);
  const remove = write(`DELETE FROM "Job" WHERE ${CLAIM} AND "revision" = ?`);
  const release = write(`UPDATE "Job" SET "ownerId" = NULL, "attempts" = 0 WHERE ${CLAIM}`);
  const repeat = write(
    `UPDATE "Job" SET "ownerId" = NULL, "attempts" = ?,
       "runAt" = CASE WHEN "revision" <> ? AND "runAt" < ? THEN "runAt" ELSE ? END WHERE ${CLAIM}`,
  );
  const selectOwners = values<string>('SELECT DISTINCT "ownerId" FROM "Job" WHERE "ownerId" IS NOT NULL');
  const releaseAll = write(`UPDATE "Job" SET "ownerId" = NULL WHERE "ownerId" ${AMONG}`);
  return {
    async schedule({ kind, key, payload = null, runAt }) {
      if (isScheduled.get(kind, key, payload, runAt) !== undefined) return;
      await db.write(() => void schedule.run(kind, key, payload, runAt));
    },
    findNext: async (kinds) => selectNext.get(JSON.stringify(kinds)) ?? null,
    claim: (kinds, ownerId, leaseMs, limit) =>
      db.write(() => {
        const now = clock.now();
        return claim.all(ownerId, now + leaseMs, JSON.stringify(kinds), now, now, limit);
      }),
    renew: ({ kind, key, fence }, ownerId, leaseMs) =>
      db.write(() => renew.run(clock.now() + leaseMs, kind, key, ownerId, fence).changes > 0),
    complete: ({ kind, key, fence, revision }, ownerId) =>
      db.write(() => {
        if (remove.run(kind, key, ownerId, fence, revision).changes === 0) release.run(kind, key, ownerId, fence);
      }),
    repeat: ({ kind, key, fence, revision }, ownerId, { runAt, attempts }) =>
      db.write(() => void repeat.run(attempts, revision, runAt, runAt, kind, key, ownerId, fence)),
    listOwners: async () => selectOwners.all(),
    releaseAll: (ownerIds) => db.write(() => void releaseAll.run(JSON.stringify(ownerIds))),
  };
}
