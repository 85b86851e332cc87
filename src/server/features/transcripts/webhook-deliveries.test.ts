import { describe, expect, it, vi } from "vitest";
import type { TranscriptQuery } from "../../../lib/contract";
import { quietLogger } from "../../db/test-database";
import type { Webhook, WebhookFailure } from "./transcript-ports";
import type { StoredQuery } from "./transcript-store";
import { createWebhookDeliveries } from "./webhook-deliveries";

const QUERY = { id: "query_1", transcriptId: "transcript_1", text: "what?", answer: "That." } as StoredQuery;
const BUSY: WebhookFailure = { ok: false, reason: "It answered with status 503", retry: true };

function start(outcomes: Awaited<ReturnType<Webhook["post"]>>[], pausesMs = [1, 1]) {
  const states: TranscriptQuery["webhook"][] = [];
  const changed = vi.fn();
  const post = vi.fn<Webhook["post"]>(async () => outcomes.shift() ?? { ok: true });
  const deliveries = createWebhookDeliveries({
    store: { setWebhook: async (_id, state) => void states.push(state) },
    webhook: { post },
    logger: quietLogger(),
    onChange: changed,
    pausesMs,
  });
  return { deliveries, states, post, changed };
}
const ended = (states: TranscriptQuery["webhook"][]) =>
  vi.waitFor(() => expect(states.at(-1)?.state).not.toBe("pending"), { timeout: 10_000 });

describe("telling a webhook", () => {
  it("AGT-13 tries again after a failure that may pass, three times in all, its state kept each time", async () => {
    const { deliveries, states, post, changed } = start([BUSY, BUSY, BUSY, { ok: true }]);
    deliveries.deliver("https://example.org", QUERY);
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
    const passing = start([BUSY, { ok: true }]);
    passing.deliveries.deliver("https://example.org", QUERY);
    await ended(passing.states);
    expect(passing.states.at(-1)).toEqual({ state: "delivered", attempts: 2, error: null });
    const lasting = start([{ ...BUSY, retry: false }]);
    lasting.deliveries.deliver("https://example.org", QUERY);
    await ended(lasting.states);
    expect(lasting.post).toHaveBeenCalledTimes(1);
  });

  it("AGT-13 tells of one answer once at a time, and leaves it pending when the server stops", async () => {
    const { deliveries, states, post } = start([BUSY], [60_000]);
    deliveries.deliver("https://example.org", QUERY);
    deliveries.deliver("https://example.org", QUERY);
    await vi.waitFor(() => expect(states).toHaveLength(2), { timeout: 15_000 });
    await deliveries.close();
    expect(states.at(-1)).toMatchObject({ state: "pending", attempts: 1 });
    deliveries.deliver("https://example.org", QUERY);
    expect(post).toHaveBeenCalledTimes(1);
  });
});
