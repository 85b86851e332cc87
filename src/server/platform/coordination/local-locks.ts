import type { Lease, Locks } from "./locks";

/** Leases between the parts of this process. They end with it. */
export function createLocks(): Locks {
  const held = new Map<string, Lease>();
  // In seconds: greater than those of an earlier process.
  let fence = Math.floor(Date.now() / 1000);
  return {
    async acquire(key) {
      if (held.has(key)) return null;
      fence += 1;
      const ended = new AbortController();
      const lease: Lease = {
        fence,
        signal: ended.signal,
        async release() {
          if (held.get(key) === lease) held.delete(key);
          ended.abort(new Error(`'${key}' was released`));
        },
      };
      held.set(key, lease);
      return lease;
    },
    async close() {
      for (const lease of [...held.values()]) await lease.release();
    },
  };
}
