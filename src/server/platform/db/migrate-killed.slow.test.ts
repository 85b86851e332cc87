import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleServerCode } from "../../../../scripts/server-code.mjs";
import Database from "../../../../scripts/sqlite.mjs";
import { createSample } from "../../../lib/sample.test-support";
import { quietLogger } from "./database.test-support";
import { migrateSqlite } from "./migrate";
import { buildOlderDatabase, copyOlderMigrations, readOlderData } from "./migrate.test-support";
import { restoreDatabase } from "./restore-database";
import { openSqlite } from "./sqlite/sqlite-database";
import { listCopies } from "./upgrade-copy";

const logger = quietLogger();
const RANDOM_KILLS = Number(process.env.KILLS ?? (process.env.TOOLROOM_TEST_SAMPLE === "all" ? 6 : 2));
const quiet = "{ debug() {}, info() {}, warn() {}, error() {} }";

/**
 * Migrates in a process of its own. The handles of that process execute scripts statement by statement; with `IMAGES`, the
 * database's folder is copied there before each one. A copy is what a kill at that moment leaves: SIGKILL loses nothing
 * that the system has taken.
 */
const CHILD = `
  import { cpSync } from "node:fs";
  import path from "node:path";
  import Database from "better-sqlite3";
  import { migrateSqlite } from ${JSON.stringify(await bundleServerCode("src/server/platform/db/migrate.ts"))};
  import { executeByStatement } from ${JSON.stringify(await bundleServerCode("src/server/platform/db/sqlite/complete-migration.ts"))};
  const { URL: url, IMAGES: images } = process.env;
  let steps = 0;
  let nested = false;
  const step = () => {
    steps += 1;
    if (images) cpSync(path.dirname(url.slice("file:".length)), path.join(images, "step-" + steps), { recursive: true });
  };
  const exec = Database.prototype.exec;
  const backup = Database.prototype.backup;
  Database.prototype.exec = function (sql) {
    if (nested || this.memory) return exec.call(this, sql);
    nested = true;
    try {
      if (/^(BEGIN|COMMIT)/.test(sql)) { step(); exec.call(this, sql); }
      else { step(); for (const _ of executeByStatement(this, sql)) step(); }
    } finally { nested = false; }
    return this;
  };
  Database.prototype.backup = async function (...args) {
    step();
    const result = await backup.apply(this, args);
    step();
    return result;
  };
  process.stdout.write("started\\n");
  await migrateSqlite({ url, logger: ${quiet} });
  process.stdout.write("steps=" + steps + "\\n");
`;

/** Restores in a process of its own; with `IMAGES`, the folder is copied before each change of its files. */
const RESTORING_CHILD = `
  import fs, { cpSync } from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  import path from "node:path";
  const { URL: url, IMAGES: images, COPY: copy } = process.env;
  let steps = 0;
  for (const name of ["linkSync", "renameSync", "rmSync"]) {
    const change = fs[name];
    fs[name] = (...args) => {
      steps += 1;
      if (images) cpSync(path.dirname(url.slice("file:".length)), path.join(images, "step-" + steps), { recursive: true });
      return change(...args);
    };
  }
  syncBuiltinESMExports();
  const { restoreDatabase } = await import(${JSON.stringify(await bundleServerCode("src/server/platform/db/restore-database.ts"))});
  process.stdout.write("started\\n");
  await restoreDatabase(url, copy);
  process.stdout.write("steps=" + steps + "\\n");
`;

let folder: string;
let template: string;
let older: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "toolroom-killed-"));
  template = path.join(folder, "template.db");
  older = copyOlderMigrations(folder);
  await buildOlderDatabase(template, older);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function startChild(filePath: string, { images = "", copy = "" } = {}) {
  const program = copy === "" ? CHILD : RESTORING_CHILD;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...process.env, IMAGES: images, COPY: copy, URL: `file:${filePath}` },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  const started = new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes("started")) resolve();
    });
  });
  const ended = new Promise<{ signal: string | null; code: number | null; steps: number }>((resolve) => {
    child.once("close", (code, signal) =>
      resolve({ code, signal, steps: Number(/steps=(\d+)/.exec(printed)?.[1] ?? 0) }),
    );
  });
  return { child, started, ended };
}

/** A step within a transaction changes no file, so most images are the same: one of each kind. */
function findDistinct(images: string): string[] {
  const distinct = new Map<string, string>();
  for (const image of readdirSync(images)) {
    const hash = createHash("sha256");
    for (const name of readdirSync(path.join(images, image)).sort()) {
      hash.update(name).update(readFileSync(path.join(images, image, name)));
    }
    distinct.set(hash.digest("hex"), image);
  }
  return [...distinct.values()];
}

function newDatabase(withData: boolean): string {
  const filePath = path.join(mkdtempSync(path.join(folder, "case-")), "toolroom.db");
  if (withData) cpSync(template, filePath);
  return filePath;
}

