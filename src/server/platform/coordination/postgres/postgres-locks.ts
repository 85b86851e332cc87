import type { Lease, Locks } from "../locks";

interface LocksOptions {
  selfId: string;
  rows<Row>(text: string, ...values: unknown[]): Promise<Row[]>;
  copies: { isStale(): boolean; onStale(listener: () => void): void };
}

const ACQUIRE = `INSERT INTO "Lease" AS l ("key", "copyId") SELECT $1, "id" FROM "Copy" WHERE "id" = $2 AND "endedAt" IS NULL
ON CONFLICT ("key") DO UPDATE SET "copyId" = excluded."copyId", "fence" = excluded."fence"
WHERE NOT EXISTS (SELECT 1 FROM "Copy" c WHERE c."id" = l."copyId" AND c."endedAt" IS NULL)
RETURNING "fence"`;

const RELEASE = `DELETE FROM "Lease" WHERE "key" = $1 AND "copyId" = $2 AND "fence" = $3`;

/** Leases as rows, which their holder has as long as it lives: renewing an instance renews all of them. */
export function createPostgresLocks({ selfId, rows, copies }: LocksOptions): Locks {
  const held = new Map<string, Lease>();
  /** Leases that may still be in the table, since the database did not answer when they were released. */
  let left: { key: string; fence: number }[] = [];

  copies.onStale(() => {
    for (const lease of [...held.values()]) void lease.release().catch(() => undefined);
  });

  async function deleteRow(key: string, fence: number): Promise<void> {
    try {
      await rows(RELEASE, key, selfId, fence);
    } catch (error) {
      left.push({ key, fence });
      throw error;
    }
  }

  async function deleteLeft(): Promise<void> {
    const again = left;
    left = [];
    for (const { key, fence } of again) await deleteRow(key, fence);
  }

  function createLease(key: string, fence: number): Lease {
    const ended = new AbortController();
    const lease: Lease = {
      fence,
      signal: ended.signal,
      async release() {
        if (held.get(key) !== lease) return;
        held.delete(key);
        ended.abort(new Error(`'${key}' was released`));
        await deleteRow(key, fence);
      },
    };
    return lease;
  }

  return {
    async acquire(key) {
      if (held.has(key) || copies.isStale()) return null;
      if (left.length > 0) await deleteLeft();
      const [row] = await rows<{ fence: number }>(ACQUIRE, key, selfId);
      if (row === undefined) return null;
      const lease = createLease(key, row.fence);
      held.set(key, lease);
      // This instance may have been silent, or expelled, while the database answered.
      if (!copies.isStale()) return lease;
      await lease.release().catch(() => undefined);
      return null;
    },
    async close() {
      for (const lease of [...held.values()]) await lease.release();
    },
  };
}
