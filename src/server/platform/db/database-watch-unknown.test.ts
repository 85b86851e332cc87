import fs, { mkdtempSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { quietLogger } from "./database.test-support";
import { identifyFile, UNKNOWN } from "./database-watch";
import { migrateSqlite } from "./migrate";
import { openDatabase } from "./open-database";

/** A file system that does not answer while `work` runs. */
async function whileSilent<T>(work: () => Promise<T>): Promise<T> {
  const { statSync } = fs;
  const silent = vi.spyOn(fs, "statSync").mockImplementation(((file: string, options?: fs.StatSyncOptions) => {
    if (options?.bigint) throw new Error("EIO");
    return statSync(file, options);
  }) as never);
  // Modules that import by name see it too.
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    silent.mockRestore();
    syncBuiltinESMExports();
  }
}

it("a file system that did not answer when the database was opened does not make the database count as replaced", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-watch-"));
  const url = `file:${path.join(folder, "toolroom.db")}`;
  await migrateSqlite({ url, logger: quietLogger() });
  const db = await whileSilent(async () => {
    expect(identifyFile(url)).toBe(UNKNOWN);
    return openDatabase({ url, logger: quietLogger() });
  });
  onTestFinished(async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  db.watch.check();
  expect(db.watch.problem()).toBeNull();
  rmSync(path.join(folder, "toolroom.db"));
  db.watch.check();
  expect(db.watch.problem()).toContain("deleted or moved");
});
