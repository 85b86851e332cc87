import { type ChildProcess, execFile, spawn } from "node:child_process";
import { access, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { freePort } from "../src/lib/free-port.test-support";

const VERSION = "4.2";
const FOLDER = path.resolve(import.meta.dirname, "../.toolroom/bench/mcp-hub");
const CLI = path.join(FOLDER, "node_modules/mcp-hub/dist/cli.js");
const INSTALL_LIMIT_MS = 120_000;
const START_LIMIT_MS = 30_000;
const run = promisify(execFile);

/** mcp-hub with the same servers, installed on demand into a folder of its own; null where that fails. */
export async function startMcpHub(
  mcpServers: Record<string, object>,
): Promise<{ url: string; child: ChildProcess } | null> {
  try {
    await mkdir(FOLDER, { recursive: true });
    await access(CLI).catch(() => install());
    const config = path.join(FOLDER, "servers.json");
    await writeFile(config, JSON.stringify({ mcpServers }));
    const port = await freePort();
    // It writes its log and state below the home folder.
    const env = {
      ...process.env,
      HOME: FOLDER,
      XDG_STATE_HOME: FOLDER,
      XDG_DATA_HOME: FOLDER,
      XDG_CONFIG_HOME: FOLDER,
    };
    const args = [CLI, "--port", String(port), "--config", config];
    const child = spawn(process.execPath, args, { stdio: "ignore", env });
    const origin = `http://127.0.0.1:${port}`;
    await demandServers(origin, Object.keys(mcpServers).length).catch((error: unknown) => {
      child.kill("SIGTERM");
      throw error;
    });
    return { url: `${origin}/mcp`, child };
  } catch (error) {
    console.log(`mcp-hub is left out: ${String(error).split("\n")[0]}`);
    return null;
  }
}

async function install(): Promise<void> {
  await writeFile(path.join(FOLDER, "package.json"), '{"private":true}');
  const args = ["install", "--no-audit", "--no-fund", "--no-save", `mcp-hub@${VERSION}`];
  await run("npm", args, { cwd: FOLDER, timeout: INSTALL_LIMIT_MS });
}

async function demandServers(origin: string, count: number): Promise<void> {
  const giveUpAt = Date.now() + START_LIMIT_MS;
  while (Date.now() < giveUpAt) {
    const health = await fetch(`${origin}/api/health`).catch(() => null);
    const { servers = [] } = ((await health?.json()) ?? {}) as { servers?: { status: string }[] };
    if (servers.filter(({ status }) => status === "connected").length === count) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`its servers did not connect within ${START_LIMIT_MS / 1000} s`);
}

/** Megabytes that a process holds in memory; null where `ps` does not say. */
export async function residentMb(pid: number | undefined): Promise<number | null> {
  const { stdout } = await run("ps", ["-o", "rss=", "-p", String(pid)]).catch(() => ({ stdout: "" }));
  return stdout.trim() === "" ? null : Math.round(Number(stdout) / 1024);
}
