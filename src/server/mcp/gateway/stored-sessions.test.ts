import { afterEach, describe, expect, it } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { begin, buildCall, INITIALIZE, post, startGateway, type TestGateway } from "./gateway.test-support";
import type { SessionStore, StoredSession } from "./session-store";

let test: TestGateway;
afterEach(() => test.close());

/** A store in memory that notes its writes. */
function recordingStore() {
  const kept = new Map<string, StoredSession>();
  const writes: string[] = [];
  const store: SessionStore = {
    async create(session) {
      writes.push("create");
      kept.set(session.id, session);
    },
    find: async (id) => kept.get(id) ?? null,
    async markUsed(id, lastUsedAt) {
      writes.push("markUsed");
      const found = kept.get(id);
      if (found) kept.set(id, { ...found, lastUsedAt });
    },
    async setLogLevel(id, logLevel) {
      writes.push("setLogLevel");
      const found = kept.get(id);
      if (found) kept.set(id, { ...found, logLevel });
    },
    async delete(id) {
      writes.push("delete");
      kept.delete(id);
    },
    adopt: async () => true,
    release: async () => {},
    prune: async () => {},
  };
  return { kept, writes, store };
}

describe("a stored session", () => {
  it("is written once at initialize; calls write nothing more while its last use is recent", async () => {
    const { store, writes } = recordingStore();
    test = await startGateway({ ports: { sessions: store } });
    const headers = await begin(test.url);
    for (const id of [1, 2, 3, 4, 5]) expect((await post(test.url, buildCall("echo", id), headers)).status).toBe(200);
    expect(writes).toEqual(["create"]);
    await fetch(test.url, { method: "DELETE", headers });
    expect(writes).toEqual(["create", "delete"]);
  });

  it("is deleted after it was written, although the write takes long", async () => {
    const { store, writes, kept } = recordingStore();
    const { create } = store;
    let write = (): void => undefined;
    store.create = async (session) => {
      await new Promise<void>((resolve) => {
        write = resolve;
      });
      await create(session);
    };
    test = await startGateway({ ports: { sessions: store } });
    const headers = await begin(test.url);
    const ended = fetch(test.url, { method: "DELETE", headers });
    // The gateway has received the DELETE once it answers a request that was sent after it.
    await post(test.url, buildCall("echo", 1), headers);
    write();
    expect((await ended).status).toBe(200);
    expect([writes, kept.size]).toEqual([["create", "delete"], 0]);
  });

  it("has its last use written again once the written one is old", async () => {
    const { store, writes } = recordingStore();
    test = await startGateway({ ports: { sessions: store, limits: { sessionExpiryMs: 5000 } } });
    const headers = await begin(test.url);
    let id = 0;
    await waitUntil(
      async () => {
        id += 1;
        await (await post(test.url, { jsonrpc: "2.0", id, method: "ping" }, headers)).text();
        return writes.includes("markUsed");
      },
      { what: "the write of the last use" },
    );
  });

  it("leaves memory when it is idle or too many are open, and is resumed by the next request", async () => {
    const { store } = recordingStore();
    test = await startGateway({ ports: { sessions: store, limits: { sessionIdleMs: 40, maxSessions: 1 } } });
    const first = await begin(test.url);
    const second = await begin(test.url);
    // On a busy machine both may be idle by now.
    expect(test.gateway.sessionCount()).toBeLessThanOrEqual(1);
    expect((await post(test.url, buildCall("echo", 1), first)).status).toBe(200);
    expect((await post(test.url, buildCall("echo", 1), second)).status).toBe(200);
    await waitUntil(() => test.gateway.sessionCount() === 0, { what: "the idle sessions leaving memory" });
    expect((await post(test.url, buildCall("echo", 2), first)).status).toBe(200);
  });

  it("is resumed once for requests that come together", async () => {
    const { store } = recordingStore();
    test = await startGateway({ ports: { sessions: store, limits: { sessionIdleMs: 40 } } });
    const headers = await begin(test.url);
    await waitUntil(() => test.gateway.sessionCount() === 0, { what: "the idle session leaving memory" });
    const answers = await Promise.all([1, 2, 3, 4].map((id) => post(test.url, buildCall("echo", id), headers)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(test.gateway.sessionCount()).toBe(1);
  });

  it("expires with the written last use, also while the row is still there", async () => {
    const { store, kept } = recordingStore();
    test = await startGateway({ ports: { sessions: store, limits: { sessionIdleMs: 40, sessionExpiryMs: 60_000 } } });
    const headers = await begin(test.url);
    await waitUntil(() => test.gateway.sessionCount() === 0, { what: "the idle session leaving memory" });
    for (const [id, session] of kept) kept.set(id, { ...session, lastUsedAt: Date.now() - 60_000 });
    expect((await post(test.url, buildCall("echo", 1), headers)).status).toBe(404);
  });

  it("works from memory when it cannot be written, and a large client description is not stored", async () => {
    const { store, writes } = recordingStore();
    const broken: SessionStore = { ...store, create: () => Promise.reject(new Error("disk full")) };
    test = await startGateway({ ports: { sessions: broken } });
    const headers = await begin(test.url);
    expect((await post(test.url, buildCall("echo", 1), headers)).status).toBe(200);
    await test.close();
    test = await startGateway({ ports: { sessions: store } });
    const { params } = INITIALIZE;
    const large = { ...params, capabilities: { experimental: { padding: { text: "x".repeat(70_000) } } } };
    const begun = await post(test.url, { ...INITIALIZE, params: large });
    expect([begun.status, writes]).toEqual([200, []]);
  });

  it("is resumed for its own address while a request to another address is looking for it", async () => {
    const SLOW_STORE_MS = 200;
    const { store } = recordingStore();
    let reads = 0;
    const slow: SessionStore = {
      ...store,
      async find(id) {
        reads += 1;
        await new Promise((resolve) => setTimeout(resolve, SLOW_STORE_MS));
        return store.find(id);
      },
    };
    test = await startGateway({ ports: { sessions: slow, limits: { maxSessions: 1 } } });
    const headers = await begin(test.url);
    // Takes the only place in memory.
    await begin(test.url);
    const listTools = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/list" });
    const elsewhere = post(`${test.url}?tools=echo`, listTools(1), headers);
    await waitUntil(() => reads === 1, { what: "the first read of the store" });
    expect((await post(test.url, listTools(2), headers)).status).toBe(200);
    expect((await elsewhere).status).toBe(404);
  });
});
