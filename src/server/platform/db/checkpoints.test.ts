import { statSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import Database from "../../../../scripts/sqlite.mjs";
import { waitUntil } from "../../../lib/wait-until.test-support";
import type { Logger } from "../../engine/ports";
import { type Checkpoints, createCheckpoints } from "./checkpoints";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "./database.test-support";
import { openSqlite } from "./sqlite/sqlite-database";

const WORKER = path.join(import.meta.dirname, "checkpoint-worker.mjs");
const BYTES = 3_000_000;

let scratch: ScratchDatabase;
let checkpoints: Checkpoints | null = null;
beforeEach(async () => {
  scratch = await createScratchDatabase();
  scratch.db.raw.exec("CREATE TABLE Note (text TEXT NOT NULL)");
});
afterEach(async () => {
  await checkpoints?.close();
  checkpoints = null;
  await scratch.remove();
});

const open = (workerFile = WORKER, logger: Logger = quietLogger()): Checkpoints => {
  checkpoints = createCheckpoints(scratch.filePath, workerFile, logger);
  return checkpoints;
};
const write = () => scratch.db.raw.prepare("INSERT INTO Note VALUES (?)").run("x".repeat(BYTES));
const sizeOfFile = () => statSync(scratch.filePath).size;

describe("the write-ahead log", () => {
  it("is moved into the database file by a thread, while this one goes on", async () => {
    const { note } = open();
    write();
    expect(sizeOfFile()).toBeLessThan(BYTES);
    note(1000);
    await waitUntil(() => sizeOfFile() > BYTES);
    expect(Number(scratch.db.raw.prepare("SELECT length(text) FROM Note").pluck().get())).toBe(BYTES);
  });

  it("is moved as often as much is written, also while another connection reads and writes", async () => {
    const { note } = open();
    const other = new Database(scratch.filePath);
    for (let count = 1; count <= 3; count += 1) {
      other.prepare("INSERT INTO Note VALUES (?)").run("x".repeat(BYTES));
      await waitUntil(() => {
        note(1000);
        return sizeOfFile() > count * BYTES;
      });
    }
    other.close();
    expect(scratch.db.raw.pragma("integrity_check", { simple: true })).toBe("ok");
  });

  it("is left alone while little is written", async () => {
    const { note, close } = open();
    write();
    note(999);
    await close();
    expect(sizeOfFile()).toBeLessThan(BYTES);
  });

  it("is moved by no commit while a backup reads the file, and by the thread after it", async () => {
    const url = `file:${scratch.filePath}`;
    const db = await openSqlite({ url, logger: quietLogger(), checkpointWorker: WORKER });
    const most = 40_000_000;
    const insert = db.raw.prepare("INSERT INTO Note VALUES (?)");
    await db.withoutCheckpoints(async () => {
      for (let bytes = 0; bytes < most; bytes += BYTES) insert.run("x".repeat(BYTES));
      expect(sizeOfFile()).toBeLessThan(BYTES);
    });
    expect(sizeOfFile()).toBeGreaterThan(most);
    expect(Number(db.raw.pragma("wal_autocheckpoint", { simple: true }))).toBe(8_000);
    await db.close();
  });

  it("stays with the commits where the thread cannot run, and the log says so", async () => {
    const warned: string[] = [];
    const { note } = open(path.join(import.meta.dirname, "no-such-worker.mjs"), {
      ...quietLogger(),
      warn: (_fields: object, message?: string) => void warned.push(String(message)),
    } as Logger);
    note(1000);
    await waitUntil(() => warned.length > 0);
    note(1000);
    write();
    await checkpoints?.move();
    expect(warned).toEqual(["The write-ahead log is moved by commits from now on"]);
  });
});
