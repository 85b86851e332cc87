import type { Principal } from "../../../lib/contract/access";
import { AppError } from "../../platform/shared/app-error";

/** So that invented keys cannot fill the memory. */
const MAX_KEYS = 20_000;

/** The rest of a limit. */
export interface RequestQuota {
  perMinute: number;
  left: number;
  /** Until all of it is left again. */
  resetSeconds: number;
}

/**
 * Token buckets in memory, one for each key: `perMinute` requests at once, then as many a minute. A restart
 * resets them.
 */
export class RateLimiter {
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(
    private readonly perMinute: number,
    private readonly now: () => number,
  ) {}

  /** Takes one request. @returns 0, or the seconds after which the next one is allowed */
  take(key: string): number {
    const at = this.now();
    const known = this.#buckets.get(key);
    if (known === undefined) return this.#add(key, at);
    const refilled = ((at - known.at) / 60_000) * this.perMinute;
    known.left = Math.min(this.perMinute, known.left + Math.max(0, refilled));
    known.at = at;
    if (known.left < 1) return Math.ceil(((1 - known.left) / this.perMinute) * 60);
    known.left -= 1;
    return 0;
  }

  /** How many requests are left now. Takes none. */
  look(key: string): RequestQuota {
    const known = this.#buckets.get(key);
    const refilled = known === undefined ? 0 : ((this.now() - known.at) / 60_000) * this.perMinute;
    const left = Math.min(this.perMinute, (known?.left ?? this.perMinute) + Math.max(0, refilled));
    const resetSeconds = Math.ceil(((this.perMinute - left) / this.perMinute) * 60);
    return { perMinute: this.perMinute, left: Math.floor(left), resetSeconds };
  }

  #add(key: string, at: number): number {
    if (this.#buckets.size >= MAX_KEYS) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    this.#buckets.set(key, { left: this.perMinute - 1, at });
    return 0;
  }

  get size(): number {
    return this.#buckets.size;
  }
}

/** An address may send this share of a token's or user's limit without signing in. */
const ANONYMOUS_SHARE = 10;

/** How many requests a token, a person and an address without either may send. */
export class RequestLimits {
  readonly #perAddress: number;
  readonly #known: RateLimiter;
  /** Apart, so that many addresses cannot push the buckets of tokens and people out of memory. */
  readonly #anonymous: RateLimiter;

  constructor(
    private readonly perMinute: number,
    now: () => number,
  ) {
    this.#perAddress = Math.ceil(perMinute / ANONYMOUS_SHARE);
    this.#known = new RateLimiter(perMinute, now);
    this.#anonymous = new RateLimiter(this.#perAddress, now);
  }

  look(principal: Principal | null, address: string): RequestQuota {
    return principal === null ? this.#anonymous.look(toNetwork(address)) : this.#known.look(toKey(principal));
  }

  /** @throws AppError with the code TOO_MANY_REQUESTS, which says when to try again */
  admit(principal: Principal | null, address: string): void {
    if (principal === null) {
      const wait = this.#anonymous.take(toNetwork(address));
      if (wait > 0) throw tooMany(`an address may send ${this.#perAddress} requests a minute without signing in`, wait);
      return;
    }
    const { token } = principal;
    const wait = this.#known.take(toKey(principal));
    const who = token === null ? "a person" : "a token";
    if (wait > 0) throw tooMany(`${who} may send ${this.perMinute} requests a minute (TOOLROOM_RATE_LIMIT)`, wait);
  }
}

/** With the person: an MCP client is one program, which many people may use. */
const toKey = ({ id, token }: Principal): string => (token === null ? id : `${id} token ${token.id}`);

function tooMany(rule: string, wait: number): AppError {
  const message = `Too many requests: ${rule}. Try again in ${wait} s`;
  return new AppError("TOO_MANY_REQUESTS", message, [], { retryAfterSeconds: wait });
}

/** One client often has a whole /64 of IPv6 addresses. */
export function toNetwork(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail = ""] = address.split("::");
  const groups = head.split(":");
  const missing = address.includes("::") ? 8 - groups.length - tail.split(":").filter(Boolean).length : 0;
  return [...groups, ...Array<string>(Math.max(0, missing)).fill("0"), ...tail.split(":")].slice(0, 4).join(":");
}
