import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../platform/db/database";
import { createScratchDatabase } from "../../platform/db/database.test-support";
import { createScratchPostgres, HAS_POSTGRES } from "../../platform/db/postgres/scratch-postgres.test-support";
import { createFailureStore } from "./db/failure-store";
import {
  createMemoryFailures,
  createSignInThrottle,
  FAILURE_LIMITS,
  type SignInAttempt,
  type SignInSource,
  type SignInThrottle,
} from "./sign-in-throttle";

interface Given {
  /** Two where several instances of the server count together. */
  throttles: SignInThrottle[];
  db: Database | null;
  remove(): Promise<void>;
}

let now = 0;
const readNow = (): number => now;
const ADA: SignInSource = { account: " Ada@Example.org", address: "192.0.2.1", device: null };

const inMemory = async (): Promise<Given> => ({
  throttles: [createSignInThrottle(createMemoryFailures(), readNow)],
  db: null,
  remove: async () => undefined,
});

const inDatabase = (create: () => Promise<{ db: Database; remove(): Promise<void> }>) => async (): Promise<Given> => {
  const { db, remove } = await create();
  const options = { db, secret: "key", now: readNow, limits: FAILURE_LIMITS };
  return { throttles: [1, 2].map(() => createSignInThrottle(createFailureStore(options), readNow)), db, remove };
};

const isAdmitted = (begun: SignInAttempt | { waitSeconds: number }): begun is SignInAttempt =>
  !("waitSeconds" in begun);

describe.each([
  ["in memory", inMemory],
  ["on SQLite", inDatabase(createScratchDatabase)],
  ...(HAS_POSTGRES ? [["on PostgreSQL", inDatabase(createScratchPostgres)] as const] : []),
] as const)("wrong passwords %s", (_kind, create) => {
  let given: Given;
  beforeEach(async () => {
    now = 1_800_000_000_000;
    given = await create();
  });
  afterEach(() => given.remove());

  /** The copies take turns. */
  const begin = (at: number, source: Partial<SignInSource> = {}) => {
    const throttle = given.throttles[at % given.throttles.length] as SignInThrottle;
    return throttle.begin({ ...ADA, ...source });
  };
  const beginMany = async (count: number, source: (at: number) => Partial<SignInSource> = () => ({})) =>
    (await Promise.all(Array.from({ length: count }, (_, at) => begin(at, source(at))))).filter(isAdmitted).length;

  it("of many at once, on whichever instances, no more are checked than one after the other", async () => {
    expect(await beginMany(30)).toBe(5);
    expect(await begin(0)).toEqual({ waitSeconds: 15 });
    now += 15_000;
    expect(await beginMany(2)).toBe(1);
    expect(await begin(1)).toEqual({ waitSeconds: 30 });
  });

  it("from many addresses slow the account down, but not a browser that has signed in to it", async () => {
    expect(await beginMany(40, (at) => ({ address: `198.51.100.${at}` }))).toBe(20);
    expect(isAdmitted(await begin(0, { device: "known" }))).toBe(true);
    expect(isAdmitted(await begin(0, { account: "bob@example.org", address: "198.51.100.200" }))).toBe(true);
    const [slowed, other] = (await given.throttles[0]?.slowedUntil(["ada@example.org", "bob@example.org"])) ?? [];
    expect([slowed, other]).toEqual([now + 15_000, null]);
  });

  it("keep an account waiting for 15 minutes at most, also where the clock was ahead and is put back", async () => {
    expect(await beginMany(5)).toBe(5);
    now -= 8 * 60 * 60_000;
    expect(await begin(0)).toEqual({ waitSeconds: 15 * 60 });
    expect(await given.throttles[0]?.slowedUntil(["ada@example.org"])).toEqual([now + 15 * 60_000]);
  });

  it("are forgotten by the right one, when an admin lifts them, and after a day; an unchecked one does not count", async () => {
    for (let at = 0; at < 4; at += 1) await begin(at);
    const right = await begin(0);
    if (!isAdmitted(right)) throw new Error("The fifth is free");
    await right.succeed();
    expect(await beginMany(30)).toBe(5);
    await given.throttles[0]?.lift("ada@example.org");
    expect(await beginMany(30)).toBe(5);
    now += 25 * 60 * 60_000;
    for (let at = 0; at < 8; at += 1) {
      const unchecked = await begin(at);
      if (isAdmitted(unchecked)) await unchecked.release();
    }
    expect(await beginMany(30)).toBe(5);
  });

  it("leave nothing readable in the database", async () => {
    await begin(0, { account: "typed-a-password-here" });
    const rows = (await given.db?.rows('SELECT * FROM "SignInFailure"')) ?? [];
    expect(rows).toHaveLength(given.db === null ? 0 : 2);
    expect(JSON.stringify(rows)).not.toMatch(/password|192\.0/);
  });
});
