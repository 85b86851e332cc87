import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newExecutionId } from "../../lib/execution-id";
import { waitUntil } from "../../lib/wait-until.test-support";
import { createPostgresDatabase, HAS_POSTGRES } from "../platform/db/postgres/scratch-postgres.test-support";
import { type ServerProcess, startServer } from "./spawn-server.test-support";
import { QUICK_TIMING } from "./start-copies.test-support";

const SLOW = { timeout: 180_000 };
/** Longer than any test. */
const REPORT = { steps: 20, step_ms: 30_000 };
const ECHO = path.resolve("e2e/support/mcp-servers/echo.mjs");

let folder: string;
let url: string;
let removeDatabase: () => Promise<void>;
const servers: ServerProcess[] = [];

async function start(port: number): Promise<ServerProcess> {
  const server = await startServer({
    ...process.env,
    DATABASE_URL: url,
    TOOLROOM_SECRET_KEY: "the key of the tests of copies",
    TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
    TOOLROOM_DATA: folder,
    TOOLROOM_LOG_LEVEL: "silent",
    TOOLROOM_SHUTDOWN_GRACE_MS: "50",
    TEST_COPY_TIMING: JSON.stringify(QUICK_TIMING),
    PORT: String(port),
    npm_lifecycle_event: undefined,
  });
  servers.push(server);
  return server;
}

/** The processes that a process started. */
function listChildren(parent: number): number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const status = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/status`, "utf8") : "";
      return new RegExp(`^PPid:\\t${parent}$`, "m").test(status) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function runReport(server: ServerProcess): Promise<string> {
  const id = newExecutionId();
  await server.run("slow_report", REPORT, { executionId: id, waitMs: 0, timeoutMs: 600_000 });
  await waitUntil(async () => expect(await server.getStatus(id)).toBe("running"));
  return id;
}

describe.skipIf(!HAS_POSTGRES || process.platform !== "linux")("copies of the server, each a process", SLOW, () => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-copies-"));
    ({ url, remove: removeDatabase } = await createPostgresDatabase({ migrated: true }));
    await Promise.all([start(4331), start(4332)]);
  }, 400_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await removeDatabase();
    await rm(folder, { recursive: true, force: true });
  });

  it("EXE-06 one that is killed is settled by the others: its calls are interrupted, theirs go on", async () => {
    const [first, second] = servers as [ServerProcess, ServerProcess];
    const lost = await runReport(second);
    const kept = await runReport(first);
    expect(await first.getStatus(lost)).toBe("running");
    const ended = once(second.child, "exit");
    second.child.kill("SIGKILL");
    await ended;
    await waitUntil(async () => expect(await first.getStatus(lost)).toBe("interrupted"));
    expect(await first.getStatus(kept)).toBe("running");
  });

  it("EXE-06 one that stood still for too long writes nothing to what it lost, ends its processes, and ends with 75", async () => {
    const [first] = servers as [ServerProcess];
    const third = await start(4333);
    await third.call("servers.create", {
      settings: { name: "echo", transport: "stdio", command: process.execPath, args: [ECHO] },
      enabled: true,
    });
    const pid = third.child.pid ?? 0;
    await waitUntil(() => listChildren(pid).length > 0);
    const children = listChildren(pid);
    const id = newExecutionId();
    // It would end while the copy sleeps.
    await third.run("slow_report", { steps: 1, step_ms: 3_000 }, { executionId: id, waitMs: 0 });
    await waitUntil(async () => expect(await first.getStatus(id)).toBe("running"));
    third.child.kill("SIGSTOP");
    await waitUntil(async () => expect(await first.getStatus(id)).toBe("interrupted"));
    const ended = once(third.child, "exit");
    third.child.kill("SIGCONT");
    expect(await ended).toEqual([75, null]);
    await waitUntil(() => !children.some(isRunning));
    expect(await first.getStatus(id)).toBe("interrupted");
  });
});
