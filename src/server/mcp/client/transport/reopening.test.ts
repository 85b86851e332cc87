import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../connection/connection-limits";
import { Reopening } from "./http-channel";

describe("a stream that ended", () => {
  it("is opened again when its server asks for it, within bounds for any number", () => {
    let now = 0;
    const reopening = new Reopening(DEFAULT_LIMITS.reopen, () => now);
    for (const [wanted, waits] of [
      [2000, 2000],
      [0, 250],
      [86_400_000, 300_000],
      [Number.POSITIVE_INFINITY, 300_000],
    ] as const) {
      expect(reopening.waitMs(wanted)).toBe(waits);
      now += 1_000_000;
    }
  });

  it("waits twice as long each time while it ends at once, and as at first after a calm time", () => {
    let now = 0;
    const reopening = new Reopening(DEFAULT_LIMITS.reopen, () => now);
    const waits = Array.from({ length: 8 }, () => {
      const ms = reopening.waitMs(0);
      now += ms + 1;
      return ms;
    });
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000, 5000]);
    now += 10_000;
    expect(reopening.waitMs(0)).toBe(250);
  });
});
