import { setTimeout as sleep } from "node:timers/promises";
import type { Locks } from "./locks";

const LEASE_MS = 15_000;
const LOOK_MS = 100;

/**
 * Runs work that no other caller may do at the same time. It runs without the lease when that stays taken for `limitMs`:
 * for work that is wasteful twice, not wrong.
 */
export async function runExclusively<T>(
  locks: Pick<Locks, "acquire">,
  key: string,
  work: () => Promise<T>,
  limitMs = LEASE_MS,
): Promise<T> {
  const endsAt = performance.now() + limitMs;
  let lease = await locks.acquire(key, LEASE_MS);
  while (lease === null && performance.now() < endsAt) {
    await sleep(LOOK_MS);
    lease = await locks.acquire(key, LEASE_MS);
  }
  try {
    return await work();
  } finally {
    // The lock expires in any case.
    await lease?.release().catch(() => undefined);
  }
}
