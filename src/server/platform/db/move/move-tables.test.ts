import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import Database from "../../../../../scripts/sqlite.mjs";
import { createScratchDatabase, quietLogger } from "../database.test-support";
import { describeDatabase } from "../describe-database";
import { migrateSqlite } from "../migrate";
import { migrateDatabase } from "../open-database";
import { administer, createPostgresDatabase, HAS_POSTGRES } from "../postgres/scratch-postgres.test-support";
import type { RawDatabase } from "../sqlite/connection";
import { copyMigrations, fillEveryTable, listRows, makeFolder } from "./move.test-support";
import type { MoveSource, MoveTarget } from "./move-side";
import type { MoveStep } from "./move-tables";
import { moveTables } from "./move-tables";
import { openMoveSource, removeUpgradedCopy } from "./open-source";
import { openMoveTarget } from "./open-target";
import { Checksum, type MovedTable } from "./row-lines";

const HOME = process.cwd();
const of = (url: string) => describeDatabase(url, HOME);

interface MoveTest {
  onProgress?(step: MoveStep): void;
  signal?: AbortSignal;
  home?: string;
}

/** As the command does it, without its claims. */
async function move(from: string, to: string, { onProgress = () => undefined, signal, home = HOME }: MoveTest = {}) {
  const source = await openMoveSource(of(from), home);
  try {
    const { target, tables } = await openMoveTarget(of(from), of(to), home);
    try {
      const options = { source, target, tables, location: of(to).location, onProgress };
      const moved = await moveTables({ ...options, signal: signal ?? new AbortController().signal });
      await target.finish();
      return moved;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function createEmpty(migrated = true): Promise<string> {
  const { url, remove } = await createPostgresDatabase({ migrated });
  onTestFinished(remove);
  return url;
}

async function makeSource(executions = 3): Promise<string> {
  const { filePath, db, remove } = await createScratchDatabase();
  onTestFinished(remove);
  fillEveryTable(db.raw, (table) => (table === "Execution" ? executions : 3));
  await db.close();
  return filePath;
}

const reading = <T>(file: string, work: (raw: RawDatabase) => T): T => {
  const raw = new Database(file, { readonly: true });
  try {
    return work(raw);
  } finally {
    raw.close();
  }
};
const hashFile = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

it("copies each row once, wherever an earlier move ended and the batches of the source begin", async () => {
  const table: MovedTable = { name: "T", columns: [{ name: "n", kind: "integer" }], key: ["n"], counter: null };
  const all = Array.from({ length: 23 }, (_, index) => String(index));
  const sumOf = (count: number): Checksum => {
    const sum = new Checksum();
    for (const line of all.slice(0, count)) sum.add(line);
    return sum;
  };
  for (const size of [1, 4, 7, 50]) {
    for (const present of [0, 1, 3, 8, 22, 23]) {
      const stored = all.slice(0, present);
      const target: MoveTarget = {
        read: async function* () {
          yield stored;
        },
        countRows: async () => stored.length,
        readCounter: async () => 0,
        readProgress: async () => new Map([["T", { rows: present, checksum: sumOf(present).toString() }]]),
        begin: () => Promise.reject(new Error("It has begun")),
        append: async (_table, lines) => void stored.push(...lines),
        raiseCounter: async () => undefined,
        finish: async () => undefined,
        close: async () => undefined,
      };
      const source: MoveSource = {
        ...target,
        countRows: async () => all.length,
        selectTexts: async () => [],
        read: async function* () {
          for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
        },
      };
      const options = { source, target, tables: [table], location: "here", onProgress: () => undefined };
      const moved = await moveTables({ ...options, signal: new AbortController().signal });
      expect(stored, `${size} at a time, ${present} present`).toEqual(all);
      expect(moved).toEqual([{ name: "T", rows: 23, checksum: sumOf(23).toString() }]);
    }
  }
});

describe.skipIf(!HAS_POSTGRES)("a move between SQLite and PostgreSQL", () => {
  it("carries every column of every table there and back: NUL, half pairs, bytes, booleans, dates, 64 bits, counters", async () => {
    const source = await makeSource();
    const before = hashFile(source);
    const middle = await createEmpty(false);
    const back = path.join(makeFolder(), "back.db");
    const there = await move(`file:${source}`, middle);
    expect(there.every(({ rows }) => rows === 3)).toBe(true);
    expect(there.length).toBeGreaterThan(40);
    const again = await move(middle, `file:${back}`);
    expect(again).toEqual(there);
    for (const { name } of there) {
      expect(
        reading(back, (raw) => listRows(raw, name)),
        name,
      ).toEqual(reading(source, (raw) => listRows(raw, name)));
    }
    const readCounters = (raw: RawDatabase) => raw.prepare("SELECT name, seq FROM sqlite_sequence ORDER BY name").all();
    expect(reading(back, readCounters)).toEqual(reading(source, readCounters));
    expect(hashFile(source)).toBe(before);
    // Both can be used now.
    for (const url of [middle, `file:${back}`]) await migrateDatabase(url, HOME, quietLogger());
  });

  it("counts on behind the highest number that the source gave, also of rows that are gone", async () => {
    const source = await makeSource();
    const middle = await createEmpty();
    await move(`file:${source}`, middle);
    await administer(
      middle,
      `INSERT INTO "Approval" ("executionId", "status", "requestedAt", "expiresAt") VALUES ('next', 'open', 1, 1)`,
    );
    const client = new pg.Client({ connectionString: middle });
    await client.connect();
    const { rows } = await client.query(`SELECT seq FROM "Approval" WHERE "executionId" = 'next'`);
    await client.end();
    expect(rows).toEqual([{ seq: 1_004 }]);
  });

  it("continues behind the rows that are there after each kind of end, and ends with the same content", async () => {
    const large = await makeSource(1_200);
    const middle = await createEmpty();
    const wanted = await move(`file:${large}`, await createEmpty());
    const places: ((step: MoveStep) => boolean)[] = [
      ({ kind, table }) => kind === "copy" && table === "Definition",
      ({ kind, table, rows }) => kind === "copy" && table === "Execution" && rows > 10,
      ({ kind, table, rows }) => kind === "copy" && table === "Execution" && rows > 700,
      ({ kind, table }) => kind === "copy" && table === "WebhookDelivery",
      ({ kind, table }) => kind === "verify" && table === "Execution",
    ];
    const checked: number[] = [];
    for (const isPlace of places) {
      const ending = new AbortController();
      let isFirst = true;
      const onProgress = (step: MoveStep): void => {
        if (step.table === "Execution" && step.kind === "copy" && isFirst) {
          checked.push(step.rows);
          isFirst = false;
        }
        if (isPlace(step)) ending.abort();
      };
      await expect(move(`file:${large}`, middle, { onProgress, signal: ending.signal })).rejects.toThrow(/abort/);
      await expect(migrateDatabase(middle, HOME, quietLogger())).rejects.toThrow(/whose move has not ended/);
    }
    // Each began behind the rows of the one before; the last two had nothing left to copy there.
    expect(checked).toHaveLength(3);
    expect(checked).toEqual([...checked].sort((one, other) => one - other));
    expect(await move(`file:${large}`, middle)).toEqual(wanted);
  });

  it("refuses a target with rows of its own, and a part of another source or of one that changed", async () => {
    const source = await makeSource();
    const used = await createPostgresDatabase({ migrated: true });
    onTestFinished(used.remove);
    await administer(used.url, `INSERT INTO "Setting" (key, value, "updatedAt") VALUES ('k', 'v', 1)`);
    await expect(move(`file:${source}`, used.url)).rejects.toThrow(/is not empty \(Setting has rows\).*createdb/);

    const changing = await makeSource();
    const part = await createEmpty();
    const ending = new AbortController();
    const onProgress = ({ table }: MoveStep): void => (table === "Setting" ? ending.abort() : undefined);
    await expect(move(`file:${changing}`, part, { onProgress, signal: ending.signal })).rejects.toThrow(/abort/);
    const raw = new Database(changing);
    raw.exec(`UPDATE "Execution" SET "pinned" = 1 - "pinned" WHERE seq = 2`);
    raw.close();
    await expect(move(`file:${changing}`, part)).rejects.toThrow(
      /a part of another database, or the source has changed since that move began \(Execution differs\)/,
    );
  });

  it("finds a row that arrived differently", async () => {
    const source = await makeSource();
    const middle = await createEmpty();
    let isDone = false;
    const onProgress = ({ kind }: MoveStep): void => {
      if (kind !== "verify" || isDone) return;
      isDone = true;
      // In a process of its own, which the move waits for.
      const script = `
        import pg from "pg";
        const client = new pg.Client(${JSON.stringify(middle)});
        await client.connect();
        await client.query('UPDATE "Setting" SET "updatedAt" = "updatedAt" + 1 WHERE key = (SELECT min(key) FROM "Setting")');
        await client.end();`;
      execFileSync(process.execPath, ["--input-type=module", "--eval", script]);
    };
    const failed = move(`file:${source}`, middle, { onProgress }).catch((error: Error) => error.message);
    expect(await failed).toMatch(
      /^The rows of Setting in postgresql:.* are not those of the source: 3 were read and 3 are there, with other values/,
    );
  });

  it("upgrades a copy of an older file, which stays as it is", async () => {
    const file = path.join(makeFolder(), "old.db");
    const old = path.join(makeFolder(), "migrations");
    copyMigrations(old, "20261221000000");
    await migrateSqlite({ url: `file:${file}`, logger: quietLogger(), folder: old });
    const raw = new Database(file);
    raw.exec(`INSERT INTO "Setting" (key, value, "updatedAt") VALUES ('k', 'v', 1)`);
    raw.close();
    const before = hashFile(file);
    const middle = await createEmpty();
    const ending = new AbortController();
    const stop = { onProgress: () => ending.abort(), signal: ending.signal };
    await expect(move(`file:${file}`, middle, stop)).rejects.toThrow(/abort/);
    const copy = hashFile(`${file}.move`);
    const moved = await move(`file:${file}`, middle);
    expect(moved.filter(({ rows }) => rows > 0)).toEqual([expect.objectContaining({ name: "Setting", rows: 1 })]);
    expect([hashFile(file), hashFile(`${file}.move`)]).toEqual([before, copy]);
    removeUpgradedCopy(of(`file:${file}`));
    expect(existsSync(`${file}.move`)).toBe(false);
    rmSync(file);
  });
});
