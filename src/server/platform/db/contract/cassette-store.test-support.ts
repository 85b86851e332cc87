import { beforeEach, describe, expect, it } from "vitest";
import { cassetteInputSchema } from "../../../../lib/contract/cassette";
import type { CallEventStore, CassetteStore, NewPlay, SessionKey } from "../../../features/cassettes/cassette-store";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const input = cassetteInputSchema.parse({ name: "demo", notes: "Notes — ä" });
const content = { lines: ["{}", '{"a":"ä 😀"}'], servers: ["files"], toolCount: 1, callCount: 1 };
const ada = { id: "ada", name: "Ada" };
const play = (recording: number): NewPlay => ({
  name: "read",
  outcome: "served",
  recording,
  outOfOrder: recording === 2,
  argumentsText: "{}",
  message: null,
  differences: recording === 3 ? [{ path: "/a", recorded: "1", received: null }] : [],
});
const key = (name: string, idleMs: number | null = null): SessionKey => ({
  key: name,
  label: null,
  client: null,
  actor: ada,
  idleMs,
});

export function describeCassetteStore(createDatabase: CreateDatabase): void {
  describe("cassettes", () => {
    const database = useDatabase(createDatabase);
    let now = 1_000_000;
    let store: CassetteStore;
    let events: CallEventStore;
    beforeEach(() => {
      now = 1_000_000;
      ({ cassettes: store, callEvents: events } = database().cassettes({ now: () => now, elapsed: () => now }));
    });

    it("keep their lines, and change name, notes and settings only", async () => {
      const created = await store.create(input, content, ada);
      expect(created).toMatchObject({
        ...input,
        servers: ["files"],
        toolCount: 1,
        createdBy: "Ada",
        lastEdit: { revision: 1 },
      });
      await expect(store.create(input, content, ada)).rejects.toMatchObject({ code: "CONFLICT" });
      expect(await database().count("CassetteLine")).toBe(2);
      const changed = await store.update("demo", { ...input, name: "other", notes: "" }, { by: ada, revision: 1 });
      expect(changed).toMatchObject({ id: created.id, name: "other", lastEdit: { revision: 2 } });
      await expect(store.update("other", input, { revision: 1 })).rejects.toMatchObject({ code: "CONFLICT" });
      await expect(store.update("demo", input)).rejects.toMatchObject({ code: "NOT_FOUND" });
      expect(await store.find("demo")).toBeNull();
      expect(await store.list()).toEqual([await store.find("other")]);
      expect(await store.lines(created.id)).toEqual(content.lines);
    });

    it("note the requests of a session one after the other, also those that come at once", async () => {
      const { id } = await store.create(input, content, ada);
      const seen: number[] = [];
      const requests = Array.from({ length: 8 }, () =>
        store.note(id, key("one"), (earlier) => {
          seen.push(earlier.length);
          return play(earlier.length);
        }),
      );
      await Promise.all(requests);
      expect([...new Set(seen)].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      const [session] = await store.sessions(id, 10);
      const plays = await store.plays(session?.id ?? "");
      expect(plays.map(({ ordinal, recording }) => [ordinal, recording])).toEqual(seen.map((_, at) => [at, at]));
      expect(plays[3]).toEqual({ ...play(3), ordinal: 3, at: now });
      const facts = await store.playFacts([session?.id ?? "", "none"]);
      expect(facts.get(session?.id ?? "")?.[2]).toEqual({ outcome: "served", recording: 2, outOfOrder: true });
      expect(await store.note(id, key("none"), () => null)).toBeNull();
      expect(await store.sessions(id, 10)).toHaveLength(1);
    });

    it("begin another session when the last one was idle, and keep the newest hundred", async () => {
      const { id } = await store.create(input, content, ada);
      await store.note(id, key("client", 500), () => play(1));
      now += 500;
      await store.note(id, { ...key("client", 500), client: "agent/1" }, () => play(2));
      now += 501;
      await store.note(id, key("client", 500), () => play(1));
      expect((await store.sessions(id, 10)).map(({ client, lastAt }) => [client, lastAt])).toEqual([
        [null, now],
        ["agent/1", now - 501],
      ]);
      for (let at = 0; at < 100; at += 1) await store.note(id, key(`k${at}`), () => play(1));
      expect(await store.sessions(id, 200)).toHaveLength(100);
      expect(await database().count("CassettePlay")).toBe(100);
      expect(await store.newestSessions()).toMatchObject([{ cassetteId: id, actor: ada }]);
    });

    it("go with their lines, sessions and requests", async () => {
      const { id } = await store.create(input, content, ada);
      await store.note(id, key("one"), () => play(1));
      await expect(store.delete("demo", 9)).rejects.toMatchObject({ code: "CONFLICT" });
      await store.delete("demo");
      for (const table of ["Cassette", "CassetteLine", "CassetteSession", "CassettePlay"]) {
        expect([table, await database().count(table)]).toEqual([table, 0]);
      }
      await expect(store.delete("demo")).rejects.toMatchObject({ code: "NOT_FOUND" });
    });

    it("what happened during calls is kept once", async () => {
      const happened = {
        events: [{ progress: 1, total: 2, message: "half" }],
        protocolError: { code: -32_602, message: "no" },
      };
      await events.put("exec_1", happened);
      await events.put("exec_1", { events: [], protocolError: null });
      expect(await events.find(["exec_1", "exec_2"])).toEqual(new Map([["exec_1", happened]]));
    });
  });
}
