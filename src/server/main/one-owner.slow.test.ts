import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import Sqlite from "../../../scripts/sqlite.mjs";
import type { ApprovalOutcome } from "../../lib/contract/approval";
import { newExecutionId } from "../../lib/execution-id";
import { waitUntil } from "../../lib/wait-until.test-support";
import { type ServerProcess, spawnServer, startServer } from "./spawn-server.test-support";

const run = promisify(execFile);

let folder: string;
let filePath: string;
let server: ServerProcess;

const variables = () => ({
  ...process.env,
  DATABASE_URL: `file:${filePath}`,
  TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
  TOOLROOM_LOG_LEVEL: "silent",
  TOOLROOM_SHUTDOWN_GRACE_MS: "50",
  TOOLROOM_URL: undefined,
  PORT: "4321",
  npm_lifecycle_event: undefined,
});

/** @returns what a command of the project wrote, and its exit code */
async function command(script: string, ...args: string[]): Promise<{ code: number; said: string }> {
  const ended = await run(process.execPath, [`scripts/${script}.mjs`, ...args], { env: variables() }).then(
    (output) => ({ code: 0, ...output }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  return { code: ended.code, said: ended.stdout + ended.stderr };
}

/** Reads what a refused process could have changed. The server itself indexes texts a moment after a call. */
function readStored(): unknown[] {
  const raw = new Sqlite(filePath, { readonly: true });
  const selectTables =
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'ExecutionText%' AND name NOT LIKE '%Statistic%' AND name NOT LIKE 'Uncounted%'";
  const tables = raw.prepare(selectTables).pluck().all() as string[];
  const counts = tables.sort().map((name) => [name, raw.prepare(`SELECT count(*) FROM "${name}"`).pluck().get()]);
  raw.close();
  return counts;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-owner-"));
  filePath = path.join(folder, "owned.db");
  server = await startServer(variables());
}, 400_000);
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("a server that runs on a database", { timeout: 120_000 }, () => {
  const owned = () =>
    `The database ${filePath} is in use by the Toolroom at http://127.0.0.1:4321 (pid ${server.child.pid}). ` +
    "Use that one, or stop it first, or set DATABASE_URL to another file.";

  it("keeps a second server out, which ends with one line that names the first, and changes nothing", async () => {
    const before = readStored();
    const child = await spawnServer(variables());
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    expect(await once(child, "close")).toEqual([1, null]);
    expect(said).toBe(`Toolroom could not start: ${owned()}\n`);
    expect(readStored()).toEqual(before);
    expect((await server.run("echo", { message: "still here" })).status).toBe("succeeded");
  });

  it("keeps out commands that write, and lets those read that only read", async () => {
    const before = readStored();
    const seeded = await command("seed", "first-day");
    expect(seeded).toEqual({ code: 1, said: expect.stringContaining(owned()) });
    expect(seeded.said).not.toMatch(/\n\s+at /);
    expect(await command("catalog-import", path.resolve("package.json"))).toEqual({
      code: 1,
      said: expect.stringContaining(owned()),
    });
    expect(readStored()).toEqual(before);
    expect(await command("audit-verify")).toEqual({ code: 0, said: expect.stringContaining("Intact") });
  });

  it("AGT-05 EXE-06 and is killed is followed at once: its calls are interrupted, and those that wait can be decided", async () => {
    const slow = newExecutionId();
    const asked = newExecutionId();
    const args = { steps: 20, step_ms: 10_000 };
    await server.run("slow_report", args, { executionId: slow, waitMs: 0, timeoutMs: 600_000 });
    await server.call("tools.setApproval", { name: "echo", mode: "always" });
    expect((await server.run("echo", { message: "hi" }, { executionId: asked })).status).toBe("waiting");
    const ended = once(server.child, "exit");
    server.child.kill("SIGKILL");
    await ended;
    server = await startServer(variables());
    expect(await server.getStatus(slow)).toBe("interrupted");
    expect(await server.getStatus(asked)).toBe("waiting");
    const decision = { executionId: asked, decision: { approved: true } };
    expect((await server.call<ApprovalOutcome>("approvals.decide", decision)).decided).toBe(true);
    await waitUntil(async () => expect(await server.getStatus(asked)).toBe("succeeded"));
  });
});
