import type { LeaseStorage } from "../../../coordination/storage";
import type { Clock } from "../../../engine/ports";
import type { Database } from "../../database";
import { prepareWith } from "./sql";

export function createLeaseStorage(db: Database, clock: Clock): LeaseStorage {
  const { values, write } = prepareWith(db);
  const take = values<number>(
    `INSERT INTO "Lease" ("key", "ownerId", "fence", "expiresAt") VALUES (?, ?, 1, ?)
     ON CONFLICT ("key") DO UPDATE SET "ownerId" = excluded."ownerId", "fence" = "Lease"."fence" + 1,
       "expiresAt" = excluded."expiresAt"
     WHERE "Lease"."ownerId" IS NULL OR "Lease"."expiresAt" <= ? OR "Lease"."ownerId" = ? RETURNING "fence"`,
  );
  const selectHeld = values<number>(
    'SELECT 1 FROM "Lease" WHERE "key" = ? AND "expiresAt" > ? AND "ownerId" IS NOT NULL AND "ownerId" <> ?',
  );
  const selectOwner = values<string | null>('SELECT "ownerId" FROM "Lease" WHERE "key" = ?');
  const renew = write('UPDATE "Lease" SET "expiresAt" = ? WHERE "key" = ? AND "ownerId" = ? AND "fence" = ?');
  const release = write('UPDATE "Lease" SET "ownerId" = NULL WHERE "key" = ? AND "ownerId" = ? AND "fence" = ?');
  return {
    async take(key, ownerId, leaseMs, goneId) {
      // A lease that is held is asked for often, and a write would wait for other programs.
      if (selectHeld.get(key, clock.now(), goneId ?? "") !== undefined) return null;
      return await db.write(() => take.get(key, ownerId, clock.now() + leaseMs, clock.now(), goneId ?? null) ?? null);
    },
    findOwner: async (key) => selectOwner.get(key) ?? null,
    renew: (key, ownerId, fence, leaseMs) =>
      db.write(() => renew.run(clock.now() + leaseMs, key, ownerId, fence).changes > 0),
    release: (key, ownerId, fence) => db.write(() => void release.run(key, ownerId, fence)),
  };
}