/** Starts again after a kill: the schema is complete, the data is there, and a row can be written. */
async function expectUsable(filePath: string, withData: boolean): Promise<void> {
  const url = `file:${filePath}`;
  await migrateSqlite({ url, logger });
  if (withData) expect(readOlderData(filePath)).toBe(readOlderData(template));
  const db = await openSqlite({ url, logger });
  await db.prisma.toolApprovalMode.create({ data: { name: "x", mode: "always", setAt: 1n } });
  expect(db.raw.pragma("integrity_check", { simple: true })).toBe("ok");
  await db.close();
  expect(readdirSync(path.dirname(filePath)).filter((name) => name.includes(".tmp"))).toEqual([]);
  rmSync(path.dirname(filePath), { recursive: true });
}

/** The program before the upgrade opens the database that a kill left, or the one copy of it. */
async function expectWayBack(filePath: string): Promise<void> {
  const copies = listCopies(filePath);
  expect(copies.length).toBeLessThanOrEqual(1);
  for (const copy of copies) expect(readOlderData(copy)).toBe(readOlderData(template));
  const outcome = await migrateSqlite({ url: `file:${filePath}`, logger, folder: older }).catch(
    (error: Error) => error,
  );
  if (!(outcome instanceof Error)) return expect(outcome).toEqual({ applied: [] });
  expect(outcome.message).toContain(`bring back the copy from before its upgrade (toolroom restore "${copies[0]}")`);
  // A database between the two would be copied again, and in the end the copy of the older program would be gone.
  expect(await migrateSqlite({ url: `file:${filePath}`, logger })).toEqual({ applied: [] });
}

describe.each([
  ["the first start", false],
  ["an upgrade of existing data", true],
])("a server that is killed during %s", (what, withData) => {
  it("starts again with all data after a kill at any step (all in continuous integration, elsewhere a sample)", {
    timeout: 120_000,
  }, async () => {
    const filePath = newDatabase(withData);
    const images = mkdtempSync(path.join(folder, "images-"));
    const { steps, code } = await startChild(filePath, { images }).ended;
    expect([code, steps > 20, readdirSync(images).length]).toEqual([0, true, steps]);
    await expectUsable(filePath, withData);
    const isSampled = createSample(3, what);
    for (const image of findDistinct(images)) {
      if (!isSampled()) continue;
      const database = path.join(images, image, "toolroom.db");
      if (withData) await expectWayBack(database);
      await expectUsable(database, withData);
    }
  });

  it("starts again with all data after a kill at any moment", { timeout: 120_000 }, async () => {
    for (let round = 0; round < RANDOM_KILLS; round += 1) {
      const filePath = newDatabase(withData);
      const { child, started, ended } = startChild(filePath);
      await started;
      setTimeout(() => child.kill("SIGKILL"), Math.random() * 60);
      await ended;
      await expectUsable(filePath, withData);
    }
  });
});

it("a restore that is killed at any step leaves one of the two databases whole, and can be made again", async () => {
  const filePath = newDatabase(true);
  await migrateSqlite({ url: `file:${filePath}`, logger });
  const raw = new Database(filePath);
  raw.exec("INSERT INTO ToolApprovalMode (name, mode, setAt) VALUES ('later', 'always', 1)");
  raw.close();
  const images = mkdtempSync(path.join(folder, "images-"));
  const { steps, code } = await startChild(filePath, { images, copy: template }).ended;
  expect([code, steps > 5, readdirSync(images).length]).toEqual([0, true, steps]);
  const kept = new Set<boolean>();
  for (const image of findDistinct(images)) {
    const url = `file:${path.join(images, image, "toolroom.db")}`;
    const file = path.join(images, image, "toolroom.db");
    expect(readOlderData(file)).toBe(readOlderData(template));
    kept.add(hasLater(file));
    // What the interrupted one set aside is there too.
    expect([file, ...listCopies(file)].some(hasLater)).toBe(true);
    await restoreDatabase(url, template);
    expect(hasLater(file)).toBe(false);
    expect(await migrateSqlite({ url, logger, folder: older })).toEqual({ applied: [] });
    expect(readdirSync(path.dirname(file)).filter((name) => /\.tmp|\.restore/.test(name))).toEqual([]);
  }
  expect(kept).toEqual(new Set([true, false]));
}, 120_000);

/** Whether it is the database after the upgrade, in which a row was written. */
function hasLater(file: string): boolean {
  const raw = new Database(file, { readonly: true });
  try {
    const table = raw.prepare("SELECT 1 FROM sqlite_master WHERE name = 'ToolApprovalMode'").get();
    return (
      table !== undefined && raw.prepare("SELECT 1 FROM ToolApprovalMode WHERE name = 'later'").get() !== undefined
    );
  } finally {
    raw.close();
  }
}
