import type { SqliteDatabase } from "../../../platform/db/database";
import type { IdempotencyStore, ReservedKey } from "../idempotency-store";

/** Old keys deleted at each new one: many at once would hold the event loop. */
const MOST_DELETED = 200;

export function createIdempotencyStore({ raw, write }: SqliteDatabase): IdempotencyStore {
  const forget = raw.prepare<[number, number]>(
    `DELETE FROM "IdempotencyKey" WHERE rowid IN (SELECT rowid FROM "IdempotencyKey" WHERE "createdAt" < ? LIMIT ?)`,
  );
  const forgetOne = raw.prepare<[string, string, number]>(
    'DELETE FROM "IdempotencyKey" WHERE owner = ? AND key = ? AND "createdAt" < ?',
  );
  const insert = raw.prepare<[string, string, string, string, number]>(
    `INSERT INTO "IdempotencyKey" (owner, key, fingerprint, "targetId", "createdAt") VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (owner, key) DO NOTHING`,
  );
  const find = raw.prepare<[string, string], ReservedKey>(
    'SELECT fingerprint, "targetId" FROM "IdempotencyKey" WHERE owner = ? AND key = ?',
  );
  const reserve = raw.transaction(
    (owner: string, key: string, wanted: ReservedKey & { createdAt: number }, notBefore: number) => {
      forgetOne.run(owner, key, notBefore);
      forget.run(notBefore, MOST_DELETED);
      const { changes } = insert.run(owner, key, wanted.fingerprint, wanted.targetId, wanted.createdAt);
      const { fingerprint, targetId } = (changes === 1 ? undefined : find.get(owner, key)) ?? wanted;
      return { fingerprint, targetId, repeated: changes === 0 };
    },
  );
  return {
    reserve: (owner, key, wanted, notBefore) => write(() => reserve.immediate(owner, key, wanted, notBefore)),
  };
}
