import { spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bundleServerCode } from "../../../scripts/server-code.mjs";
import Sqlite from "../../../scripts/sqlite.mjs";
import { quietLogger } from "../platform/db/database.test-support";
import { migrateSqlite } from "../platform/db/migrate";

const IS_ROOT = process.getuid?.() === 0;
/** Permissions do not hold root back, so the server is started as another user then. */
const OTHER_USER = 65_534;
const START = `
  import { startContainer } from ${JSON.stringify(await bundleServerCode("src/server/main/start.ts"))};
  await startContainer();
  process.stdout.write("started");
  process.exit(0);
`;
/** The part of a start that refuses, since the rest of the server takes seconds to load; `START` proves what becomes of its error. */
const MIGRATE = `
  import { migrateSqlite } from ${JSON.stringify(await bundleServerCode("src/server/platform/db/migrate.ts"))};
  const ignore = () => {};
  const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  await migrateSqlite({ url: process.env.DATABASE_URL, logger }).catch((error) => {
    process.stderr.write(error.message);
    process.exit(1);
  });
`;

let folder: string;
let filePath: string;

beforeEach(async () => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), "toolroom-start-")), "data");
  mkdirSync(folder);
  chmodSync(path.dirname(folder), 0o755);
  filePath = path.join(folder, "toolroom.db");
});
afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(path.dirname(folder), { recursive: true });
});

function run(code: string): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    env: { ...process.env, NODE_ENV: "production", DATABASE_URL: `file:${filePath}`, TOOLROOM_LOG_LEVEL: "silent" },
    stdio: ["ignore", "pipe", "pipe"],
    ...(IS_ROOT ? { uid: OTHER_USER, gid: OTHER_USER } : {}),
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
  }
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, said })));
}

async function expectRefusal(message: RegExp, process = MIGRATE): Promise<void> {
  const { code, said } = await run(process);
  expect(said).toMatch(message);
  expect(said).not.toMatch(/\n\s+at /);
  expect(said.trim().split("\n")).toHaveLength(1);
  expect(code).toBe(1);
}

// A start loads the whole server.
const SLOW = { timeout: 120_000 };

describe.skipIf(process.platform === "win32")("a start that cannot succeed", SLOW, () => {
  it("ends with code 1 and one line that names the folder it cannot write in, without and with a database in it", async () => {
    chmodSync(folder, 0o555);
    await expectRefusal(
      /^Toolroom could not start: The database .* cannot be opened\. Make its folder writable/,
      START,
    );
    chmodSync(folder, 0o755);
    await migrateSqlite({ url: `file:${filePath}`, logger: quietLogger() });
    if (IS_ROOT) chownSync(filePath, OTHER_USER, OTHER_USER);
    chmodSync(folder, 0o555);
    await expectRefusal(/This user cannot write in .*data, the folder of the database.*Change the owner/);
  });

  it("ends with one line that names the database it cannot write", async () => {
    await migrateSqlite({ url: `file:${filePath}`, logger: quietLogger() });
    if (IS_ROOT) chownSync(folder, OTHER_USER, OTHER_USER);
    chmodSync(filePath, 0o444);
    await expectRefusal(/This user cannot read and write the database .*toolroom\.db\. Change the owner/);
  });

  it("ends with one line that names the tables which are missing", async () => {
    await migrateSqlite({ url: `file:${filePath}`, logger: quietLogger() });
    const raw = new Sqlite(filePath);
    raw.exec("DROP TABLE Setting");
    raw.close();
    if (IS_ROOT) for (const file of [folder, filePath]) chownSync(file, OTHER_USER, OTHER_USER);
    await expectRefusal(/is incomplete: it has no table Setting.*Restore it from a complete copy/);
  });
});
