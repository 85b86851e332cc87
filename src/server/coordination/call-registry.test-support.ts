import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { waitUntil } from "../../lib/wait-until.test-support";
import type { OpenCluster, TestCluster } from "./cluster.test-support";

/** What every implementation of `CallRegistry` guarantees. */
export function describeCallRegistry(openCluster: OpenCluster): void {
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await openCluster();
  });
  afterEach(() => cluster.close());

  describe("cancelling a call", () => {
    it("reaches the copy that owns it, once, and gives that copy's outcome", async () => {
      const [one, two] = [await cluster.openCopy(), await cluster.openCopy()];
      const cancelled: string[] = [];
      const id = await cluster.addCall(one);
      one.calls.handle("execution", async (call) => {
        cancelled.push(call);
        return cancelled.length === 1;
      });
      two.calls.handle("execution", () => Promise.reject(new Error("not the owner")));
      await one.start();
      await two.start();
      expect(await two.calls.findOwner("execution", id)).toBe(one.instances.id);
      expect(await two.calls.cancel("execution", id)).toEqual({ status: "done" });
      expect(await two.calls.cancel("execution", id)).toEqual({ status: "ended" });
      expect(cancelled).toEqual([id, id]);
    });

    it("and sending something to it reach the same handler, which gets what was sent", async () => {
      const [one, two] = [await cluster.openCopy(), await cluster.openCopy()];
      const id = await cluster.addCall(one);
      const payloads: (string | null)[] = [];
      one.calls.handle("execution", async (_id, payload) => payloads.push(payload) > 0);
      await one.start();
      await two.start();
      expect(await two.calls.send("execution", id, "from two")).toEqual({ status: "done" });
      expect(await one.calls.send("execution", id, "from one")).toEqual({ status: "done" });
      expect(await two.calls.cancel("execution", id)).toEqual({ status: "done" });
      expect(payloads).toEqual(["from two", "from one", null]);
    });

    it("of this copy needs no other one", async () => {
      const one = await cluster.openCopy();
      const id = await cluster.addCall(one);
      one.calls.handle("execution", async () => true);
      expect(await one.calls.cancel("execution", id)).toEqual({ status: "done" });
    });

    it("that has ended, or never was, says so", async () => {
      const one = await cluster.openCopy();
      expect(await one.calls.cancel("execution", "exec_unknown")).toEqual({ status: "ended" });
      expect(await one.calls.findOwner("execution", "exec_unknown")).toBeNull();
    });

    it("of a copy that has died says that it ended", async () => {
      const [one, two] = [await cluster.openCopy(), await cluster.openCopy()];
      const id = await cluster.addCall(one);
      await one.crash();
      expect(await two.calls.cancel("execution", id)).toEqual({ status: "ended" });
    });

    it("of a copy that does not answer names that copy, and is not carried out later", async () => {
      const [one, two] = [await cluster.openCopy(), await cluster.openCopy({ claimLimitMs: 10 })];
      const id = await cluster.addCall(one);
      const cancelled: string[] = [];
      one.calls.handle("execution", async (call) => {
        cancelled.push(call);
        return true;
      });
      // Not started: it takes no commands.
      const outcome = await two.calls.cancel("execution", id);
      expect(outcome).toMatchObject({ status: "unreachable", owner: { id: one.instances.id } });
      const other = await cluster.addCall(one);
      await one.start();
      const three = await cluster.openCopy();
      expect(await three.calls.cancel("execution", other)).toEqual({ status: "done" });
      expect(cancelled).toEqual([other]);
    });

    it("does not wait for another cancellation that takes its time", async () => {
      const [one, two] = [await cluster.openCopy(), await cluster.openCopy()];
      const [slow, fast] = [await cluster.addCall(one), await cluster.addCall(one)];
      let finish = (): void => {};
      const held = new Promise<boolean>((resolve) => {
        finish = () => resolve(true);
      });
      one.calls.handle("execution", async (call) => (call === slow ? held : true));
      await one.start();
      const first = two.calls.cancel("execution", slow);
      expect(await two.calls.cancel("execution", fast)).toEqual({ status: "done" });
      finish();
      expect(await first).toEqual({ status: "done" });
    });
  });

  describe("the copies of the server", () => {
    it("are known to be alive until they die, and a copy knows itself", async () => {
      const [one, two] = [await cluster.openCopy(), await cluster.openCopy()];
      expect(await one.instances.isAlive(two.instances.id)).toBe(true);
      expect(await one.instances.isAlive(one.instances.id)).toBe(true);
      expect(await one.instances.isAlive("inst_unknown")).toBe(false);
      expect(await one.instances.findGone([one.instances.id, two.instances.id])).toEqual([]);
      await two.crash();
      expect(await one.instances.isAlive(two.instances.id)).toBe(false);
      const gone = await one.instances.findGone([two.instances.id, "inst_unknown", one.instances.id]);
      expect(gone).toEqual([
        { id: two.instances.id, lastSeenAt: expect.any(Number) },
        { id: "inst_unknown", lastSeenAt: null },
      ]);
      expect(await one.instances.find(two.instances.id)).toMatchObject({ id: two.instances.id });
      expect(await one.instances.find("inst_unknown")).toBeNull();
    });

    it("that are silent for a minute are gone, whatever their process id says", async () => {
      const one = await cluster.openCopy();
      const late = await cluster.openCopy({ clockAheadMs: 61_000 });
      await waitUntil(async () => expect(await late.instances.isAlive(one.instances.id)).toBe(false));
    });
  });
}
