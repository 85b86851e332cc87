import { afterEach, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL as BY } from "../../../lib/contract/access";
import type { LiveEvent } from "../../../lib/contract/live-event";
import { newId } from "../../../lib/execution-id";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { createSecretBox } from "../../platform/auth/secret-box";
import { createSilentBulletin } from "../../platform/coordination/bulletin";
import { createJobs } from "../../platform/coordination/local-jobs";
import type { Database } from "../../platform/db/database";
import { createScratchDatabase, quietLogger } from "../../platform/db/database.test-support";
import { createScratchPostgres, HAS_POSTGRES } from "../../platform/db/postgres/scratch-postgres.test-support";
import { createWebhookStore } from "./db/webhook-store";
import { createWebhookService } from "./webhook-service";

const RECEIVERS = 40;
const EVENTS = 300;
const HOUR = 3_600_000;

const failCall = (index: number): LiveEvent => ({
  type: "execution",
  execution: { id: `exec_${index}`, toolName: "echo", status: "failed", source: "console", parentId: null },
});
const input = (url: string) => ({
  url,
  description: "",
  events: ["execution.failed" as const],
  tools: [],
  enabled: true,
  approverId: null,
});

/** @param answer the status of a receiver; null for none */
async function open(db: Database, answer: (url: string, body: string) => number | null) {
  let aheadMs = 0;
  let added = 0;
  let events = 0;
  const clock = { now: () => Date.now() + aheadMs, elapsed: () => performance.now() };
  const logger = quietLogger();
  const secretBox = await createSecretBox({ secretKey: "k".repeat(32), keyFile: "unused" });
  const stored = createWebhookStore({ db, secretBox });
  const jobs = createJobs({ clock, logger });
  const sent: { url: string; body: string }[] = [];
  const webhooks = createWebhookService({
    jobs,
    logger,
    newId,
    bulletin: createSilentBulletin(),
    store: {
      ...stored,
      async addEvents(rows) {
        const result = await stored.addEvents(rows);
        events += result.added.length;
        return result;
      },
      takeEvents: (webhookId, taking, limit) =>
        stored.takeEvents(
          webhookId,
          {
            ...taking,
            toDelivery(event) {
              added += 1;
              return taking.toDelivery(event);
            },
          },
          limit,
        ),
    },
    now: clock.now,
    publicUrl: null,
    fetch: async (url, { body }) => {
      sent.push({ url, body: String(body) });
      const status = answer(url, String(body));
      if (status === null) throw new Error("connect ECONNREFUSED");
      return new Response(null, { status });
    },
    userAgent: "test",
    onChange: () => undefined,
    audit: { record: async () => undefined } as never,
    createApprovalLink: () => null,
    channels: {
      findConfirmation: async () => null,
      confirm: async () => undefined,
      withdraw: async () => undefined,
    },
    explainApprover: async () => null,
    readServer: () => null,
  });
  await jobs.start();
  closing.push(() => jobs.stop());
  /** Jobs look at the clock when one is put. */
  async function letPass(ms: number): Promise<void> {
    aheadMs += ms;
    await jobs.runNow("webhooks.deliver");
  }
  const readQueue = async () => (await jobs.queues()).find(({ kind }) => kind === "webhooks.deliver");
  const countRows = async (where: string): Promise<number> =>
    Number((await db.row<{ count: bigint }>(`SELECT COUNT(*) AS "count" FROM ${where}`))?.count ?? 0);
  /** Deliveries that are not over, and events without one. */
  async function countPending(): Promise<number> {
    const waiting = (await webhooks.list(BY)).reduce((sum, webhook) => sum + webhook.waiting, 0);
    return waiting + (await countRows(`"WebhookDelivery" WHERE "status" = 'pending'`));
  }
  return {
    webhooks,
    stored,
    jobs,
    sent,
    letPass,
    readQueue,
    countPending,
    countStoredEvents: () => events,
    countTaken: () => added,
    countEvents: () => countRows(`"WebhookEvent"`),
  };
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function openSqlite(): Promise<Database> {
  const scratch = await createScratchDatabase();
  closing.push(() => scratch.remove());
  return scratch.db;
}

async function openPostgres(): Promise<Database> {
  const scratch = await createScratchPostgres();
  closing.push(() => scratch.remove());
  return scratch.db;
}

const KINDS = HAS_POSTGRES
  ? ([
      ["SQLite", openSqlite],
      ["PostgreSQL", openPostgres],
    ] as const)
  : ([["SQLite", openSqlite]] as const);

describe.each(KINDS)("receivers that fail, on %s", (_kind, openDatabase) => {
  it("cost each event one row in all: 40 dead ones get a few attempts and one job each, and every event waits for each", async () => {
    const opened = await open(await openDatabase(), () => null);
    const { webhooks, sent, readQueue, countPending, countStoredEvents, countTaken } = opened;
    for (let index = 0; index < RECEIVERS; index += 1) await webhooks.create(BY, input(`http://127.0.0.1:9/${index}`));
    for (let index = 0; index < EVENTS; index += 1) {
      webhooks.notice(failCall(index));
      if (index % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await waitUntil(async () => expect(await countPending()).toBe(RECEIVERS * EVENTS), { timeoutMs: 30_000 });
    await waitUntil(async () => expect(await readQueue()).toMatchObject({ running: 0 }));
    expect((await readQueue())?.waiting).toBeLessThanOrEqual(RECEIVERS);
    expect(sent.length).toBeLessThanOrEqual(10 * RECEIVERS);
    expect(countStoredEvents()).toBe(EVENTS);
    // The first batch before it fails, then one for each attempt.
    expect(countTaken()).toBeLessThanOrEqual(sent.length + RECEIVERS * 20);
  }, 60_000);

  it("get everything once they answer again, and each event once", async () => {
    let isDown = true;
    const { webhooks, sent, letPass, readQueue, countPending } = await open(await openDatabase(), () =>
      isDown ? 503 : 204,
    );
    const { id } = await webhooks.create(BY, input("http://127.0.0.1:9/"));
    for (let index = 0; index < 50; index += 1) webhooks.notice(failCall(index));
    await waitUntil(async () => expect(await countPending()).toBe(50));
    await waitUntil(async () => expect(await readQueue()).toMatchObject({ running: 0, waiting: 1 }));
    const resting = await webhooks.deliveries(BY, id);
    expect(resting[0]).toMatchObject({ status: "pending", nextAt: expect.any(Number) });
    expect(await webhooks.list(BY)).toMatchObject([{ waiting: 50 - resting.length }]);
    isDown = false;
    await waitUntil(async () => {
      await letPass(HOUR);
      expect(await countPending()).toBe(0);
    });
    const delivered = sent.slice(-50).map(({ body }) => JSON.parse(body).data.execution);
    expect(new Set(delivered).size).toBe(50);
    expect(await webhooks.deliveries(BY, id)).toMatchObject(
      Array.from({ length: 50 }, () => ({ status: "delivered" })),
    );
  });

  it("that reject one event get the others meanwhile", async () => {
    const { webhooks, letPass, countPending } = await open(await openDatabase(), (_url, body) =>
      body.includes('"exec_0"') ? 400 : 204,
    );
    const { id } = await webhooks.create(BY, input("http://127.0.0.1:9/"));
    for (let index = 0; index < 30; index += 1) webhooks.notice(failCall(index));
    await waitUntil(async () => {
      await letPass(1_000);
      const found = await webhooks.deliveries(BY, id);
      expect(found.filter(({ status }) => status === "delivered")).toHaveLength(29);
    });
    expect(await countPending()).toBe(1);
  });

  it("for a day are disabled, and what was pending for them ends", async () => {
    const { webhooks, sent, letPass, readQueue, countPending } = await open(await openDatabase(), () => 500);
    const { id } = await webhooks.create(BY, input("http://127.0.0.1:9/"));
    for (let index = 0; index < 20; index += 1) webhooks.notice(failCall(index));
    await waitUntil(async () => expect(await countPending()).toBe(20));
    await waitUntil(async () => {
      await letPass(HOUR);
      expect(await webhooks.list(BY)).toMatchObject([
        { enabled: false, disabledReason: expect.stringContaining("500") },
      ]);
    });
    await waitUntil(async () => expect(await countPending()).toBe(0));
    await waitUntil(async () => expect(await readQueue()).toMatchObject({ running: 0, waiting: 0 }));
    const ended = await webhooks.deliveries(BY, id);
    expect(ended).toMatchObject(Array.from({ length: 20 }, () => ({ status: "failed" })));
    const before = sent.length;
    webhooks.notice(failCall(99));
    await letPass(HOUR);
    expect(sent).toHaveLength(before);
  });

  it("and rest are asked at once for a delivery that an admin sends again", async () => {
    let isDown = true;
    const { webhooks, sent, readQueue } = await open(await openDatabase(), () => (isDown ? null : 204));
    const { id } = await webhooks.create(BY, input("http://127.0.0.1:9/"));
    webhooks.notice(failCall(0));
    await waitUntil(async () => expect(await webhooks.deliveries(BY, id)).toMatchObject([{ attempts: 1 }]));
    await waitUntil(async () => expect(await readQueue()).toMatchObject({ running: 0, waiting: 1 }));
    isDown = false;
    const [delivery] = await webhooks.deliveries(BY, id);
    await webhooks.retry(BY, delivery?.id ?? "");
    await waitUntil(async () => expect(await webhooks.deliveries(BY, id)).toMatchObject([{ status: "delivered" }]));
    expect(sent).toHaveLength(2);
  });

  it("keep the first 1,000 events that wait for each, and none that no webhook waits for", async () => {
    const { webhooks, stored, letPass, countEvents } = await open(await openDatabase(), (url) =>
      url.endsWith("/up") ? 204 : null,
    );
    const { id: dead } = await webhooks.create(BY, input("http://127.0.0.1:9/down"));
    const { id: other } = await webhooks.create(BY, {
      ...input("http://127.0.0.1:9/down"),
      events: ["run.failed" as const],
    });
    const { id: live } = await webhooks.create(BY, input("http://127.0.0.1:9/up"));
    await webhooks.publish({ event: "run.failed", identity: "run_1", data: { run: "run_1" } });
    const total = 1_300;
    for (let begun = 0; begun < total; begun += 100) {
      const indexes = Array.from({ length: 100 }, (_, index) => begun + index);
      await Promise.all(
        indexes.map((index) =>
          webhooks.publish({ event: "execution.failed", tool: "echo", identity: `${index}`, data: { index } }),
        ),
      );
    }
    await waitUntil(async () => {
      await letPass(0);
      expect((await webhooks.list(BY)).find(({ id }) => id === live)?.waiting).toBe(0);
    });
    const wanted = { events: ["execution.failed" as const], tools: [] };
    const { overfull } = await stored.pruneEvents();
    expect(overfull).toEqual([dead]);
    expect(await stored.countWaiting(dead, wanted)).toBe(1_000);
    expect(await stored.countWaiting(other, { events: ["run.failed"], tools: [] })).toBeLessThanOrEqual(1);
    expect(await countEvents()).toBeLessThanOrEqual(1_001);
    await webhooks.delete(BY, dead);
    await stored.pruneEvents();
    expect(await countEvents()).toBeLessThanOrEqual(1);
  }, 60_000);

  it("get the events that waited before their settings were changed, and none from before they were enabled", async () => {
    let isDown = true;
    const { webhooks, letPass, countPending, countStoredEvents } = await open(await openDatabase(), () =>
      isDown ? null : 204,
    );
    const { id } = await webhooks.create(BY, input("http://127.0.0.1:9/"));
    // Keeps events in the database that the first one leaves out.
    await webhooks.create(BY, { ...input("http://127.0.0.1:9/other"), events: ["execution.failed", "run.failed"] });
    const failRun = (run: string) => webhooks.publish({ event: "run.failed", identity: run, data: { run } });
    for (let index = 0; index < 5; index += 1) webhooks.notice(failCall(index));
    await waitUntil(() => expect(countStoredEvents()).toBe(5));
    await failRun("run_before");
    await webhooks.update(BY, id, { ...input("http://127.0.0.1:9/"), events: ["run.failed"] });
    await failRun("run_after");
    webhooks.notice(failCall(5));
    await waitUntil(() => expect(countStoredEvents()).toBe(8));
    isDown = false;
    await waitUntil(async () => {
      await letPass(HOUR);
      expect(await countPending()).toBe(0);
    });
    const arrived = async () =>
      (await webhooks.deliveries(BY, id)).map(({ body, status }) => {
        const { data } = JSON.parse(body);
        return `${data.execution ?? data.run} ${status}`;
      });
    const first = [0, 1, 2, 3, 4].map((index) => `exec_${index} delivered`);
    expect((await arrived()).sort()).toEqual([...first, "run_after delivered"].sort());
    await webhooks.update(BY, id, { ...input("http://127.0.0.1:9/"), events: ["run.failed"], enabled: false });
    await failRun("run_disabled");
    await webhooks.update(BY, id, { ...input("http://127.0.0.1:9/"), events: ["run.failed"] });
    await failRun("run_enabled");
    await waitUntil(async () => {
      await letPass(0);
      expect(await arrived()).toContain("run_enabled delivered");
    });
    expect(await arrived()).not.toContain("run_disabled delivered");
  });

  it("keep the newest 200 deliveries that have ended", async () => {
    const { webhooks, stored, countPending } = await open(await openDatabase(), () => 204);
    const { id } = await webhooks.create(BY, input("http://127.0.0.1:9/"));
    for (let index = 0; index < 260; index += 1) webhooks.notice(failCall(index));
    await waitUntil(async () => {
      expect(await countPending()).toBe(0);
      expect((await stored.deliveries(id, 1_000)).length).toBe(200);
    });
  });
});
