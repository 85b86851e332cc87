/** Wrong passwords of one account after which further tries have to wait. */
const FREE_FAILURES = 5;
const FIRST_WAIT_MS = 15_000;
const MAX_WAIT_MS = 15 * 60_000;
/** So that invented addresses cannot fill the memory. */
const MAX_ACCOUNTS = 10_000;

/**
 * Slows down the guessing of one account's password: after five failures the waits double from 15 s to 15 min. Other
 * accounts are not affected. In memory, so each process of a server counts by itself.
 */
export class SignInThrottle {
  readonly #failures = new Map<string, { count: number; until: number }>();

  constructor(private readonly now: () => number) {}

  /** How many seconds this account's next try has to wait; 0 for none. */
  waitSeconds(email: string): number {
    const until = this.#failures.get(keyOf(email))?.until ?? 0;
    return Math.max(0, Math.ceil((until - this.now()) / 1000));
  }

  recordFailure(email: string): void {
    const key = keyOf(email);
    const count = (this.#failures.get(key)?.count ?? 0) + 1;
    const wait = count < FREE_FAILURES ? 0 : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (count - FREE_FAILURES));
    // Deleted first, so that the entries stay in the order of their last failure.
    this.#failures.delete(key);
    this.#failures.set(key, { count, until: this.now() + wait });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_ACCOUNTS && oldest !== undefined) this.#failures.delete(oldest);
  }

  recordSuccess(email: string): void {
    this.#failures.delete(keyOf(email));
  }
}

const keyOf = (email: string): string => email.trim().toLowerCase();
