/** Limits the memory that invented keys can fill. */
const MAX_KEYS = 20_000;

/** What remains of a limit. */
export interface RequestQuota {
  limit: number;
  left: number;
  /** The seconds until the whole limit is available again. */
  resetSeconds: number;
}

/**
 * Token buckets in memory, one for each key: `limit` requests at once, then as many in each window. A restart
 * resets them.
 */
export class RateLimiter {
  readonly #buckets = new Map<string, { left: number; at: number }>();
  /** Called with the key of each accepted request; null: no other instance counts with this limiter. */
  onTaken: ((key: string) => void) | null = null;

  constructor(
    private readonly limit: number,
    private readonly now: () => number,
    private readonly windowMs = 60_000,
  ) {}

  /** Takes one request. @returns 0, or the seconds after which the next one is allowed */
  take(key: string): number {
    const at = this.now();
    const known = this.#buckets.get(key);
    if (known === undefined) this.#add(key, at, this.limit - 1);
    else {
      this.#refill(known, at);
      if (known.left < 1) return this.#toSeconds(1 - known.left);
      known.left -= 1;
    }
    this.onTaken?.(key);
    return 0;
  }

  /** Counts requests that other instances accepted: the next ones here wait for these too. */
  charge(key: string, requests: number): void {
    const at = this.now();
    const known = this.#buckets.get(key);
    if (known === undefined) {
      this.#add(key, at, Math.max(-this.limit, this.limit - requests));
      return;
    }
    this.#refill(known, at);
    known.left = Math.max(-this.limit, known.left - requests);
  }

  #refill(bucket: { left: number; at: number }, at: number): void {
    const refilled = ((at - bucket.at) / this.windowMs) * this.limit;
    bucket.left = Math.min(this.limit, bucket.left + Math.max(0, refilled));
    bucket.at = at;
  }

  /** Reads how many requests are left now, without counting one. */
  look(key: string): RequestQuota {
    const known = this.#buckets.get(key);
    const refilled = known === undefined ? 0 : ((this.now() - known.at) / this.windowMs) * this.limit;
    const left = Math.min(this.limit, (known?.left ?? this.limit) + Math.max(0, refilled));
    const resetSeconds = this.#toSeconds(this.limit - left);
    return { limit: this.limit, left: Math.max(0, Math.floor(left)), resetSeconds };
  }

  #add(key: string, at: number, left: number): void {
    if (this.#buckets.size >= MAX_KEYS) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    this.#buckets.set(key, { left, at });
  }

  /** The seconds until a number of requests are available again. */
  #toSeconds(requests: number): number {
    return Math.ceil(((requests / this.limit) * this.windowMs) / 1000);
  }

  get size(): number {
    return this.#buckets.size;
  }
}
