import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TranscriptQuery } from "../../../lib/contract";
import { waitUntil } from "../../../lib/wait-until.test-support";
import type { Coordination } from "../../coordination/coordination";
import { createTestCoordination } from "../../db/coordination.test-support";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../db/database.test-support";
import type { Webhook, WebhookFailure } from "./transcript-ports";
import type { StoredQuery } from "./transcript-store";
import { createWebhookDeliveries } from "./webhook-deliveries";

const BUSY: WebhookFailure = { ok: false, reason: "It answered with status 503", retry: true };
const clock = { now: Date.now, elapsed: () => performance.now() };

let scratch: ScratchDatabase;
const copies: Coordination[] = [];
beforeEach(async () => {
  scratch = await createScratchDatabase();
});
afterEach(async () => {
  for (const copy of copies.splice(0)) {
    await copy.stop();
    await copy.close();
  }
  await scratch.remove();
});

/** The stored state of one query, which all processes share. */
function createQuery() {
  const states: TranscriptQuery["webhook"][] = [];
  const query = { id: "query_1", transcriptId: "transcript_1", text: "what?", answer: "That." };
  const webhook = (): TranscriptQuery["webhook"] => states.at(-1) ?? { state: "none", attempts: 0, error: null };
  const store = {
    webhookUrl: async () => "https://example.org",
    findQuery: async () => ({ ...query, webhook: webhook() }) as StoredQuery,
    setWebhook: async (_id: string, state: TranscriptQuery["webhook"]) => void states.push(state),
  };
  return { states, store };
}

async function start(outcomes: Awaited<ReturnType<Webhook["post"]>>[], pausesMs = [1, 1], query = createQuery()) {
  const changed = vi.fn();
  const post = vi.fn<Webhook["post"]>(async () => outcomes.shift() ?? { ok: true });
  const coordination = createTestCoordination(scratch.db);
  copies.push(coordination);
  await coordination.join();
  const { jobs } = coordination;
  const ports = { store: query.store, webhook: { post }, jobs, clock, logger: quietLogger(), onChange: changed };
  const deliveries = createWebhookDeliveries({ ...ports, pausesMs });
  await coordination.start();
  return { deliveries, states: query.states, post, changed, coordination };
}
const ended = (states: TranscriptQuery["webhook"][]) =>
  waitUntil(() => expect(states.at(-1)?.state).not.toBe("pending"));

describe("telling a webhook", () => {
  it("AGT-13 tries again after a failure that may pass, three times in all, its state kept each time", async () => {
    const { deliveries, states, post, changed } = await start([BUSY, BUSY, BUSY, { ok: true }]);
    await deliveries.deliver("query_1");
    await ended(states);
    expect(states.map(({ state, attempts }) => [state, attempts])).toEqual([
      ["pending", 0],
      ["pending", 1],
      ["pending", 2],
      ["failed", 3],
    ]);
    expect(states.at(-1)?.error).toBe("It answered with status 503");
    expect(post).toHaveBeenCalledTimes(3);
    expect(changed).toHaveBeenCalledTimes(4);
  });

  it("AGT-13 stops at the first success, and at a failure that will not pass", async () => {
    const passing = await start([BUSY, { ok: true }]);
    await passing.deliveries.deliver("query_1");
    await ended(passing.states);
    expect(passing.states.at(-1)).toEqual({ state: "delivered", attempts: 2, error: null });
    await passing.coordination.stop();
    const lasting = await start([{ ...BUSY, retry: false }]);
    await lasting.deliveries.deliver("query_1");
    await ended(lasting.states);
    expect(lasting.post).toHaveBeenCalledTimes(1);
  });

  it("AGT-13 tells of one answer once at a time, and leaves it pending when the server stops", async () => {
    const stuck = await start([]);
    stuck.post.mockImplementation(
      (_url, _body, signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve({ ...BUSY, reason: "It could not be reached" }));
        }),
    );
    await stuck.deliveries.deliver("query_1");
    await waitUntil(() => expect(stuck.post).toHaveBeenCalledTimes(1));
    await stuck.deliveries.deliver("query_1");
    await stuck.coordination.stop();
    expect(stuck.post).toHaveBeenCalledTimes(1);
    expect(stuck.states).toEqual([{ state: "pending", attempts: 0, error: null }]);
  });

  it("AGT-13 continues in another process, with its remaining attempts", async () => {
    const query = createQuery();
    const first = await start([BUSY], [60_000, 1], query);
    await first.deliveries.deliver("query_1");
    await waitUntil(() => expect(query.states).toHaveLength(2));
    await first.coordination.stop();
    const second = await start([BUSY, BUSY], [1, 1], query);
    await second.deliveries.deliver("query_1");
    await ended(query.states);
    expect(query.states.at(-1)).toMatchObject({ state: "failed", attempts: 3 });
    expect([first.post.mock.calls.length, second.post.mock.calls.length]).toEqual([1, 2]);
  });
});
