import { expect, it } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./count-facts";
import { planTime } from "./time-plan";

const NOW = Date.UTC(2026, 10, 21, 13, 30);

it("covers each minute of a time once, by the largest rows that lie within it and its bounds", () => {
  const bounds = [NOW - 3 * DAY_MS, NOW - 2 * DAY_MS + 30 * MINUTE_MS];
  for (const minutes of ["kept", "recent", "none"] as const) {
    for (const [since, until] of [
      [NOW - 5 * DAY_MS, NOW],
      [NOW - 5 * DAY_MS + 7 * MINUTE_MS, Number.POSITIVE_INFINITY],
      [NOW - 40 * MINUTE_MS, NOW - 2 * MINUTE_MS],
      [NOW, NOW],
    ] as const) {
      const { ranges, raw } = planTime({ since, until, minutes, now: NOW, bounds });
      const parts = [...ranges, ...raw]
        .map(({ from, to }) => ({ from, to }))
        .sort((one, other) => one.from - other.from);
      let at: number = since;
      for (const { from, to } of parts) {
        expect(from).toBe(at);
        at = to;
      }
      expect(at).toBe(until);
      for (const { span, from, to } of ranges) {
        expect([from % (span * MINUTE_MS), Number.isFinite(to) ? to % (span * MINUTE_MS) : 0]).toEqual([0, 0]);
        for (const bound of bounds) if (bound > from && bound < to) expect((bound - from) % (span * MINUTE_MS)).toBe(0);
      }
    }
  }
});

it("reads calls one by one only in parts of hours whose minutes are not kept", () => {
  const options = { since: NOW - 30 * DAY_MS, until: Number.POSITIVE_INFINITY, now: NOW };
  expect(planTime({ ...options, minutes: "kept" }).raw).toEqual([]);
  const { raw } = planTime({ ...options, minutes: "recent" });
  expect(raw).toEqual([{ from: options.since, to: Math.ceil(options.since / HOUR_MS) * HOUR_MS }]);
  expect(planTime({ ...options, since: NOW - HOUR_MS, minutes: "recent" }).raw).toEqual([]);
});
