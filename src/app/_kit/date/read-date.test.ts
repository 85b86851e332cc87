import { describe, expect, it } from "vitest";
import { listWeeks, readDate, shiftDay, shiftMonth, writeInstant } from "./read-date";

const now = Date.UTC(2026, 10, 29, 12, 30, 15);
const zone = "Europe/Berlin";
const read = (text: string, edge: "start" | "end" = "start"): string | null => {
  const at = readDate(text, { now, zone, edge });
  return at === null ? null : new Date(at).toISOString();
};

describe("a date that is typed", () => {
  it.each([
    ["2026-11-29 14:00", "2026-11-29T13:00:00.000Z"],
    ["2026-11-29T14:00:05.25", "2026-11-29T13:00:05.250Z"],
    ["2026-07-01 14:00", "2026-07-01T12:00:00.000Z"],
    ["2026-11-29T14:00:00Z", "2026-11-29T14:00:00.000Z"],
    ["2026-11-29 14:00 -05:30", "2026-11-29T19:30:00.000Z"],
    ["  Yesterday ", "2026-11-27T23:00:00.000Z"],
    ["yesterday 9:05", "2026-11-28T08:05:00.000Z"],
    ["tomorrow", "2026-11-29T23:00:00.000Z"],
    ["9:05", "2026-11-29T08:05:00.000Z"],
    ["now", "2026-11-29T12:30:15.000Z"],
    ["7d", "2026-11-22T12:30:15.000Z"],
    ["90 min ago", "2026-11-29T11:00:15.000Z"],
    ["2 weeks", "2026-11-15T12:30:15.000Z"],
  ])("reads %s in the viewer's zone", (text, instant) => {
    expect(read(text)).toBe(instant);
  });

  it.each(["", "2026-02-30", "2026-13-01", "25:00", "2026-11-29 14:60", "7 lightyears", "soon", "2026-11", "toString"])(
    "does not read %j",
    (text) => {
      expect(read(text)).toBeNull();
    },
  );

  it("a day alone is its first instant where a range begins, and its last where one ends", () => {
    expect(read("2026-11-28")).toBe("2026-11-27T23:00:00.000Z");
    expect(read("2026-11-28", "end")).toBe("2026-11-28T22:59:59.999Z");
    expect(read("2026-11-28 10:00", "end")).toBe("2026-11-28T09:00:00.000Z");
  });

  it("is written as it is read, to the minute or the second", () => {
    for (const text of ["2026-11-29 14:00", "2026-11-29 14:00:07"])
      expect(writeInstant(readDate(text, { now, zone }) ?? 0, zone)).toBe(text);
    expect(writeInstant(readDate("2026-11-28", { now, zone, edge: "end" }) ?? 0, zone)).toBe("2026-11-28 23:59");
  });
});

describe("the calendar", () => {
  it("has six weeks from Monday on, with the days around the month", () => {
    const weeks = listWeeks("2026-11-29");
    expect([weeks.length, weeks[0]?.[0], weeks[5]?.[6]]).toEqual([6, "2026-10-26", "2026-12-06"]);
  });

  it("moves by days across a year, and by months to a day that the month has", () => {
    expect(shiftDay("2026-12-31", 1)).toBe("2027-01-01");
    expect(shiftMonth("2026-01-31", 1)).toBe("2026-02-28");
    expect(shiftMonth("2026-01-31", -2)).toBe("2025-11-30");
  });
});
