import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { waitUntil } from "../../lib/wait-until.test-support";
import type { OpenCluster, TestCluster, TestCopy } from "./cluster.test-support";

/** What every implementation of `ChangeFeed` guarantees. */
export function describeChangeFeed(openCluster: OpenCluster): void {
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await openCluster();
  });
  afterEach(() => cluster.close());

  async function openStarted(): Promise<TestCopy> {
    const copy = await cluster.openCopy();
    await copy.start();
    return copy;
  }

  describe("changes", () => {
    it("reach the other copies in order, and not the one that recorded them", async () => {
      const [one, two, three] = [await openStarted(), await openStarted(), await openStarted()];
      const heard: string[] = [];
      one.changes.subscribe("tools", (key) => void heard.push(`one ${key}`));
      two.changes.subscribe("tools", (key) => void heard.push(`two ${key}`));
      two.changes.subscribe("servers", (key) => void heard.push(`two servers ${key}`));
      await one.changes.record("tools", "a");
      await one.changes.record("tools", "b");
      await waitUntil(() => expect(heard).toEqual(["two a", "two b"]));
      await three.changes.record("servers", null);
      await waitUntil(() => expect(heard).toContain("two servers null"));
      expect(heard.filter((line) => line.startsWith("one"))).toEqual([]);
    });

    it("that were recorded before a copy joined are not delivered to it", async () => {
      const one = await openStarted();
      await one.changes.record("tools", "old");
      const two = await openStarted();
      const heard: (string | null)[] = [];
      two.changes.subscribe("tools", (key) => void heard.push(key));
      await one.changes.record("tools", "new");
      await waitUntil(() => expect(heard).toEqual(["new"]));
    });

    it("that were recorded between joining and starting are delivered at the start", async () => {
      const [one, two] = [await openStarted(), await cluster.openCopy()];
      await one.changes.record("tools", "early");
      const heard: (string | null)[] = [];
      two.changes.subscribe("tools", (key) => void heard.push(key));
      await two.start();
      await waitUntil(() => expect(heard).toEqual(["early"]));
    });

    it("are delivered again until the listener succeeds, and keep no other listener waiting", async () => {
      const [one, two] = [await openStarted(), await openStarted()];
      let failures = 0;
      const heard: string[] = [];
      two.changes.subscribe("tools", () => {
        if (failures++ === 0) throw new Error("database is locked");
        heard.push("tools");
      });
      two.changes.subscribe("servers", () => void heard.push("servers"));
      await one.changes.record("tools", "a");
      await one.changes.record("servers", "b");
      await waitUntil(() => expect(heard.sort()).toEqual(["servers", "tools"]));
    });

    it("end with the subscription", async () => {
      const [one, two] = [await openStarted(), await openStarted()];
      const heard: string[] = [];
      const unsubscribe = two.changes.subscribe("tools", () => void heard.push("ended"));
      two.changes.subscribe("tools", () => void heard.push("open"));
      unsubscribe();
      await one.changes.record("tools", null);
      await waitUntil(() => expect(heard).toEqual(["open"]));
    });

    it("arrive whole where several copies record at once", async () => {
      const copies = [await openStarted(), await openStarted(), await openStarted()];
      const reader = await openStarted();
      const heard = new Set<string | null>();
      reader.changes.subscribe("approvals", (key) => void heard.add(key));
      await Promise.all(
        copies.flatMap((copy, at) =>
          Array.from({ length: 40 }, (_, number) => copy.changes.record("approvals", `${at}-${number}`)),
        ),
      );
      await waitUntil(() => expect(heard.size).toBe(120));
    });
  });
}
