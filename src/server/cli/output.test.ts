import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { parseTime } from "./execution-filter";
import { formatForUser } from "./format-result";
import { formatTable, usesColor, writeJson } from "./output";

const stream = (isTTY: boolean) => ({ isTTY }) as never;

describe("output", () => {
  it("cuts lines to a terminal, and none for a program", () => {
    const rows = [["a", "x".repeat(90)]];
    expect(formatTable(["NAME", "TEXT"], rows, { color: false, width: 40 }).split("\n")[1]).toHaveLength(40);
    expect(formatTable(["NAME", "TEXT"], rows, { color: false })).toContain("x".repeat(90));
  });

  it("lets no cell break its line or move the cursor", () => {
    const table = formatTable(["A", "B"], [["one\ntwo", "\u{1b}[2Jc\u{9b}31md"]], { color: false });
    expect(table).toBe("A        B\none two  cd\n");
  });

  it("has colors on a terminal only, and none with NO_COLOR", () => {
    expect(usesColor(stream(true), {})).toBe(true);
    expect(usesColor(stream(true), { NO_COLOR: "1" })).toBe(false);
    expect(usesColor(stream(true), { TERM: "dumb" })).toBe(false);
    expect(usesColor(stream(false), {})).toBe(false);
  });

  it("formats JSON for a user with all digits, also what is nested deeply or no JSON", () => {
    expect(formatForUser('{"id":12345678901234567890}')).toBe('{\n  "id": 12345678901234567890\n}');
    const deep = "[".repeat(5_000) + "]".repeat(5_000);
    expect(formatForUser(deep)).toBe(deep);
    expect(formatForUser('{"cut": [1,')).toBe('{"cut": [1,');
  });

  it("escapes in JSON on a terminal what would move the cursor, and changes nothing for a program", async () => {
    const text = JSON.stringify({ a: "\u{9b}2J\u{7f}é" });
    for (const [isTTY, expected] of [
      [false, text],
      [true, '{"a":"\\u009b2J\\u007fé"}'],
    ] as const) {
      const stdout = Object.assign(new PassThrough(), { isTTY });
      await writeJson({ stdout }, text);
      expect(stdout.read().toString()).toBe(`${expected}\n`);
      expect(JSON.parse(expected)).toEqual(JSON.parse(text));
    }
  });

  it("reads times as an instant, a day or a while ago", () => {
    const now = Date.parse("2026-12-24T12:00:00Z");
    expect(parseTime("2h", "since", now)).toBe(now - 7_200_000);
    expect(parseTime("2026-12-24T08:00:00Z", "since", now)).toBe(now - 14_400_000);
    expect(parseTime("1766563200000", "since", now)).toBe(1766563200000);
    for (const wrong of ["soon", "1", "2026-13-01", "2y"])
      expect(() => parseTime(wrong, "until", now)).toThrow("--until");
  });
});
