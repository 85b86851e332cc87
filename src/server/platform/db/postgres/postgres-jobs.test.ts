import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import type { Clock } from "../../../engine/ports";
import { type Bulletin, createSilentBulletin } from "../../coordination/bulletin";
import type { JobHandler, JobMonitor, Jobs } from "../../coordination/jobs";
import { describeJobMonitor, describeJobs } from "../../coordination/jobs.test-support";
import { createJobs } from "../../coordination/local-jobs";
import type { PostgresDatabase } from "../database";
import { quietLogger } from "../database.test-support";
import { openPostgres } from "./postgres-database";
import { createPostgresJobs } from "./postgres-jobs";
import { createPostgresDatabase, HAS_POSTGRES } from "./scratch-postgres.test-support";

const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };
const HOUR = 3_600_000;
/** Short, so that a test sees a takeover. */
const HOLD_MS = 3_000;

/** Instances tell each other within this process. */
function createBulletins(): () => Bulletin {
  const handlers: { of: Bulletin; handle: () => unknown }[] = [];
  return () => {
    const bulletin: Bulletin = {
      ...createSilentBulletin(),
      on: (_topic, handle) => void handlers.push({ of: bulletin, handle: () => handle(null as never, "") }),
      post: () => {
        for (const { of, handle } of handlers) if (of !== bulletin) setImmediate(handle);
      },
    };
    return bulletin;
  };
}

