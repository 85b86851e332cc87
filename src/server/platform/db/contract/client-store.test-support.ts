import { beforeEach, describe, expect, it } from "vitest";
import type { ClientStore, StoredClientSession } from "../../../features/clients/client-store";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const SESSION: StoredClientSession = {
  id: "s1",
  clientId: "c1",
  name: "Claude Code",
  version: "2",
  era: "session",
  protocol: "2025-11-25",
  address: "/mcp",
  access: { query: { server: null, plainNames: false, tools: null }, token: null },
  actor: { id: "ada", name: "Ada" },
  token: { id: "t", name: "laptop" },
  startedAt: 100,
  seenAt: 100,
  endedAt: null,
  noticedAt: null,
  notices: 0,
  calls: 0,
  lastCall: null,
};
const LISTING = { hash: "h1", firstAt: 100, lastAt: 100, count: 1 };
const CONTENT = {
  tools: [{ name: "read", tool: "files__read", hash: "x" }],
  leftOut: [{ name: "off", kind: "tool" as const, reason: "disabled" as const, detail: "é" }],
  leftOutCount: 1,
};

export function describeClientStore(createDatabase: CreateDatabase): void {
  describe("stored clients", () => {
    const database = useDatabase(createDatabase);
    let store: ClientStore;
    beforeEach(() => {
      store = database().clients();
    });

    it("sum what several instances saw of a session, in any order", async () => {
      await store.save([
        {
          session: { ...SESSION, startedAt: 150, seenAt: 300, noticedAt: 250, notices: 2 },
          listings: [{ ...LISTING, firstAt: 150, lastAt: 300, count: 3 }],
        },
      ]);
      await store.save([{ session: { ...SESSION, seenAt: 200, noticedAt: 120, notices: 1 }, listings: [LISTING] }]);
      await store.save([{ session: { ...SESSION, seenAt: 250 }, listings: [{ ...LISTING, hash: "h2", lastAt: 200 }] }]);
      expect(await store.ofClient("c1", 10)).toEqual([
        { ...SESSION, startedAt: 150, seenAt: 300, noticedAt: 250, notices: 3 },
      ]);
      await store.saveList("h1", CONTENT, 100);
      expect(await store.listings(["s1"])).toEqual([
        { sessionId: "s1", hash: "h1", tools: 1, firstAt: 100, lastAt: 300, count: 4 },
        { sessionId: "s1", hash: "h2", tools: 0, firstAt: 100, lastAt: 200, count: 1 },
      ]);
    });

    it("sum the calls of a session, and keep the newest one whichever instance of the server writes last", async () => {
      const call = (at: number) => ({ id: `exec_${at}`, tool: "read", at });
      await store.save([{ session: { ...SESSION, calls: 2, lastCall: call(300) }, listings: [] }]);
      await store.save([{ session: { ...SESSION, calls: 1, lastCall: call(200) }, listings: [LISTING] }]);
      await store.save([{ session: { ...SESSION, seenAt: 400 }, listings: [] }]);
      expect(await store.list(10)).toMatchObject([{ seenAt: 400, calls: 3, lastCall: call(300) }]);
      await store.save([{ session: { ...SESSION, calls: 1, lastCall: call(500) }, listings: [] }]);
      expect(await store.list(10)).toMatchObject([{ calls: 4, lastCall: call(500) }]);
    });

    it("keep each entry once for all lists, and delete it with the last list that has it", async () => {
      const entry = { hash: "x", entry: '{"name":"read"}' };
      await store.saveTools([entry, { hash: "long", entry: null }], 100);
      await store.saveTools([{ hash: "x", entry: "other" }], 100);
      await store.saveList("h1", CONTENT, 100);
      await store.saveList("h2", { ...CONTENT, leftOut: [] }, 100);
      expect(await store.findTools(["x", "none"])).toEqual(new Set(["x"]));
      await store.save([
        { session: SESSION, listings: [LISTING] },
        { session: { ...SESSION, id: "s2", seenAt: 900 }, listings: [{ ...LISTING, hash: "h2", lastAt: 900 }] },
      ]);
      await store.prune(0, 10, 200);
      expect(await store.readTools(["x", "long"])).toEqual(new Map([["x", entry.entry]]));
      // Lists beyond the newest are deleted, whatever session has them.
      await store.prune(0, 10, 200, 1);
      expect([await store.readList("h1"), await store.readList("h2")]).toMatchObject([null, { tools: CONTENT.tools }]);
      expect(await store.findTools(["x"])).toEqual(new Set(["x"]));
      await store.prune(1_000, 10, 200);
      expect(await store.findTools(["x"])).toEqual(new Set());
    });

    it("name the lists of a time, over the days of a long session, with the times within a day", async () => {
      const day = 86_400_000;
      const give = (hash: string, at: number, session = SESSION) =>
        store.save([{ session: { ...session, seenAt: at }, listings: [{ hash, firstAt: at, lastAt: at, count: 1 }] }]);
      await give("h1", day + 100);
      await give("h2", day + 200);
      await give("h1", 3 * day + 300);
      await give("h2", 4 * day + 50);
      await give("h2", 4 * day + 900);
      await give("h3", 4 * day, { ...SESSION, id: "foreign", clientId: "c2" });
      const find = async (since: number, until: number) =>
        (await store.listsBetween("c1", since, until, 10)).map(({ hash, firstAt, lastAt, count }) => [
          hash,
          firstAt,
          lastAt,
          count,
        ]);
      expect((await find(day, 2 * day)).map(([hash]) => hash)).toEqual(["h2", "h1"]);
      expect(await find(2 * day, 3 * day)).toEqual([]);
      expect(await find(3 * day, 4 * day)).toEqual([["h1", 3 * day + 300, 3 * day + 300, 1]]);
      expect(await find(4 * day, 5 * day)).toEqual([["h2", 4 * day + 50, 4 * day + 900, 2]]);
      // The day of another time zone begins within it.
      expect(await find(4 * day + 100, 5 * day + 100)).toEqual([["h2", 4 * day + 50, 4 * day + 900, 2]]);
      expect(await find(4 * day + 901, 5 * day + 901)).toEqual([]);
      await store.prune(10 * day, 10, 0);
      expect(await store.listsBetween("c1", 0, 9 * day, 10)).toEqual([]);
    });

    it("keep each list once, and delete it only when no session has it", async () => {
      await store.saveList("h1", CONTENT, 100);
      await store.saveList("h1", { ...CONTENT, tools: [] }, 100);
      await store.saveList("unused", CONTENT, 100);
      expect(await store.readList("h1")).toEqual(CONTENT);
      expect(await store.findLists(["h1", "none"], 100)).toEqual(new Set(["h1"]));
      await store.save([
        { session: SESSION, listings: [LISTING] },
        { session: { ...SESSION, id: "s2", seenAt: 900 }, listings: [LISTING] },
        { session: { ...SESSION, id: "s3", seenAt: 950 }, listings: [] },
      ]);
      expect(await store.prune(500, 10, 200)).toBe(1);
      expect([await store.readList("unused"), await store.readList("h1")]).toEqual([null, CONTENT]);
      expect(await store.prune(0, 1, 200)).toBe(1);
      expect((await store.list(10)).map(({ id }) => id)).toEqual(["s3"]);
      expect(await store.readList("h1")).toBeNull();
    });
  });
}
