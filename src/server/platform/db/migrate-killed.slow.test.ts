import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quietLogger } from "./database.test-support";
import { migrateSqlite } from "./migrate";
import { buildOlderDatabase, copyOlderMigrations, readOlderData } from "./migrate.test-support";
import { openSqlite } from "./sqlite/sqlite-database";

const logger = quietLogger();
const RANDOM_KILLS = 6;

/**
 * Migrates in a process of its own. The handles of that process execute scripts statement by statement; with `IMAGES`, the
 * database's folder is copied there before each one. A copy is what a kill at that moment leaves: SIGKILL loses nothing
 * that the system has taken.
 */
const CHILD = `
  import { cpSync } from "node:fs";
  import path from "node:path";
  import Database from "better-sqlite3";
  import { migrateSqlite } from ${JSON.stringify(path.resolve("src/server/platform/db/migrate.ts"))};
  import { executeByStatement } from ${JSON.stringify(path.resolve("src/server/platform/db/sqlite/complete-migration.ts"))};
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
  const quiet = () => {};
  process.stdout.write("started\\n");
  await migrateSqlite({ url, logger: { debug: quiet, info: quiet, warn: quiet, error: quiet } });
  process.stdout.write("steps=" + steps + "\\n");
`;

let folder: string;
let template: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "toolroom-killed-"));
  template = path.join(folder, "template.db");
  await buildOlderDatabase(template, copyOlderMigrations(folder));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function startChild(filePath: string, images = "") {
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", CHILD], {
    env: { ...process.env, IMAGES: images, URL: `file:${filePath}` },
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

describe.each([
  ["the first start", false],
  ["an upgrade of existing data", true],
])("a server that is killed during %s", (_what, withData) => {
  it("starts again with all data after a kill at any step", { timeout: 120_000 }, async () => {
    const filePath = newDatabase(withData);
    const images = mkdtempSync(path.join(folder, "images-"));
    const { steps, code } = await startChild(filePath, images).ended;
    expect([code, steps > 20, readdirSync(images).length]).toEqual([0, true, steps]);
    await expectUsable(filePath, withData);
    for (const image of findDistinct(images)) await expectUsable(path.join(images, image, "toolroom.db"), withData);
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
