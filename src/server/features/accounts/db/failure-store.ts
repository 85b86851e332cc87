import { createHmac } from "node:crypto";
import type { Database } from "../../../platform/db/database";
import { AMONG, change, selectRow } from "../../../platform/db/sql";
import type { FailureBucket, FailureStore } from "../sign-in-throttle";

/** Attempts take turns over all instances of the server. */
const LOCK = "sign-in";
/** The number of old rows deleted at each attempt, which adds two at most. */
const MOST_DELETED = 20;

const FIND = 'SELECT count, until, at FROM "SignInFailure" WHERE account = ? AND source = ?';
const PUT = `INSERT INTO "SignInFailure" (account, source, count, until, at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (account, source) DO UPDATE SET count = excluded.count, until = excluded.until, at = excluded.at`;
const REMOVE = 'DELETE FROM "SignInFailure" WHERE account = ? AND source = ?';
const FORGET = 'DELETE FROM "SignInFailure" WHERE account = ?';
const FORGET_OLDEST = `DELETE FROM "SignInFailure"
  WHERE (account, source) IN (SELECT account, source FROM "SignInFailure" ORDER BY at LIMIT ${MOST_DELETED})
  AND (at < ? OR (SELECT count(*) FROM "SignInFailure") > ?)`;
const LATEST = `SELECT account, max(until) AS until FROM "SignInFailure" WHERE account ${AMONG} GROUP BY account`;

export interface FailureStorePorts {
  db: Database;
  /** The key that hashes entered addresses. */
  secret: string;
  now(): number;
  limits: { keptMs: number; maxBuckets: number };
}

export function createFailureStore({ db, secret, now, limits }: FailureStorePorts): FailureStore {
  const hide = (text: string): string => createHmac("sha256", secret).update(text).digest("base64url");
  return {
    async update(account, sources, decide) {
      const owner = hide(account);
      const keys = sources.map(hide);
      await db.transaction(function* () {
        const found: (FailureBucket | undefined)[] = [];
        for (const key of keys) found.push(yield* selectRow<FailureBucket>(FIND, owner, key));
        const made = decide(found);
        if (made === null) return;
        for (const [at, key] of keys.entries()) {
          const bucket = made[at];
          if (bucket) yield* change(PUT, owner, key, bucket.count, bucket.until, bucket.at);
          else yield* change(REMOVE, owner, key);
        }
        yield* change(FORGET_OLDEST, now() - limits.keptMs, limits.maxBuckets);
      }, LOCK);
    },
    async latest(accounts) {
      const owners = accounts.map(hide);
      const rows = await db.rows<{ account: string; until: number }>(LATEST, owners);
      const known = new Map(rows.map(({ account, until }) => [account, until]));
      return owners.map((owner) => known.get(owner) ?? 0);
    },
    forget: async (account) => void (await db.change(FORGET, hide(account))),
  };
}
