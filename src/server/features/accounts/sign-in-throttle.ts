import { toNetwork } from "./request-limits";

/** Wrong passwords after which further tries have to wait. */
interface Allowance {
  free: number;
}

/** From one network, for one account; of one browser that has signed in to the account before. */
const PER_SOURCE: Allowance = { free: 5 };
/** From all other browsers together, for one account: guesses that are spread over many addresses. */
const PER_ACCOUNT: Allowance = { free: 20 };
const FIRST_WAIT_MS = 15_000;
const MAX_WAIT_MS = 15 * 60_000;
/** The time of the last wrong password. */
const KEPT_MS = 24 * 60 * 60_000;
/** So that invented addresses cannot fill the memory. */
const MAX_BUCKETS = 20_000;

export interface SignInSource {
  /** The e-mail address that was typed. */
  account: string;
  address: string;
  /** The browser, where it has signed in to this account before; null for any other. */
  device: string | null;
}

export interface SignInAttempt {
  /** The password was right. */
  succeed(): void;
  /** The password was not checked. */
  release(): void;
}

interface Bucket {
  count: number;
  until: number;
  at: number;
}

/**
 * Slows down the guessing of passwords: after some wrong ones the waits double from 15 s to 15 min. An attempt counts as
 * failed from its beginning, so that attempts at the same time get no more checks than one after the other. Browsers that
 * have signed in to an account before are counted apart: others cannot lock them out. Counts are in memory: a
 * restart resets them.
 */
export class SignInThrottle {
  readonly #buckets = new Map<string, Bucket>();

  constructor(private readonly now: () => number) {}

  /** Counts an attempt whose password may be checked, or says how long the next one has to wait. */
  begin({ account, address, device }: SignInSource): SignInAttempt | { waitSeconds: number } {
    const prefix = toPrefix(account);
    const counted: [string, Allowance][] =
      device === null
        ? [
            [`${prefix}from ${toNetwork(address)}`, PER_SOURCE],
            [`${prefix}all`, PER_ACCOUNT],
          ]
        : [[`${prefix}device ${device}`, PER_SOURCE]];
    const until = Math.max(...counted.map(([key]) => this.#find(key)?.until ?? 0));
    if (until > this.now()) return { waitSeconds: Math.ceil((until - this.now()) / 1000) };
    for (const [key, allowance] of counted) this.#count(key, allowance);
    return {
      succeed: () => {
        for (const [key] of counted) this.#buckets.delete(key);
      },
      release: () => {
        for (const [key, { free }] of counted) this.#release(key, free);
      },
    };
  }

  /** Until when sign-ins to this account from new browsers wait, some or all; null for none. */
  slowedUntil(account: string): number | null {
    const prefix = toPrefix(account);
    let latest = this.now();
    for (const [key, { until }] of this.#buckets) if (key.startsWith(prefix)) latest = Math.max(latest, until);
    return latest > this.now() ? latest : null;
  }

  /** Forgets the wrong passwords of an account. */
  lift(account: string): void {
    const prefix = toPrefix(account);
    for (const key of this.#buckets.keys()) if (key.startsWith(prefix)) this.#buckets.delete(key);
  }

  #find(key: string): Bucket | undefined {
    const bucket = this.#buckets.get(key);
    return bucket === undefined || bucket.at + KEPT_MS < this.now() ? undefined : bucket;
  }

  #count(key: string, { free }: Allowance): void {
    const now = this.now();
    const count = (this.#find(key)?.count ?? 0) + 1;
    const wait = count < free ? 0 : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (count - free));
    // Deleted first, so that the entries stay in the order of their last failure.
    this.#buckets.delete(key);
    this.#buckets.set(key, { count, until: now + wait, at: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MAX_BUCKETS && oldest !== undefined) this.#buckets.delete(oldest);
  }

  #release(key: string, free: number): void {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return;
    bucket.count -= 1;
    if (bucket.count < free) bucket.until = 0;
    if (bucket.count < 1) this.#buckets.delete(key);
  }
}

/** No line break can be part of the address of an account that exists. */
const toPrefix = (account: string): string => `${account.trim().toLowerCase().replaceAll("\n", " ")}\n`;
