import { describe, expect, it } from "vitest";
import type { CallRegistry } from "./call-registry";

/** The guarantees of every implementation of `CallRegistry`. */
export function describeCallRegistry(create: () => CallRegistry | Promise<CallRegistry>): void {
  describe("cancelling a call", () => {
    it("reaches its owner, once, and gives that one's outcome", async () => {
      const calls = await create();
      const cancelled: string[] = [];
      calls.handle("execution", async (id) => cancelled.push(id) === 1);
      calls.handle("run", () => Promise.reject(new Error("not the owner")));
      expect(await calls.cancel("execution", "exec_1")).toEqual({ status: "done" });
      expect(await calls.cancel("execution", "exec_1")).toEqual({ status: "ended" });
      expect(cancelled).toEqual(["exec_1", "exec_1"]);
    });

    it("and sending something to it reach the same handler, which gets what was sent", async () => {
      const calls = await create();
      const payloads: (string | null)[] = [];
      calls.handle("execution", async (_id, payload) => payloads.push(payload) > 0);
      expect(await calls.send("execution", "exec_1", "text")).toEqual({ status: "done" });
      expect(await calls.cancel("execution", "exec_1")).toEqual({ status: "done" });
      expect(payloads).toEqual(["text", null]);
    });

    it("of a kind that nothing handles says that it ended, and a handler's error reaches the caller", async () => {
      const calls = await create();
      expect(await calls.cancel("run", "run_1")).toEqual({ status: "ended" });
      calls.handle("run", () => Promise.reject(new Error("the disk is full")));
      await expect(calls.cancel("run", "run_1")).rejects.toThrow("the disk is full");
    });

    it("does not wait for another cancellation that takes its time", async () => {
      const calls = await create();
      let finish = (): void => {};
      const held = new Promise<boolean>((resolve) => {
        finish = () => resolve(true);
      });
      calls.handle("execution", async (id) => (id === "slow" ? held : true));
      const first = calls.cancel("execution", "slow");
      expect(await calls.cancel("execution", "fast")).toEqual({ status: "done" });
      finish();
      expect(await first).toEqual({ status: "done" });
    });
  });
}
