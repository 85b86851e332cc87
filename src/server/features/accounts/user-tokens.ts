import { withoutEndSlash } from "../../../lib/same-issuer";

/** A user's own JWT that came with a request. */
interface HeldToken {
  token: string;
  issuedAt: number;
  expiresAt: number;
}

const MAX_HELD = 1_000;

/** The newest JWT of each user and issuer, in memory until it expires. The oldest one gives way to a new user's. */
export class UserTokens {
  readonly #held = new Map<string, HeldToken>();

  constructor(private readonly now: () => number) {}

  hold(user: string, issuer: string, held: HeldToken): void {
    const key = toKey(user, issuer);
    const before = this.#held.get(key);
    if (before !== undefined && before.issuedAt > held.issuedAt && before.expiresAt > this.now()) return;
    this.#held.delete(key);
    for (const [oldest] of this.#held) {
      if (this.#held.size < MAX_HELD) break;
      this.#held.delete(oldest);
    }
    this.#held.set(key, held);
  }

  find(user: string, issuer: string): string | null {
    const key = toKey(user, issuer);
    const held = this.#held.get(key);
    if (held !== undefined && held.expiresAt > this.now()) return held.token;
    this.#held.delete(key);
    return null;
  }

  forget(user: string): void {
    for (const key of this.#held.keys()) if ((JSON.parse(key) as string[])[0] === user) this.#held.delete(key);
  }
}

const toKey = (user: string, issuer: string): string => JSON.stringify([user, withoutEndSlash(issuer)]);
