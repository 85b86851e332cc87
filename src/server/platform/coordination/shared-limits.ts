import type { RateLimiter } from "../shared/rate-limiter";
import { type Bulletin, createTopic } from "./bulletin";

/** Makes all instances of the server count for one limit. */
export type ShareLimit = (name: string, limiter: RateLimiter) => void;

type Taken = [name: string, key: string, requests: number];

const TAKEN = createTopic<Taken[]>("limits.taken");
/** Requests of this time may pass beyond a limit on several instances together; they are paid back. */
const TELL_MS = 250;
const MAX_AT_ONCE = 500;

/**
 * Each instance counts by itself, since a question to the database for each request would cost more than the request, and tells the
 * others now and then what it let pass.
 */
export function createSharedLimits(bulletin: Bulletin): ShareLimit {
  const limiters = new Map<string, RateLimiter>();
  let taken = new Map<string, Map<string, number>>();
  let isDue = false;

  function tell(): void {
    isDue = false;
    const all = [...taken].flatMap(([name, counts]) => Array.from(counts, ([key, count]): Taken => [name, key, count]));
    taken = new Map();
    for (let from = 0; from < all.length; from += MAX_AT_ONCE)
      bulletin.post(TAKEN, all.slice(from, from + MAX_AT_ONCE));
  }

  bulletin.on(TAKEN, (others) => {
    for (const [name, key, requests] of others) limiters.get(name)?.charge(key, requests);
  });

  return (name, limiter) => {
    limiters.set(name, limiter);
    limiter.onTaken = (key) => {
      const counts = taken.get(name) ?? new Map<string, number>();
      taken.set(name, counts.set(key, (counts.get(key) ?? 0) + 1));
      if (isDue) return;
      isDue = true;
      setTimeout(tell, TELL_MS).unref();
    };
  };
}
