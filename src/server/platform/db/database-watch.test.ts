import { copyFileSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import Sqlite from "../../../../scripts/sqlite.mjs";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { recordingLogger } from "../../engine/recording-logger.test-support";
import type { SqliteDatabase } from "./database";
import { quietLogger } from "./database.test-support";
import { migrateSqlite } from "./migrate";
import { openSqlite } from "./sqlite/sqlite-database";

let folder: string;
let filePath: string;
let url: string;
let db: SqliteDatabase;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "toolroom-watch-"));
  filePath = path.join(folder, "data", "toolroom.db");
  url = `file:${filePath}`;
  await migrateSqlite({ url, logger: quietLogger() });
  db = await openSqlite({ url, logger: quietLogger() });
});
afterEach(async () => {
  await db.close();
  rmSync(folder, { recursive: true, force: true });
});

const insert = (name: string, into = db) =>
  into.write(() => into.raw.prepare("INSERT INTO DisabledTool (name, disabledAt) VALUES (?, 1)").run(name));

function namesIn(file: string): unknown[] {
  const raw = new Sqlite(file);
  try {
    return raw.prepare("SELECT name FROM DisabledTool ORDER BY name").pluck().all();
  } finally {
    raw.close();
  }
}

/** The copy that the message names, once it is there. */
async function savedCopy(): Promise<string> {
  let copy: string | undefined;
  await waitUntil(() => {
    copy = / is in (\S+)\. /.exec(db.watch.problem() ?? "")?.[1];
    return copy !== undefined;
  });
  return copy ?? "";
}

describe("a database file that is lost while it is open", () => {
  it("deleted: no write is acknowledged any more, and all data up to then is in a file that the message names", async () => {
    await insert("kept");
    rmSync(filePath);
    await expect(insert("refused")).rejects.toMatchObject({
      name: "AppError",
      code: "UNAVAILABLE",
      message: expect.stringMatching(
        /was deleted or moved while Toolroom was running\. Calls are refused.*Stop Toolroom/,
      ),
    });
    const copy = await savedCopy();
    expect(namesIn(copy)).toContain("kept");
    expect(db.watch.problem()).toContain(`move that file to ${filePath}`);

    await db.close();
    renameSync(copy, filePath);
    await migrateSqlite({ url, logger: quietLogger() });
    db = await openSqlite({ url, logger: quietLogger() });
    await insert("after the restart");
    expect(namesIn(filePath)).toEqual(expect.arrayContaining(["kept", "after the restart"]));
  });

  it("deleted with its folder: the data is saved all the same", async () => {
    await insert("kept");
    rmSync(path.dirname(filePath), { recursive: true });
    db.watch.check();
    expect(namesIn(await savedCopy())).toEqual(["kept"]);
  });

  it("replaced: the new file is left alone, and no journal of the former one is applied to it", async () => {
    const other = path.join(folder, "other.db");
    await migrateSqlite({ url: `file:${other}`, logger: quietLogger() });
    await insert("former");
    renameSync(other, filePath);
    db.watch.check();
    expect(db.watch.problem()).toContain("was replaced while Toolroom was running");
    await expect(insert("refused")).rejects.toThrow(/Restart Toolroom|restart it/);
    expect(namesIn(await savedCopy())).toEqual(["former"]);
    expect(existsSync(`${filePath}-wal`)).toBe(false);
    await db.close();
    expect(namesIn(filePath)).toEqual([]);
  });

  it("moved away and back: calls stay refused until a restart", async () => {
    renameSync(filePath, `${filePath}.away`);
    db.watch.check();
    renameSync(`${filePath}.away`, filePath);
    await expect(insert("refused")).rejects.toThrow(/even if the file comes back/);
  });

  it("its write-ahead log deleted: everything acknowledged is put into the database file, and calls are refused", async () => {
    await insert("kept");
    rmSync(`${filePath}-wal`);
    db.watch.check();
    await expect(insert("refused")).rejects.toThrow(
      /toolroom\.db-wal.*All data up to that point is in the database file/,
    );
    copyFileSync(filePath, path.join(folder, "main-alone.db"));
    expect(namesIn(path.join(folder, "main-alone.db"))).toEqual(["kept"]);
  });

  it("is noticed within two seconds without a call, and the log says what happened", async () => {
    const logger = recordingLogger();
    const watched = await openSqlite({ url, logger });
    const told = new Promise<void>((resolve) => watched.watch.onProblem(resolve));
    rmSync(filePath);
    await told;
    expect(logger.lines).toContainEqual(
      expect.objectContaining({ level: "error", message: expect.stringContaining("was deleted or moved") }),
    );
    await watched.close();
    expect(readdirSync(path.dirname(filePath)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("an intact file is never reported, however much is written and checkpointed", async () => {
    for (let index = 0; index < 50; index += 1) {
      await insert(`tool-${index}`);
      if (index % 10 === 0) db.raw.pragma("wal_checkpoint(TRUNCATE)");
      db.watch.check();
    }
    const second = await openSqlite({ url, logger: quietLogger() });
    await insert("second", second);
    await second.close();
    db.watch.check();
    expect(db.watch.problem()).toBeNull();
  });
});
