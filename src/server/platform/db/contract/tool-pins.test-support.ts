import { beforeEach, describe, expect, it } from "vitest";
import { getSettings, testSecretBox } from "../../../features/servers/server.test-support";
import type { PinChange, PinDecision, PinStore, ServerStore } from "../../../features/servers/server-store";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const secretBox = testSecretBox();
const ADA = { id: "ada", name: "Ada" };
const V1 = { hash: "v1", entry: { name: "read" } };
const V2 = { hash: "v2", entry: { name: "read", title: "2" } };
const V3 = { hash: "v3", entry: { name: "read", title: "3" } };

const hold = (hash: string, approved: PinChange["approved"] = V1): PinChange => ({
  kind: "hold",
  tool: "read",
  hash,
  at: 5,
  approved,
});
const decision = (part: Partial<PinDecision> = {}): PinDecision => ({
  tool: "read",
  hash: "v2",
  status: "open",
  decision: "approve",
  entry: V2.entry,
  by: ADA,
  at: 9,
  ...part,
});

export function describeToolPins(createDatabase: CreateDatabase): void {
  describe("approvals of changed tools", () => {
    const database = useDatabase(createDatabase);
    let servers: ServerStore;
    let pins: PinStore;
    beforeEach(() => {
      servers = database().servers({ secretBox });
      pins = servers.pins;
    });
    const held = async () => (await pins.list("files"))[0]?.held ?? null;

    it("a change waits over a restart, with the entry that was approved before it", async () => {
      await pins.change("files", [hold("v2"), { ...hold("n1", null), tool: "new" } as PinChange]);
      await database().restart();
      pins = database().servers({ secretBox }).pins;
      const open = { at: 5, status: "open" };
      expect((await pins.list("files")).sort((a, b) => (a.tool < b.tool ? -1 : 1))).toEqual([
        { tool: "new", approved: null, held: { hash: "n1", ...open }, decidedBy: null, decidedAt: null },
        { tool: "read", approved: V1, held: { hash: "v2", ...open }, decidedBy: null, decidedAt: null },
      ]);
      expect(await pins.list("other")).toEqual([]);
    });

    it("the first decision wins, whatever it is, and counts for the change that was shown only", async () => {
      await pins.change("files", [hold("v2")]);
      expect(await pins.decide("files", decision({ hash: "v9" }))).toBe(false);
      expect(await pins.decide("files", decision({ decision: "block" }))).toBe(true);
      expect(await pins.decide("files", decision())).toBe(false);
      expect(await held()).toMatchObject({ hash: "v2", status: "blocked" });
      expect(await pins.decide("files", decision({ status: "blocked" }))).toBe(true);
      expect(await pins.list("files")).toEqual([
        { tool: "read", approved: V2, held: null, decidedBy: ADA, decidedAt: 9 },
      ]);
      expect(await pins.decide("files", decision({ decision: "block" }))).toBe(false);
    });

    it("a second change replaces the first, blocked or not; the same one does not reopen it", async () => {
      await pins.change("files", [hold("v2")]);
      await pins.decide("files", decision({ decision: "block" }));
      await pins.change("files", [hold("v2")]);
      expect(await held()).toMatchObject({ hash: "v2", status: "blocked" });
      await pins.change("files", [hold("v3", V2)]);
      expect(await pins.list("files")).toEqual([
        { tool: "read", approved: V1, held: { hash: "v3", at: 5, status: "open" }, decidedBy: null, decidedAt: null },
      ]);
    });

    it("an ignored change keeps the approved entry and who ignored it, until the server lists another one", async () => {
      await pins.change("files", [hold("v2")]);
      expect(await pins.decide("files", decision({ decision: "ignore" }))).toBe(true);
      const held = { hash: "v2", at: 5, status: "ignored" };
      expect(await pins.list("files")).toEqual([{ tool: "read", approved: V1, held, decidedBy: ADA, decidedAt: 9 }]);
      expect(await pins.decide("files", decision())).toBe(false);
      await pins.change("files", [hold("v3")]);
      expect((await pins.list("files"))[0]).toMatchObject({ held: { hash: "v3", status: "open" }, decidedBy: null });
    });

    it("what another process approved is not held again, and what the policy lets pass is approved by nobody", async () => {
      await pins.change("files", [hold("v2")]);
      await pins.decide("files", decision());
      await pins.change("files", [hold("v2")]);
      expect(await held()).toBeNull();
      await pins.change("files", [{ kind: "pass", tool: "read", approved: V3 }]);
      expect(await pins.list("files")).toEqual([
        { tool: "read", approved: V3, held: null, decidedBy: null, decidedAt: null },
      ]);
    });

    it("breaking changes in use keep the entry before the first of them, and are accepted by their hash once", async () => {
      const { applied } = servers;
      const put = (tool: string, hash: string, at: number) => ({ tool, hash, at, before: V1 });
      await applied.change("files", { put: [put("read", "h2", 5), put("stat", "removed:h1", 5)], delete: [] });
      await applied.change("files", { put: [put("read", "h2", 9)], delete: ["stat"] });
      const before = V1.entry;
      expect(await applied.list("files")).toEqual([{ tool: "read", hash: "h2", at: 5, before }]);
      await applied.change("files", { put: [{ ...put("read", "h3", 7), before: V2 }], delete: [] });
      expect(await applied.list("files")).toEqual([{ tool: "read", hash: "h3", at: 7, before }]);
      expect(await applied.accept("files", "read", "h2")).toBe(false);
      await servers.create({ settings: getSettings({ name: "files" }), secrets: {} });
      await servers.rename("files", "disk");
      expect(await applied.list("files")).toEqual([]);
      expect(await applied.accept("disk", "read", "h3")).toBe(true);
      expect(await applied.accept("disk", "read", "h3")).toBe(false);
      await applied.change("disk", { put: [put("read", "h2", 5)], delete: [] });
      await servers.forget("disk");
      expect(await applied.list("disk")).toEqual([]);
    });

    it("they follow a renamed server, end with a new one of the name, and a damaged entry reads as never approved", async () => {
      await servers.create({ settings: getSettings({ name: "files" }), secrets: {} });
      await pins.change("files", [hold("v2")]);
      await pins.change("disk", [{ ...hold("x", null), tool: "other" } as PinChange]);
      await servers.rename("files", "disk");
      expect((await pins.list("disk")).map(({ tool }) => tool)).toEqual(["read"]);
      await database().execute(`UPDATE "ToolPin" SET approved = '{broken'`);
      expect((await pins.list("disk"))[0]?.approved).toBeNull();
      await servers.forget("disk");
      expect(await pins.list("disk")).toEqual([]);
    });
  });
}
