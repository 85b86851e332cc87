/** A token of a server that a user's own token was exchanged for. */
interface Exchanged {
  token: string;
  /** Null where the endpoint did not say. */
  lifetimeMs: number | null;
}

interface Cached {
  user: string;
  token: string;
  until: number;
}

const MAX_CACHED = 2_000;
/** A longer one would outlive what its issuer decides about the user. */
const LONGEST_MS = 60 * 60_000;
const DEFAULT_MS = 5 * 60_000;
/** A token is exchanged again so long before it expires. */
const MARGIN_MS = 10_000;

/**
 * Exchanged tokens, in memory only, by everything that they depend on: the user, the issuer of the user's token, the
 * server and its settings.
 */
export class ExchangedTokens {
  readonly #cached = new Map<string, Cached>();
  /** Calls that begin together share one request. */
  readonly #pending = new Map<string, { user: string; token: Promise<string> }>();

  constructor(private readonly now: () => number) {}

  async get(user: string, parts: readonly unknown[], exchange: () => Promise<Exchanged>): Promise<string> {
    const key = JSON.stringify([user, ...parts]);
    const cached = this.#cached.get(key);
    if (cached !== undefined && cached.until > this.now()) return cached.token;
    this.#cached.delete(key);
    const known = this.#pending.get(key);
    if (known !== undefined) return await known.token;
    const request = { user, token: Promise.resolve("") };
    request.token = exchange()
      .then((exchanged) => {
        // A user who was switched off while the request ran gets no cached token.
        if (this.#pending.get(key) === request) this.#keep(key, user, exchanged);
        return exchanged.token;
      })
      .finally(() => {
        if (this.#pending.get(key) === request) this.#pending.delete(key);
      });
    this.#pending.set(key, request);
    return await request.token;
  }

  discard(token: string): void {
    for (const [key, cached] of this.#cached) if (cached.token === token) this.#cached.delete(key);
  }

  forget(user: string): void {
    for (const held of [this.#cached, this.#pending]) {
      for (const [key, each] of held) if (each.user === user) held.delete(key);
    }
  }

  #keep(key: string, user: string, { token, lifetimeMs }: Exchanged): void {
    for (const [oldest] of this.#cached) {
      if (this.#cached.size < MAX_CACHED) break;
      this.#cached.delete(oldest);
    }
    const until = this.now() + Math.min(lifetimeMs ?? DEFAULT_MS, LONGEST_MS) - MARGIN_MS;
    this.#cached.set(key, { user, token, until });
  }
}
