import type { Database } from "../../../platform/db/database";
import { change, selectRow } from "../../../platform/db/sql";
import type { IdempotencyStore, ReservedKey } from "../idempotency-store";

/** The number of old keys deleted at each new one: many at once would block the event loop. */
const MOST_DELETED = 200;

const FORGET_ONE = 'DELETE FROM "IdempotencyKey" WHERE owner = ? AND key = ? AND "createdAt" < ?';
const FORGET = `DELETE FROM "IdempotencyKey" WHERE (owner, key) IN
  (SELECT owner, key FROM "IdempotencyKey" WHERE "createdAt" < ? LIMIT ${MOST_DELETED})`;
const INSERT = `INSERT INTO "IdempotencyKey" (owner, key, fingerprint, "targetId", "createdAt") VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (owner, key) DO NOTHING`;
const FIND = 'SELECT fingerprint, "targetId" FROM "IdempotencyKey" WHERE owner = ? AND key = ?';

export function createIdempotencyStore(db: Database): IdempotencyStore {
  return {
    reserve: (owner, key, wanted, notBefore) =>
      db.transaction(function* () {
        yield* change(FORGET_ONE, owner, key, notBefore);
        yield* change(FORGET, notBefore);
        const added = yield* change(INSERT, owner, key, wanted.fingerprint, wanted.targetId, wanted.createdAt);
        const known = added === 1 ? undefined : yield* selectRow<ReservedKey>(FIND, owner, key);
        const { fingerprint, targetId } = known ?? wanted;
        return { fingerprint, targetId, repeated: added === 0 };
      }, "idempotency"),
  };
}
