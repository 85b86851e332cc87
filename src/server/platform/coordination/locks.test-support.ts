import { describe, expect, it } from "vitest";
import type { Locks } from "./locks";

/** The guarantees of every implementation of `Locks`. */
export function describeLocks(create: () => Locks | Promise<Locks>): void {
  describe("a lock", () => {
    it("has one holder at a time, and its fence grows with each", async () => {
      const locks = await create();
      const first = await locks.acquire("server:files", 60_000);
      expect(first).not.toBeNull();
      expect(await locks.acquire("server:files", 60_000)).toBeNull();
      expect(await locks.acquire("server:other", 60_000)).not.toBeNull();
      await first?.release();
      const second = await locks.acquire("server:files", 60_000);
      // A second release takes nothing from the next holder.
      await first?.release();
      expect(await locks.acquire("server:files", 60_000)).toBeNull();
      expect(second?.fence).toBeGreaterThan(first?.fence ?? 0);
      expect(first?.signal.aborted).toBe(true);
      expect(second?.signal.aborted).toBe(false);
    });

    it("goes to one of many that ask at once", async () => {
      const locks = await create();
      const leases = await Promise.all([1, 2, 3].map(() => locks.acquire("run:1", 60_000)));
      expect(leases.filter((lease) => lease !== null)).toHaveLength(1);
    });

    it("is released when everything closes", async () => {
      const locks = await create();
      const lease = await locks.acquire("run:1", 60_000);
      await locks.close();
      expect(lease?.signal.aborted).toBe(true);
      expect(await locks.acquire("run:1", 60_000)).not.toBeNull();
    });
  });
}
