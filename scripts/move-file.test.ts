import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { moveFile, moveFileSync } from "./move-file.mjs";

/** A rename that fails until the clock, which only pauses move, has reached `freeAt`. */
function openUntil(freeAt: number, code: string, platform: NodeJS.Platform) {
  let clock = 0;
  let tries = 0;
  return {
    tries: () => tries,
    system: {
      platform,
      now: () => clock,
      pause: (ms: number) => {
        clock += ms;
      },
      rename: () => {
        tries += 1;
        if (clock < freeAt) throw Object.assign(new Error(`${code}: rename`), { code });
      },
    },
  };
}

describe.each([
  ["moveFileSync", async (...given: Parameters<typeof moveFileSync>) => moveFileSync(...given)],
  ["moveFile", moveFile],
])("%s", (_name, move) => {
  it.each(["EPERM", "EACCES", "EBUSY"])(
    "replaces a file on Windows once the other program closes it (%s)",
    async (code) => {
      const busy = openUntil(1_900, code, "win32");
      await move("a", "b", busy.system);
      expect(busy.tries()).toBeGreaterThan(2);
    },
  );

  it("fails on Windows with the reason where the file stays open for more than 2 s", async () => {
    const busy = openUntil(2_500, "EPERM", "win32");
    await expect(move("a", "b", busy.system)).rejects.toMatchObject({ code: "EPERM" });
  });

  it.each([
    ["ENOENT", "win32"],
    ["EPERM", "linux"],
    ["EACCES", "darwin"],
  ] as const)("fails at once for errors that a retry cannot fix (%s on %s)", async (code, platform) => {
    const busy = openUntil(1_000, code, platform);
    await expect(move("a", "b", busy.system)).rejects.toMatchObject({ code });
    expect(busy.tries()).toBe(1);
  });

  it("replaces the content of a file", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "move-file-"));
    const from = path.join(folder, "draft");
    const to = path.join(folder, "file");
    writeFileSync(from, "new");
    writeFileSync(to, "old");
    await move(from, to);
    expect(readFileSync(to, "utf8")).toBe("new");
  });
});
