import { toNetwork } from "./request-limits";

/** Wrong passwords after which further tries wait: from one network, or of one browser that has signed in to the account before. */
const FREE_PER_SOURCE = 5;
/** The attempts from all other browsers together, for one account: guesses may come from many addresses. */
const FREE_PER_ACCOUNT = 20;
const FIRST_WAIT_MS = 15_000;
const MAX_WAIT_MS = 15 * 60_000;
export const FAILURE_LIMITS = {
  /** The time of the last wrong password. */
  keptMs: 24 * 60 * 60_000,
  /** Limits the memory that invented addresses can fill. */
  maxBuckets: 20_000,
};

export interface SignInSource {
  /** The e-mail address that was typed. */
  account: string;
  address: string;
  /** The browser, where it has signed in to this account before; null for any other. */
  device: string | null;
}

export interface SignInAttempt {
  /** Called when the password was right. */
  succeed(): Promise<void>;
  /** The password was not checked. */
  release(): Promise<void>;
}

/** The wrong passwords of one account from one source. */
export interface FailureBucket {
  count: number;
  until: number;
  at: number;
}

/** Counts wrong passwords: in memory, or in the database that several instances of the server share. */
export interface FailureStore {
  /**
   * Reads what is counted of an account from these sources and stores what `decide` makes of it; other attempts wait for that.
   * @param decide returns a bucket for each source, null to remove it; null leaves all. It may be called again
   */
  update(
    account: string,
    sources: readonly string[],
    decide: (found: (FailureBucket | undefined)[]) => (FailureBucket | null)[] | null,
  ): Promise<void>;
  /** The latest `until` of each account; 0 for none. */
  latest(accounts: readonly string[]): Promise<number[]>;
  forget(account: string): Promise<void>;
}

export type SignInThrottle = ReturnType<typeof createSignInThrottle>;

/**
 * Slows down the guessing of passwords: after some wrong ones the waits double from 15 s to 15 min. An attempt counts
 * as failed from its beginning, so that attempts at the same time get no more checks than attempts one after the other.
 * Browsers that have signed in to an account before are counted separately: others cannot lock them out.
 */
export function createSignInThrottle(store: FailureStore, now: () => number) {
  return {
    /** Counts an attempt whose password may be checked, or says how long the next one has to wait. */
    async begin(source: SignInSource): Promise<SignInAttempt | { waitSeconds: number }> {
      const account = toAccountKey(source.account);
      const counted = listCounted(source);
      const sources = counted.map(({ source: from }) => from);
      let waitMs = 0;
      await store.update(account, sources, (found) => {
        const known = found.map((bucket) =>
          bucket && bucket.at + FAILURE_LIMITS.keptMs >= now() ? bucket : undefined,
        );
        // The clock may have been ahead at the last wrong password.
        waitMs = Math.min(MAX_WAIT_MS, Math.max(0, ...known.map((bucket) => (bucket?.until ?? 0) - now())));
        return waitMs > 0 ? null : counted.map(({ free }, at) => addFailure(known[at], free, now()));
      });
      if (waitMs > 0) return { waitSeconds: Math.ceil(waitMs / 1000) };
      return {
        succeed: () => store.update(account, sources, () => sources.map(() => null)),
        release: () =>
          store.update(account, sources, (found) => counted.map(({ free }, at) => removeFailure(found[at], free))),
      };
    },

    /** The time until which sign-ins to each of these accounts from new browsers wait; null for none. */
    async slowedUntil(accounts: readonly string[]): Promise<(number | null)[]> {
      const latest = await store.latest(accounts.map(toAccountKey));
      return latest.map((until) => (until > now() ? Math.min(until, now() + MAX_WAIT_MS) : null));
    },

    /** Forgets the wrong passwords of an account. */
    lift: (account: string): Promise<void> => store.forget(toAccountKey(account)),
  };
}

function listCounted({ address, device }: SignInSource): { source: string; free: number }[] {
  if (device !== null) return [{ source: `device ${device}`, free: FREE_PER_SOURCE }];
  return [
    { source: `from ${toNetwork(address)}`, free: FREE_PER_SOURCE },
    { source: "all", free: FREE_PER_ACCOUNT },
  ];
}

/** The address of an existing account contains no line break. */
const toAccountKey = (account: string): string => account.trim().toLowerCase().replaceAll("\n", " ");

function addFailure(before: FailureBucket | undefined, free: number, now: number): FailureBucket {
  const count = (before?.count ?? 0) + 1;
  const wait = count < free ? 0 : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (count - free));
  return { count, until: now + wait, at: now };
}

function removeFailure(before: FailureBucket | undefined, free: number): FailureBucket | null {
  if (before === undefined || before.count <= 1) return null;
  const count = before.count - 1;
  return { ...before, count, until: count < free ? 0 : before.until };
}

/** A restart resets the counts. */
export function createMemoryFailures(): FailureStore {
  const buckets = new Map<string, FailureBucket>();
  return {
    async update(account, sources, decide) {
      const keys = sources.map((source) => `${account}\n${source}`);
      const made = decide(keys.map((key) => buckets.get(key)));
      if (made === null) return;
      for (const [at, key] of keys.entries()) {
        // Deleted first, so that the entries stay in the order of their last failure.
        buckets.delete(key);
        const bucket = made[at];
        if (bucket) buckets.set(key, bucket);
        const [oldest] = buckets.keys();
        if (buckets.size > FAILURE_LIMITS.maxBuckets && oldest !== undefined) buckets.delete(oldest);
      }
    },
    async latest(accounts) {
      return accounts.map((account) => {
        let latest = 0;
        for (const [key, { until }] of buckets) if (key.startsWith(`${account}\n`)) latest = Math.max(latest, until);
        return latest;
      });
    },
    async forget(account) {
      for (const key of buckets.keys()) if (key.startsWith(`${account}\n`)) buckets.delete(key);
    },
  };
}
