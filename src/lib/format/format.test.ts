import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  describeInstant,
  formatAbsoluteTime,
  formatBytes,
  formatClockTime,
  formatCount,
  formatDate,
  formatDuration,
  formatPlural,
  formatRate,
  formatRelativeTime,
  isTimeZone,
  listDayStarts,
} from ".";

describe("formatDuration", () => {
  it.each([
    [0, "0 ms"],
    [0.001, "<0.01 ms"],
    [0.41, "0.41 ms"],
    [0.4, "0.4 ms"],
    [12.34, "12.3 ms"],
    [99.96, "100 ms"],
    [640.2, "640 ms"],
    [999.6, "1 s"],
    [1_234, "1.2 s"],
    [9_960, "10 s"],
    [30_000, "30 s"],
    [59_600, "1 min"],
    [123_000, "2 min 3 s"],
    [3_599_600, "1 h"],
    [7_380_000, "2 h 3 min"],
    [86_399_000, "1 d"],
    [180_000_000, "2 d 2 h"],
  ])("shows %d ms as %s", (ms, shown) => {
    expect(formatDuration(ms)).toBe(shown);
  });

  it("shows a dash where there is no time", () => {
    for (const none of [null, undefined, Number.NaN, -1, Number.POSITIVE_INFINITY])
      expect(formatDuration(none)).toBe("–");
  });

  it("never shows a full unit as a multiple of the smaller one", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (ms) => {
        expect(formatDuration(ms)).not.toMatch(/\b(1000 ms|60 s|60 min|24 h)\b/);
      }),
    );
  });
});

describe("formatBytes", () => {
  it.each([
    [0, "0 B"],
    [73, "73 B"],
    [1_023, "1023 B"],
    [1_024, "1 KiB"],
    [1_536, "1.5 KiB"],
    [10_240, "10 KiB"],
    [1_048_570, "1 MiB"],
    [1_258_291, "1.2 MiB"],
    [5e9, "4.7 GiB"],
  ])("shows %d bytes as %s", (bytes, shown) => {
    expect(formatBytes(bytes)).toBe(shown);
  });

  it("shows a dash where there is no size", () => {
    expect(formatBytes(null)).toBe("–");
    expect(formatBytes(-1)).toBe("–");
  });
});

describe("formatCount, formatRate and formatPlural", () => {
  it("sets thousands apart", () => {
    expect(formatCount(18_204)).toBe("18,204");
    expect(formatPlural(1, "call")).toBe("1 call");
    expect(formatPlural(0, "call")).toBe("0 calls");
    expect(formatPlural(2, "entry", "entries")).toBe("2 entries");
  });

  it("gives no rate of nothing, and hides neither a single failure nor a single success", () => {
    expect(formatRate(0, 0)).toBe("–");
    expect(formatRate(0, 9)).toBe("0%");
    expect(formatRate(2, 1_000)).toBe("0.2%");
    expect(formatRate(1, 100_000)).toBe("<0.1%");
    expect(formatRate(99_999, 100_000)).toBe(">99.9%");
    expect(formatRate(3, 3)).toBe("100%");
  });
});

describe("formatRelativeTime", () => {
  const now = Date.UTC(2026, 10, 21, 12, 0, 0);

  it.each([
    [0, "just now"],
    [-3_000, "just now"],
    [12_000, "12 s ago"],
    [3 * 60_000, "3 min ago"],
    [2 * 3_600_000 + 1, "2 h ago"],
    [5 * 86_400_000, "5 d ago"],
    [40 * 86_400_000, "2026-10-12"],
    [-86_400_000, "2026-11-22"],
  ])("shows %d ms ago as %s", (ago, shown) => {
    expect(formatRelativeTime(now - ago, now, "UTC")).toBe(shown);
  });

  it("gives the instant to the millisecond, the same everywhere", () => {
    expect(formatAbsoluteTime(now + 7, "UTC")).toBe("2026-11-21 12:00:00.007 UTC");
    expect(formatDate(now, "UTC")).toBe("2026-11-21");
  });

  it.each([
    ["Europe/Berlin", "2026-11-21 13:00:00.007 UTC+1"],
    ["Asia/Kolkata", "2026-11-21 17:30:00.007 UTC+5:30"],
    ["America/St_Johns", "2026-11-21 08:30:00.007 UTC-3:30"],
    ["Pacific/Kiritimati", "2026-11-22 02:00:00.007 UTC+14"],
  ])("gives the instant in %s with its offset, and with the zone's name for a tooltip", (zone, shown) => {
    expect(formatAbsoluteTime(now + 7, zone)).toBe(shown);
    expect(describeInstant(now + 7, zone)).toBe(`${shown} (${zone})`);
    expect(formatDate(now, zone)).toBe(shown.slice(0, 10));
    expect(formatClockTime(now + 7, zone)).toBe(shown.slice(11, 23));
  });
});

describe("the days of a zone", () => {
  const hours = (zone: string, now: number) => {
    const starts = listDayStarts(now, 3, zone);
    return starts.slice(1).map(({ start }, at) => (start - (starts[at]?.start ?? 0)) / 3_600_000);
  };

  it("begin at its midnights, also where clocks change", () => {
    const noon = Date.UTC(2026, 2, 30, 12);
    expect(listDayStarts(noon, 2, "UTC")).toEqual([
      { day: "2026-03-29", start: Date.UTC(2026, 2, 29) },
      { day: "2026-03-30", start: Date.UTC(2026, 2, 30) },
    ]);
    expect(hours("UTC", noon)).toEqual([24, 24]);
    expect(hours("Europe/Berlin", noon)).toEqual([24, 23]);
    expect(hours("Europe/Berlin", Date.UTC(2026, 9, 26, 12))).toEqual([24, 25]);
    expect(listDayStarts(Date.UTC(2026, 10, 21, 12), 1, "Asia/Tokyo")).toEqual([
      { day: "2026-11-21", start: Date.UTC(2026, 10, 20, 15) },
    ]);
  });

  it("tells zones from other text", () => {
    for (const zone of ["UTC", "Europe/Berlin"]) expect(isTimeZone(zone)).toBe(true);
    for (const text of ["", "Mars/Base", "x; path=/"]) expect(isTimeZone(text)).toBe(false);
  });
});
