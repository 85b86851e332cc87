import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { administer, HAS_POSTGRES } from "../../db/postgres/scratch-postgres.test-support";
import { createTopic } from "../bulletin";
import { openInstances, STEADY, type TestInstance } from "./coordination-copies.test-support";

const NUMBER = createTopic<number>("test.number");
const SUM = createTopic<number, number>("test.sum");

/**
 * Commits come out of order: what is written takes up to some milliseconds more until others see it, another time for each, while another
 * transaction of the same server stays open all the time.
 */
async function disturb(url: string): Promise<void> {
  await administer(
    url,
    `CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(random() * 0.004); RETURN NULL; END $$`,
    `CREATE CONSTRAINT TRIGGER late AFTER INSERT ON "Bulletin" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION dawdle()`,
  );
}

// 2,000 commits, each of which waits for the one before it.
const SLOW = { timeout: 120_000 };

describe.skipIf(!HAS_POSTGRES)("what instances tell each other", () => {
  it(
    "reaches every other copy once and in the order of each, although thousands of commits become visible out of order",
    SLOW,
    async () => {
      const { copies, url, open } = await openInstances(3, { ...STEADY, batchMs: 0 });
      await disturb(url);
      // As behind a pooler that passes no notifications on.
      copies.push(await open({ pollMs: 5 }));
      const ids = copies.map(({ copies: { self } }) => self.id);
      const heard = copies.map(() => new Map(ids.map((id) => [id, [] as number[]])));
      const wakers = new Map<string, () => void>();
      for (const [at, { bulletin }] of copies.entries()) {
        bulletin.on(NUMBER, (body, from) => {
          heard[at]?.get(from)?.push(body);
          wakers.get(`${from} ${body}`)?.();
        });
      }
      const numbers = Array.from({ length: 500 }, (_, at) => at);
      const write = async ({ bulletin, copies: { self } }: TestInstance): Promise<void> => {
        for (const number of numbers) {
          // One commit for each: the next is said when another instance has heard this one.
          const reached = new Promise<void>((resolve) => wakers.set(`${self.id} ${number}`, resolve));
          bulletin.post(NUMBER, number);
          await reached;
          if (number === 250) await administer(url, END_LISTENERS);
        }
      };
      await Promise.all(copies.map(write));
      const expected = (self: number) => new Map(ids.map((id, at) => [id, at === self ? [] : numbers]));
      await waitUntil(() => expect(heard).toEqual(copies.map((_, at) => expected(at))));
      const [{ batches } = { batches: 0 }] = await query<{ batches: string }>(
        url,
        `SELECT count(*) AS batches FROM "Bulletin"`,
      );
      expect(Number(batches)).toBeGreaterThanOrEqual(copies.length * numbers.length);
    },
  );

  it("is not held up by a transaction that stays open", async () => {
    const { copies, url } = await openInstances(2);
    const writer = new pg.Client({ connectionString: url });
    await writer.connect();
    onTestFinished(() => writer.end());
    await writer.query(`BEGIN; CREATE TABLE "Held" (n int)`);
    const heard: number[] = [];
    copies[1]?.bulletin.on(NUMBER, (body) => void heard.push(body));
    copies[0]?.bulletin.post(NUMBER, 1);
    await waitUntil(() => heard.length === 1);
  });

  it("gives the answers of all when it is asked, without those that have none and those that fail", async () => {
    const { copies } = await openInstances(3);
    const [first, second, third] = copies;
    second?.bulletin.on(SUM, (body) => body + 1);
    third?.bulletin.on(SUM, async (body) => {
      if (body > 10) throw new Error("too large");
      return body + 2;
    });
    expect((await first?.bulletin.ask(SUM, 10))?.toSorted()).toEqual([11, 12]);
    expect(await first?.bulletin.ask(SUM, 20)).toEqual([21]);
    expect(await second?.bulletin.ask(SUM, 5)).toEqual([7]);
  });

  it("does not wait for an instance that is lost while it is asked, nor beyond the limit for one that takes long", async () => {
    const { copies } = await openInstances(3);
    const [first, second, third] = copies;
    second?.bulletin.on(SUM, (body) => body);
    third?.bulletin.on(SUM, () => new Promise<number>(() => undefined));
    expect(await first?.bulletin.ask(SUM, 1, 2_000)).toEqual([1]);
    expect(await first?.bulletin.ask(SUM, 2, 60_000, () => true)).toEqual([2]);
    const asked = first?.bulletin.ask(SUM, 3, 60_000);
    await third?.copies.close();
    expect(await asked).toEqual([3]);
  });

  it("says that something is missing where it was deleted before it was read", async () => {
    const { copies, url } = await openInstances(2, { ...STEADY, pollMs: 60_000 });
    let gaps = 0;
    const heard: number[] = [];
    copies[1]?.bulletin.onGap(() => {
      gaps += 1;
    });
    copies[1]?.bulletin.on(NUMBER, (body) => void heard.push(body));
    await administer(
      url,
      "CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",
      `CREATE TRIGGER lost BEFORE INSERT ON "Bulletin" FOR EACH ROW WHEN (NEW."posts" LIKE '%test.number%') EXECUTE FUNCTION lose()`,
    );
    copies[0]?.bulletin.post(NUMBER, 1);
    await copies[0]?.bulletin.ask(SUM, 0, 100);
    await copies[0]?.bulletin.ask(SUM, 0);
    expect([gaps, heard]).toEqual([1, []]);
  });
});

/** Several run at once, and the text of each holds the words that it looks for. */
const END_LISTENERS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND (query LIKE 'LISTEN%' OR query LIKE '%CROSS JOIN LATERAL%') AND query NOT LIKE '%pg_terminate_backend%'`;

async function query<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}
