import { beforeEach, describe, expect, it } from "vitest";
import type { SessionStore, StoredSession } from "../../../mcp/gateway/session-store";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const buildSession = (id: string, lastUsedAt = 1000): StoredSession => ({
  id,
  address: '["files",true,null]',
  protocol: "2025-06-18",
  clientInfo: { name: "a client", version: "1", title: "A" },
  clientCapabilities: { elicitation: {} },
  logLevel: null,
  owner: null,
  createdAt: 1000,
  lastUsedAt,
});

export function describeGatewaySessionStore(createDatabase: CreateDatabase): void {
  describe("stored gateway sessions", () => {
    const database = useDatabase(createDatabase);
    let store: SessionStore;
    beforeEach(() => {
      store = database().gatewaySessions();
    });

    it("survive a restart with everything a session needs", async () => {
      await store.create(buildSession("one"));
      await store.setLogLevel("one", "warning");
      await store.markUsed("one", 5000);
      await database().restart();
      store = database().gatewaySessions();
      expect(await store.find("one")).toEqual({ ...buildSession("one"), logLevel: "warning", lastUsedAt: 5000 });
      expect(await store.find("two")).toBeNull();
    });

    it("are gone once they are deleted, and later changes do not bring them back", async () => {
      await store.create(buildSession("one"));
      await store.delete("one");
      await store.markUsed("one", 5000);
      await store.setLogLevel("one", "info");
      expect(await store.find("one")).toBeNull();
    });

    it("have one owner: of several instances that adopt one at once, one gets it, and what it releases others may adopt", async () => {
      await store.create({ ...buildSession("one"), owner: "inst_a" });
      const adopted = await Promise.all(["inst_b", "inst_c", "inst_d"].map((to) => store.adopt("one", "inst_a", to)));
      expect(adopted.filter((each) => each)).toHaveLength(1);
      expect(await store.adopt("one", "inst_a", "inst_e")).toBe(false);
      const owner = (await store.find("one"))?.owner ?? "";
      expect(["inst_b", "inst_c", "inst_d"]).toContain(owner);
      await store.release("inst_a");
      expect((await store.find("one"))?.owner).toBe(owner);
      await store.release(owner);
      expect(await store.adopt("one", null, "inst_e")).toBe(true);
    });

    it("are pruned by age, then those unused longest until the limit is met", async () => {
      for (const lastUsedAt of [1, 2, 3, 4, 5]) await store.create(buildSession(`s${lastUsedAt}`, lastUsedAt));
      await store.prune(2, 2);
      const left = await Promise.all(["s1", "s2", "s3", "s4", "s5"].map((id) => store.find(id)));
      expect(left.map((found) => found?.id ?? null)).toEqual([null, null, null, "s4", "s5"]);
    });
  });
}
