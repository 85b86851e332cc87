import { describe, expect, it } from "vitest";
import type { ServerLogLine } from "@/lib/contract/server";
import { appendLines, filterLines, formatLogText, keepNewerLines } from "./log-lines";

const line = (seq: number, part: Partial<ServerLogLine> = {}): ServerLogLine => ({
  seq,
  at: seq * 1000,
  stream: "stderr",
  level: "info",
  text: `line ${seq}`,
  ...part,
});
const seqs = (lines: readonly ServerLogLine[] | null) => lines?.map(({ seq }) => seq);

describe("a log that is read while lines arrive", () => {
  const lineAt = (seq: number, at: number): ServerLogLine => line(seq, { at });

  it("keeps the lines that came later than what was read, and none of an earlier process", () => {
    const read = [lineAt(1, 100), lineAt(2, 200)];
    expect(keepNewerLines([lineAt(1, 100), lineAt(2, 200), lineAt(3, 300)], read)).toEqual([...read, lineAt(3, 300)]);
    expect(keepNewerLines([lineAt(1, 10), lineAt(9, 90)], read)).toEqual(read);
    expect(keepNewerLines([lineAt(5, 500)], read)).toEqual(read);
    expect(keepNewerLines(undefined, read)).toEqual(read);
    expect(keepNewerLines([lineAt(1, 1)], [])).toEqual([]);
  });
});

describe("a server's log", () => {
  it("grows by the next line, and takes one that it has already only once", () => {
    expect(seqs(appendLines([line(1)], [line(2)]))).toEqual([1, 2]);
    expect(seqs(appendLines([line(1), line(2)], [line(2)]))).toEqual([1, 2]);
    expect(seqs(appendLines([], [line(7), line(8)]))).toEqual([7, 8]);
  });

  it("must be read again when lines are missing or the numbering restarted", () => {
    expect(appendLines([line(1)], [line(3)])).toBeNull();
    expect(appendLines([line(400), line(401)], [line(1)])).toBeNull();
  });

  it("keeps no more lines than the server", () => {
    const full = Array.from({ length: 2_000 }, (_, at) => line(at + 1));
    const next = appendLines(full, [line(2_001)]);
    expect(next).toHaveLength(2_000);
    expect(next?.[0]?.seq).toBe(2);
  });

  it("is narrowed by stream, least level and text together", () => {
    const lines = [
      line(1, { stream: "stdout", level: "warn", text: "Listening on 3000" }),
      line(2, { level: "error", text: "listening failed" }),
      line(3, { level: "debug" }),
    ];
    expect(seqs(filterLines(lines, { q: "LISTEN", stream: null, level: null }))).toEqual([1, 2]);
    expect(seqs(filterLines(lines, { q: "", stream: null, level: "warn" }))).toEqual([1, 2]);
    expect(seqs(filterLines(lines, { q: "", stream: "stdout", level: "error" }))).toEqual([]);
  });

  it("is copied one line a line, with time, stream and level", () => {
    expect(formatLogText([line(1, { text: "hi" })])).toBe("1970-01-01T00:00:01.000Z stderr info hi");
  });
});
