import { describe, expect, it } from "vitest";
import { listProcesses, listProcessesSync, parseCimListing, parsePsListing } from "./process-listing";

const at = (text: string): number => Date.parse(text);

describe("listings of processes", () => {
  it.each([
    [
      "macOS, with an environment behind the command",
      "  501     1   501 Ss   Sun Nov 29 07:58:54 2026     /usr/local/bin/node a b.mjs PATH=/bin TOOLROOM_SERVER_ID=/9//4c1e",
      [501, 1, 501, "2026-11-29T07:58:54Z", "/usr/local/bin/node a b.mjs PATH=/bin TOOLROOM_SERVER_ID=/9//4c1e"],
    ],
    [
      "a day of one digit",
      "1 0 1 Ss Thu Jan  1 00:00:01 2026 /sbin/launchd",
      [1, 0, 1, "2026-01-01T00:00:01Z", "/sbin/launchd"],
    ],
    [
      "procps",
      "13497   13479   13475 S    Sun Nov 29 07:58:54 2026 sleep 5",
      [13497, 13479, 13475, "2026-11-29T07:58:54Z", "sleep 5"],
    ],
    ["a command without text", "7 2 0 I<   Sat Feb 28 23:59:59 2026", [7, 2, 0, "2026-02-28T23:59:59Z", ""]],
    ["a process that has ended", "8 2 8 Z+   Sat Feb 28 23:59:59 2026 (node)", null],
    ["the second line of a command", "and more 8 2 8", null],
    ["another language", "8 2 8 S So 29 Nov 07:58:54 2026 sleep", null],
    ["a message", "ps: illegal option -- E", null],
  ])("of ps are read: %s", (_what, line, expected) => {
    const [found] = parsePsListing(`${line}\n`);
    if (expected === null) expect(found).toBeUndefined();
    else {
      const [pid, parent, group, startedAt, text] = expected;
      expect({ ...found, text: found?.text.trim() }).toEqual({
        pid,
        parent,
        group,
        startedAt: at(String(startedAt)),
        text,
      });
    }
  });

  it.each([
    ["CRLF", "4321\t1234\t134404127345000000\r\n", [4321, 1234, "2026-11-29T07:58:54.500Z"]],
    ["LF and spaces of a console", " 4321\t1234\t134404127345000000  \n", [4321, 1234, "2026-11-29T07:58:54.500Z"]],
    ["a process without a start", "4\t0\t\r\n", null],
    ["an error", "Get-CimInstance : Access denied\r\n    + CategoryInfo\r\n", null],
  ])("of Windows are read: %s", (_what, text, expected) => {
    const [found] = parseCimListing(text);
    if (expected === null) expect(found).toBeUndefined();
    else {
      const [pid, parent, startedAt] = expected;
      expect(found).toEqual({ pid, parent, group: null, startedAt: at(String(startedAt)), text: "" });
    }
  });

  it.runIf(process.platform !== "win32")("of this system show this process with its start", async () => {
    for (const listed of [await listProcesses(), listProcessesSync()]) {
      const own = listed?.find(({ pid }) => pid === process.pid);
      expect(own?.parent).toBe(process.ppid);
      expect(Math.abs(Number(own?.startedAt) - (Date.now() - process.uptime() * 1000))).toBeLessThan(10_000);
    }
  });
});
