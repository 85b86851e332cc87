import { describe, expect, it } from "vitest";
import { findNextTime, parseCron } from "./cron";

function next(expression: string, from: string, zone = "UTC"): string | null {
  const cron = parseCron(expression);
  if ("problem" in cron) throw new Error(cron.problem);
  const at = findNextTime(cron, zone, Date.parse(from));
  return at === null ? null : new Date(at).toISOString();
}

describe("cron expressions", () => {
  it.each([
    ["* * * * *", "2026-11-26T08:00:30Z", "2026-11-26T08:01:00.000Z"],
    ["0 7 * * *", "2026-11-26T07:00:00Z", "2026-11-27T07:00:00.000Z"],
    ["*/15 * * * *", "2026-11-26T08:46:00Z", "2026-11-26T09:00:00.000Z"],
    ["5/20 8-9 * * *", "2026-11-26T08:46:00Z", "2026-11-26T09:05:00.000Z"],
    ["30 6 * * mon-fri", "2026-11-27T07:00:00Z", "2026-11-30T06:30:00.000Z"],
    ["0 0 * * 7", "2026-11-26T00:00:00Z", "2026-11-29T00:00:00.000Z"],
    ["0 0 29 feb *", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00.000Z"],
    ["0 0 1 * mon", "2026-11-26T00:00:00Z", "2026-11-30T00:00:00.000Z"],
    ["@monthly", "2026-11-26T00:00:00Z", "2026-12-01T00:00:00.000Z"],
  ])("%s after %s is %s", (expression, from, expected) => {
    expect(next(expression, from)).toBe(expected);
  });

  it("count in their time zone, also where its clocks change", () => {
    expect(next("0 7 * * *", "2026-03-28T12:00:00Z", "Europe/Berlin")).toBe("2026-03-29T05:00:00.000Z");
    expect(next("30 2 * * *", "2026-03-29T00:00:00Z", "Europe/Berlin")).toBe("2026-03-29T01:30:00.000Z");
    const once = next("30 2 * * *", "2026-10-24T12:00:00Z", "Europe/Berlin");
    expect(next("30 2 * * *", String(once), "Europe/Berlin")).toBe("2026-10-26T01:30:00.000Z");
  });

  it("that name no day give no time, and those that are none name the field", () => {
    expect(next("0 0 31 feb *", "2026-11-26T00:00:00Z")).toBeNull();
    expect(parseCron("0 7 * *")).toMatchObject({ problem: expect.stringContaining("five fields") });
    for (const bad of [
      "60 * * * *",
      "* 24 * * *",
      "* * 0 * *",
      "* * * 13 *",
      "* * * * 8",
      "a * * * *",
      "5-1 * * * *",
      "*/0 * * * *",
      "1-2-3 * * * *",
    ]) {
      expect(parseCron(bad), bad).toMatchObject({ problem: expect.stringContaining("has no usable") });
    }
  });
});
