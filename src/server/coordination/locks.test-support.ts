import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { waitUntil } from "../../lib/wait-until.test-support";
import type { OpenCluster, TestCluster } from "./cluster.test-support";
import type { Lease } from "./locks";

/** What every implementation of `Locks` guarantees. */
export function describeLocks(openCluster: OpenCluster): void {
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await openCluster();
  });
  afterEach(() => cluster.close());

  describe("a lock", () => {
    it("has one holder at a time, in this copy and in others, and its fence grows with each", async () => {
      const [one, two] = [await cluster.openCopy(), await cluster.openCopy()];
      const first = await one.locks.acquire("server:files", 60_000);
      expect(first).not.toBeNull();
      expect(await two.locks.acquire("server:files", 60_000)).toBeNull();
      expect(await one.locks.acquire("server:files", 60_000)).toBeNull();
      expect(await two.locks.acquire("server:other", 60_000)).not.toBeNull();
      await first?.release();
      await first?.release();
      const second = await two.locks.acquire("server:files", 60_000);
      expect(second?.fence).toBeGreaterThan(first?.fence ?? 0);
      expect(first?.signal.aborted).toBe(true);
      expect(second?.signal.aborted).toBe(false);
    });

    it("goes to one of many that ask at once", async () => {
      const copies = [await cluster.openCopy(), await cluster.openCopy(), await cluster.openCopy()];
      const asked = copies.flatMap((copy) => [1, 2, 3].map(() => copy.locks.acquire("run:1", 60_000)));
      expect((await Promise.all(asked)).filter((lease) => lease !== null)).toHaveLength(1);
    });

    it("is renewed for as long as its copy lives", async () => {
      const [one, two] = [await cluster.openCopy(), await cluster.openCopy()];
      const lease = await one.locks.acquire("run:1", 3000);
      const isOver = Date.now() + 3500;
      const found: (Lease | null)[] = [];
      await waitUntil(async () => {
        found.push(await two.locks.acquire("run:1", 3000));
        return Date.now() > isOver;
      });
      expect(found.every((other) => other === null)).toBe(true);
      expect(lease?.signal.aborted).toBe(false);
    });

    it("of a copy that died goes at once to one of those that ask, with a higher fence", async () => {
      const [one, two, three] = [await cluster.openCopy(), await cluster.openCopy(), await cluster.openCopy()];
      const first = await one.locks.acquire("run:1", 3_600_000);
      await one.crash();
      const asked = await Promise.all([two, three].map((copy) => copy.locks.acquire("run:1", 60_000)));
      const [second, ...more] = asked.filter((lease) => lease !== null);
      expect(second?.fence).toBeGreaterThan(first?.fence ?? 0);
      expect(more).toEqual([]);
    });

    it("that another copy took over says so to its first holder", async () => {
      const one = await cluster.openCopy();
      const late = await cluster.openCopy({ clockAheadMs: 120_000 });
      const first = await one.locks.acquire("run:1", 3000);
      const second = await late.locks.acquire("run:1", 60_000);
      expect(second).not.toBeNull();
      await waitUntil(() => expect(first?.signal.aborted).toBe(true));
      await first?.release();
      expect(await one.locks.acquire("run:1", 60_000)).toBeNull();
    });

    it("is released when its copy stops", async () => {
      const [one, two] = [await cluster.openCopy(), await cluster.openCopy()];
      const lease = await one.locks.acquire("run:1", 60_000);
      await one.stop();
      await one.close();
      expect(lease?.signal.aborted).toBe(true);
      expect(await two.locks.acquire("run:1", 60_000)).not.toBeNull();
    });
  });
}
