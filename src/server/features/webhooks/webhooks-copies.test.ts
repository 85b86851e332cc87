import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL as BY } from "../../../lib/contract/access";
import type { LiveEvent } from "../../../lib/contract/live-event";
import { newId } from "../../../lib/execution-id";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { systemClock } from "../../create-tool-engine";
import { createSecretBox } from "../../platform/auth/secret-box";
import { type Bulletin, createSilentBulletin, type Topic } from "../../platform/coordination/bulletin";
import { createJobs } from "../../platform/coordination/local-jobs";
import { quietLogger } from "../../platform/db/database.test-support";
import { createPostgresJobs } from "../../platform/db/postgres/postgres-jobs";
import {
  createScratchPostgres,
  HAS_POSTGRES,
  type ScratchPostgres,
} from "../../platform/db/postgres/scratch-postgres.test-support";
import { createWebhookStore } from "./db/webhook-store";
import { createWebhookService } from "./webhook-service";

const failed: LiveEvent = {
  type: "execution",
  execution: { id: "exec_1", toolName: "echo", status: "failed", source: "console", parentId: null },
};
const input = (url: string) => ({
  url,
  description: "",
  events: ["execution.failed" as const, "server.disconnected" as const],
  tools: [],
  enabled: true,
  approverId: null,
});

/** Every topic reaches the other instances, which are asked one after another. */
function createBulletins() {
  const handlers: { of: Bulletin; topic: string; handle: (body: never) => unknown }[] = [];
  return (): Bulletin => {
    async function tell(topic: Topic<never, unknown>, body: unknown): Promise<never[]> {
      const others = handlers.filter(({ of, topic: name }) => of !== bulletin && name === topic.name);
      for (const { handle } of others) await handle(body as never);
      return [];
    }
    const bulletin: Bulletin = {
      ...createSilentBulletin(),
      post: (topic, body) => void tell(topic as Topic<never>, body),
      ask: (topic, body) => tell(topic as Topic<never>, body),
      on: (topic, handle) =>
        void handlers.push({ of: bulletin, topic: topic.name, handle: (body) => handle(body, "") }),
    };
    return bulletin;
  };
}

describe.skipIf(!HAS_POSTGRES)("webhooks of two instances of the server", () => {
  let scratch: ScratchPostgres;
  let receiver: ReturnType<typeof createServer>;
  const received: string[] = [];
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    scratch = await createScratchPostgres();
    receiver = createServer((request, response) => {
      received.push(String(request.headers["webhook-id"]));
      request.resume().on("end", () => response.writeHead(204).end());
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    for (const close of closing) await close();
    receiver.closeAllConnections();
    receiver.close();
    await scratch.remove();
  });

  const secretBox = createSecretBox({ secretKey: "k".repeat(32), keyFile: "unused" });
  const createStore = async () => createWebhookStore({ db: scratch.db, secretBox: await secretBox });
  const tell = createBulletins();

  async function start() {
    const logger = quietLogger();
    const bulletin = tell();
    const local = createJobs({ clock: systemClock, logger });
    const jobs = createPostgresJobs({ db: scratch.db, bulletin, clock: systemClock, logger, local });
    let status = "connected";
    const webhooks = createWebhookService({
      jobs,
      bulletin,
      logger,
      newId,
      store: await createStore(),
      now: systemClock.now,
      publicUrl: null,
      fetch,
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
      readServer: () => ({ status, reason: null, heldCount: 0 }),
    });
    await webhooks.load();
    await jobs.start();
    closing.push(() => jobs.stop());
    function disconnect(): void {
      webhooks.notice({ type: "servers", server: "files" });
      status = "disconnected";
      webhooks.notice({ type: "servers", server: "files" });
    }
    return { webhooks, disconnect };
  }

  it("a webhook is known to each at once, and an event that both notice is sent once; a lost instance's delivery goes out from another", async () => {
    const one = await start();
    const other = await start();
    const { id } = await one.webhooks.create(
      BY,
      input(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`),
    );
    expect(await other.webhooks.list(BY)).toMatchObject([{ id }]);
    for (const { webhooks } of [one, other]) webhooks.notice(failed);
    for (const { disconnect } of [one, other]) disconnect();
    const read = () => other.webhooks.deliveries(BY, id);
    await waitUntil(async () =>
      expect(await read()).toMatchObject([
        { status: "delivered", attempts: 1 },
        { status: "delivered", attempts: 1 },
      ]),
    );
    expect(received).toHaveLength(2);
    const [delivery] = await read();
    if (delivery === undefined) throw new Error("There is no delivery");
    const store = await createStore();
    // Noted by an instance that ended before it ordered the attempt.
    await store.addDeliveries([{ ...delivery, id: "msg_left", status: "pending", attempts: 0, nextAt: 1 }]);
    await other.webhooks.resume();
    await waitUntil(() => expect(received).toContain("msg_left"));
    await waitUntil(async () => expect((await read())[0]).toMatchObject({ id: "msg_left", status: "delivered" }));
    // The attempt ends late, after another instance has made it.
    const late = { status: "pending", attempts: 1, lastAt: 1, nextAt: 2, responseStatus: null, error: "late" } as const;
    expect(await store.updateDelivery("msg_left", late, 0)).toBe(false);
    expect(new Set(received).size).toBe(3);
  });

  it("an event that a lost instance stored goes out from another once, also where others notice it late and under the next name", async () => {
    const one = await start();
    const other = await start();
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const { id } = await one.webhooks.create(BY, { ...input(url), events: ["run.failed"] });
    const read = () => other.webhooks.deliveries(BY, id);
    const store = await createStore();
    const left = { event: "run.failed", tool: null, createdAt: systemClock.now(), data: { run: "run_left" } } as const;
    const added = await Promise.all([
      store.addEvents([{ ...left, identity: "run_left 1", earlier: null }]),
      (await createStore()).addEvents([{ ...left, identity: "run_left 1", earlier: null }]),
    ]);
    expect(added.flatMap((result) => result.added)).toHaveLength(1);
    expect((await store.addEvents([{ ...left, identity: "run_left 2", earlier: "run_left 1" }])).added).toEqual([]);
    await Promise.all([one.webhooks.resume(), other.webhooks.resume()]);
    await waitUntil(async () => expect((await read())[0]).toMatchObject({ event: "run.failed", status: "delivered" }));
    // Noticed again after every webhook has it, and it was deleted.
    await store.pruneEvents();
    expect((await store.addEvents([{ ...left, identity: "run_left 2", earlier: "run_left 1" }])).added).toHaveLength(1);
    await one.webhooks.resume();
    await waitUntil(async () => expect(await store.listBehind()).toEqual([]));
    expect((await read()).filter(({ event }) => event === "run.failed")).toHaveLength(1);
  });
});
