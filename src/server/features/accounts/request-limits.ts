import type { Principal } from "../../../lib/contract/access";
import { AppError } from "../../platform/shared/app-error";
import { RateLimiter, type RequestQuota } from "../../platform/shared/rate-limiter";

/** An address may send this share of a token's or user's limit without signing in. */
const ANONYMOUS_SHARE = 10;

/** How many requests a token, a user and an address without either may send. */
export class RequestLimits {
  readonly #perAddress: number;
  readonly #known: RateLimiter;
  /** A separate limiter, so that many addresses cannot push the buckets of tokens and users out of memory. */
  readonly #anonymous: RateLimiter;

  constructor(
    private readonly perMinute: number,
    now: () => number,
    share: (name: string, limiter: RateLimiter) => void = () => undefined,
  ) {
    this.#perAddress = Math.ceil(perMinute / ANONYMOUS_SHARE);
    this.#known = new RateLimiter(perMinute, now);
    this.#anonymous = new RateLimiter(this.#perAddress, now);
    share("requests", this.#known);
    share("requests without signing in", this.#anonymous);
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
    const who = token === null ? "a user" : "a token";
    if (wait > 0) throw tooMany(`${who} may send ${this.perMinute} requests a minute (TOOLROOM_RATE_LIMIT)`, wait);
  }
}

/** The key includes the user: an MCP client is one program that many users may share. */
const toKey = ({ id, token }: Principal): string => (token === null ? id : `${id} token ${token.id}`);

function tooMany(rule: string, wait: number): AppError {
  const message = `Too many requests: ${rule}. Try again in ${wait} s`;
  return new AppError("TOO_MANY_REQUESTS", message, [], { retryAfterSeconds: wait });
}

/** An IPv6 client often has a whole /64 network, so the network is the key. */
export function toNetwork(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail = ""] = address.split("::");
  const groups = head.split(":");
  const missing = address.includes("::") ? 8 - groups.length - tail.split(":").filter(Boolean).length : 0;
  return [...groups, ...Array<string>(Math.max(0, missing)).fill("0"), ...tail.split(":")].slice(0, 4).join(":");
}