describe.skipIf(!HAS_POSTGRES)("jobs over the instances of a server", () => {
  let scratch: Awaited<ReturnType<typeof createPostgresDatabase>>;
  let db: PostgresDatabase;
  const opened: (Jobs & JobMonitor)[] = [];
  const open = () => openPostgres({ url: scratch.url, logger: quietLogger() });

  beforeAll(async () => {
    scratch = await createPostgresDatabase({ migrated: false });
    db = await open();
  });
  afterAll(async () => {
    await db.close();
    await scratch.remove();
  });
  afterEach(async () => {
    for (const jobs of opened.splice(0)) await jobs.stop();
    await db.pool.query("DELETE FROM pgboss.job; DELETE FROM pgboss.archive");
  });

  function create(clock: Clock, more: { db?: PostgresDatabase; bulletin?: Bulletin; holdMs?: number } = {}) {
    const logger = quietLogger();
    const local = createJobs({ clock, logger });
    const jobs = createPostgresJobs({ db, bulletin: createSilentBulletin(), clock, logger, local, ...more });
    opened.push(jobs);
    return jobs;
  }

  describeJobs(create, async (ms) => {
    await db.pool.query("UPDATE pgboss.job SET start_after = start_after - $1::float8 * interval '1 ms'", [ms]);
  });
  describeJobMonitor(create);

  it("instances that start together on an empty database create the tables once", async () => {
    const empty = await createPostgresDatabase({ migrated: false });
    const copies = await Promise.all(
      Array.from({ length: 3 }, () => openPostgres({ url: empty.url, logger: quietLogger() })),
    );
    const runs: string[] = [];
    const all = copies.map((copy, at) => {
      const jobs = create(systemClock, { db: copy });
      for (const kind of ["a", "b", "c"]) jobs.handle(`${kind}${at}`, async () => undefined);
      jobs.handle("webhook", async ({ key }) => void runs.push(key));
      return jobs;
    });
    await Promise.all(all.map((jobs) => jobs.start()));
    await all[0]?.schedule({ kind: "webhook", key: "one", runAt: 0 });
    await waitUntil(() => expect(runs).toEqual(["one"]));
    for (const jobs of all) await jobs.stop();
    for (const copy of copies) await copy.close();
    await empty.remove();
  });

  it("any instance runs a job, each once, and any text comes back as it was given", async () => {
    const runs: string[] = [];
    const tell = createBulletins();
    const handler: JobHandler = async ({ key, payload }) => void runs.push(`${key} ${payload}`);
    const copies = [0, 1].map(() => create(systemClock, { bulletin: tell() }));
    for (const jobs of copies) {
      jobs.handle("webhook", handler);
      await jobs.start();
    }
    const keys = Array.from({ length: 40 }, (_, at) => `\0${at}\ud800`);
    await Promise.all(
      keys.map((key, at) => copies[at % 2]?.schedule({ kind: "webhook", key, payload: `"${key}"`, runAt: 0 })),
    );
    const isText = (key: string): string => key.toWellFormed();
    await waitUntil(() => expect(runs).toHaveLength(40));
    expect(runs.toSorted()).toEqual(keys.map((key) => `${isText(key)} "${isText(key)}"`).toSorted());
  });

  it("a key has one worker over all instances; ordered at another instance while it runs, it runs again", async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const ends: (() => void)[] = [];
    const handler: JobHandler = async () => {
      running += 1;
      runs += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
      return undefined;
    };
    const tell = createBulletins();
    const [one, other] = [0, 1].map(() => create(systemClock, { bulletin: tell() }));
    for (const jobs of [one, other]) {
      jobs?.handle("webhook", handler);
      await jobs?.start();
    }
    const order = (jobs = one) => jobs?.schedule({ kind: "webhook", key: "same", runAt: Date.now() });
    await order();
    await waitUntil(() => expect(runs).toBe(1));
    for (const jobs of [one, other, one, other]) await order(jobs);
    expect(runs).toBe(1);
    for (const end of ends.splice(0)) end();
    await waitUntil(() => expect(runs).toBe(2));
    for (const end of ends.splice(0)) end();
    await waitUntil(() => expect(running).toBe(0));
    await waitUntil(async () =>
      expect((await other?.queues())?.find(({ kind }) => kind === "webhook")).toMatchObject({
        waiting: 0,
        succeeded: 2,
      }),
    );
    expect([runs, most]).toEqual([2, 1]);
  });

  it("what one instance cannot run is run by another at once, and what stops is handed on", async () => {
    const tell = createBulletins();
    const [draining, living] = [0, 1].map(() => create(systemClock, { bulletin: tell() }));
    const runs: string[] = [];
    draining?.handle("webhook", async ({ key, attempts, signal }) => {
      runs.push(`first ${key} ${attempts}`);
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      return undefined;
    });
    await draining?.start();
    await draining?.schedule({ kind: "webhook", key: "one", runAt: 0 });
    await waitUntil(() => expect(runs).toEqual(["first one 1"]));
    living?.handle("webhook", async ({ key, attempts }) => void runs.push(`then ${key} ${attempts}`));
    living?.handle("only there", async ({ key }) => void runs.push(key));
    await living?.start();
    await draining?.stop();
    await waitUntil(() => expect(runs).toContain("then one 1"));
    await draining?.schedule({ kind: "only there", key: "two", runAt: 0 });
    await waitUntil(() => expect(runs).toContain("two"));
  });

  it("a clock that is put back lets neither repeated work nor the job of a lost worker wait for the old time", async () => {
    const jobs = create(systemClock, { holdMs: HOLD_MS });
    const ran: string[] = [];
    jobs.handle("webhook", async ({ key }) => void ran.push(key));
    jobs.repeat("sweep", HOUR, async () => void ran.push("sweep"));
    await jobs.start();
    await jobs.stop();
    // As a worker that ended left it, by a clock that was 8 hours ahead.
    await db.pool.query(
      `INSERT INTO pgboss.job (name, singleton_key, id, data, state, started_on, expire_in, start_after)
       VALUES ('webhook', 'lost', gen_random_uuid(), '{"key":"lost","payload":null}', 'active', now() + interval '8 hours', interval '15 s', now())`,
    );
    await db.pool.query("UPDATE pgboss.job SET start_after = start_after + interval '8 hours' WHERE name = 'sweep'");
    const again = create(systemClock, { holdMs: HOLD_MS });
    again.handle("webhook", async ({ key }) => void ran.push(key));
    again.repeat("sweep", HOUR, async () => void ran.push("sweep"));
    await again.start();
    await waitUntil(() => expect(ran).toContain("lost"));
    const sweep = (await again.queues()).find(({ kind }) => kind === "sweep");
    expect(sweep?.nextRunAt).toBeLessThanOrEqual(Date.now() + HOUR + 60_000);
  });

  it("a lost instance's job is taken over, and its late end changes nothing", async () => {
    const lostDb = await open();
    const lost = create(systemClock, { db: lostDb, holdMs: HOLD_MS });
    const living = create(systemClock, { holdMs: HOLD_MS });
    const ends: (() => void)[] = [];
    const aborted: string[] = [];
    lost.handle("webhook", async ({ signal }) => {
      signal.addEventListener("abort", () => aborted.push(String(signal.reason)));
      await new Promise<void>((resolve) => ends.push(resolve));
      return { runAt: 0 };
    });
    await lost.start();
    await lost.schedule({ kind: "webhook", key: "one", runAt: 0 });
    await waitUntil(() => expect(ends).toHaveLength(1));
    const runs: number[] = [];
    living.handle("webhook", async ({ attempts }) => void runs.push(attempts));
    await living.start();
    // It gives signs of life for longer than it could be silent.
    const readHold = "SELECT extract(epoch FROM expire_in) * 1000 AS hold FROM pgboss.job WHERE name = 'webhook'";
    await waitUntil(async () =>
      expect((await db.pool.query<{ hold: number }>(readHold)).rows[0]?.hold).toBeGreaterThan(1.5 * HOLD_MS),
    );
    expect(runs).toEqual([]);
    const query = lostDb.pool.query.bind(lostDb.pool);
    Object.assign(lostDb.pool, { query: () => Promise.reject(new Error("frozen")) });
    await waitUntil(() => expect(runs).toEqual([2]));
    expect(aborted).toEqual([expect.stringContaining("may have taken this job over")]);
    Object.assign(lostDb.pool, { query });
    for (const end of ends) end();
    await lost.stop();
    await lostDb.close();
    const queues = await living.queues();
    expect(queues).toMatchObject([{ kind: "webhook", waiting: 0, running: 0, succeeded: 1, failures: [] }]);
  });

  it("what repeats does so once in its time over all instances, also when one starts later", async () => {
    const runs: number[] = [];
    const start = async (at: number, everyMs = HOUR) => {
      const jobs = create(systemClock);
      jobs.repeat("digest", everyMs, async () => void runs.push(at));
      jobs.handle("webhook", async ({ key }) => void runs.push(Number(key)));
      await jobs.start();
      return jobs;
    };
    const find = async (jobs: JobMonitor) => (await jobs.queues()).find(({ kind }) => kind === "digest");
    const first = await start(1);
    expect(await first.runNow("digest")).toBe(1);
    await waitUntil(async () => expect(await find(first)).toMatchObject({ succeeded: 1, waiting: 1 }));
    const second = await start(2);
    await second.schedule({ kind: "webhook", key: "7", runAt: 0 });
    await waitUntil(() => expect(runs).toEqual([1, 7]));
    expect((await find(second))?.nextRunAt ?? 0).toBeGreaterThan(Date.now() + HOUR / 2);
    // A version that repeats it more often does so from its start on.
    const third = await start(3, HOUR / 4);
    expect((await find(third))?.nextRunAt ?? HOUR).toBeLessThan(Date.now() + HOUR / 2);
  });

  it("what is about a process's own memory runs in each", async () => {
    const runs: number[] = [];
    for (const at of [0, 1]) {
      const jobs = create(systemClock);
      jobs.handle("recheck", async () => void runs.push(at), { perInstance: true });
      await jobs.start();
      await jobs.schedule({ kind: "recheck", key: "all", runAt: 0 });
    }
    await waitUntil(() => expect(runs.toSorted()).toEqual([0, 1]));
  });

  it("goes on after the database was away", async () => {
    const runs: string[] = [];
    const jobs = create(systemClock);
    jobs.handle("webhook", async ({ key }) => void runs.push(key));
    await jobs.start();
    await db.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()",
    );
    await waitUntil(() => jobs.schedule({ kind: "webhook", key: "one", runAt: 0 }));
    await waitUntil(() => expect(runs).toContain("one"));
  });
});
