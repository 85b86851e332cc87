import fs, { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { quietLogger } from "./database.test-support";
import { migrateSqlite } from "./migrate";
import { buildOlderDatabase, copyOlderMigrations, readOlderData } from "./migrate.test-support";

/** For this test alone; modules that import by name see it too. */
function pretendFreeBytes(bytes: number): void {
  const statfs = vi.spyOn(fs, "statfsSync").mockReturnValue({ bavail: bytes, bsize: 1 } as fs.StatsFs);
  syncBuiltinESMExports();
  onTestFinished(() => {
    statfs.mockRestore();
    syncBuiltinESMExports();
  });
}

it("an upgrade without room for the copy does not begin, and says how much is needed where", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-full-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const filePath = path.join(folder, "toolroom.db");
  const older = copyOlderMigrations(folder);
  await buildOlderDatabase(filePath, older);
  const before = readOlderData(filePath);
  pretendFreeBytes(8 * 1024 * 1024);
  await expect(migrateSqlite({ url: `file:${filePath}`, logger: quietLogger() })).rejects.toMatchObject({
    name: "DatabaseOpenError",
    message: expect.stringMatching(/no room for the copy.*\d+ MiB are needed in .*, 8 MiB are free\. Free some space/),
  });
  expect(readOlderData(filePath)).toBe(before);
  expect(readdirSync(folder).filter((name) => name.includes(".before-"))).toEqual([]);
  expect(await migrateSqlite({ url: `file:${filePath}`, logger: quietLogger(), folder: older })).toEqual({
    applied: [],
  });
});
