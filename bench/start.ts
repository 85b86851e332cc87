/**
 * `npm run bench:start`: from an empty npm cache to the first page, the same with a filled cache, memory at rest, and the second
 * start with 1,000,000 calls recorded (`CALLS`), beside mcp-hub and the MCP Inspector. Needs `npm run package` and a registry.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runTool } from "../e2e/support/api";
import { freePort } from "../src/lib/free-port.test-support";
import { copyCalls } from "./copy-calls";

const CALLS = Number(process.env.CALLS ?? 1_000_000);
const REST_MS = Number(process.env.REST_MS ?? 45_000);
const LIMIT_MS = 600_000;
const STATE = path.resolve(".toolroom");

interface Program {
  name: string;
  /** Of `npx`. */
  args: string[];
  env?: Record<string, string>;
  page: string;
}

interface Started {
  ms: number;
  memoryMb: () => number;
  stop: () => Promise<void>;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The largest process below `root`, in megabytes: the server, and neither npx nor its shell. */
function largestBelow(root: number): number {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid=,rss="], { encoding: "utf8" }).trim().split("\n");
  const processes = rows.map((row) => row.trim().split(/\s+/).map(Number) as [number, number, number]);
  const below = new Set([root]);
  for (let size = 0; size !== below.size; ) {
    size = below.size;
    for (const [pid, parent] of processes) if (below.has(parent)) below.add(pid);
  }
  below.delete(root);
  return Math.round(Math.max(...processes.filter(([pid]) => below.has(pid)).map(([, , rss]) => rss)) / 1024);
}

async function start({ name, args, env, page }: Program, home: string): Promise<Started> {
  const { PATH = "" } = process.env;
  const child = spawn("npx", ["-y", ...args], {
    cwd: home,
    detached: true,
    stdio: "ignore",
    env: { PATH, HOME: home, npm_config_update_notifier: "false", ...env } as unknown as NodeJS.ProcessEnv,
  });
  const startedAt = performance.now();
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  while (
    !(await fetch(page).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || performance.now() - startedAt > LIMIT_MS) throw new Error(`${name} did not start`);
    await sleep(20);
  }
  const { pid = 0 } = child;
  return {
    ms: performance.now() - startedAt,
    memoryMb: () => largestBelow(pid),
    async stop() {
      process.kill(-pid, "SIGTERM");
      await closed;
    },
  };
}

function findPackage(): string {
  const file = readdirSync(STATE).find((name) => name.endsWith(".tgz"));
  if (file === undefined) throw new Error("There is no package: npm run package");
  return path.join(STATE, file);
}

async function listPrograms(home: string): Promise<Program[]> {
  const [own, hub, page, proxy] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const servers = path.join(home, "servers.json");
  writeFileSync(servers, JSON.stringify({ mcpServers: {} }));
  const local = (port: number, at = "/") => `http://127.0.0.1:${port}${at}`;
  return [
    {
      name: "Toolroom",
      args: [`file:${findPackage()}`, "--port", String(own), "--data", path.join(home, "data")],
      page: local(own),
    },
    {
      name: "mcp-hub",
      args: ["mcp-hub@4.2", "--port", String(hub), "--config", servers],
      page: local(hub, "/api/health"),
    },
    {
      name: "MCP Inspector",
      args: ["@modelcontextprotocol/inspector"],
      env: { CLIENT_PORT: String(page), SERVER_PORT: String(proxy), HOST: "127.0.0.1", MCP_AUTO_OPEN_ENABLED: "false" },
      page: local(page),
    },
  ];
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const folder = mkdtempSync(path.join(tmpdir(), "toolroom-start-"));
console.log(`The package has ${(statSync(findPackage()).size / 1_000_000).toFixed(1)} MB.`);
console.log("| | empty cache to first page | filled cache | memory at rest |");
console.log("| --- | ---: | ---: | ---: |");
try {
  for (const program of await listPrograms(folder)) {
    const home = path.join(folder, program.name.replaceAll(" ", "-"));
    mkdirSync(home);
    try {
      const cold = await start(program, home);
      await cold.stop();
      const warm = await start(program, home);
      await sleep(REST_MS);
      console.log(`| ${program.name} | ${seconds(cold.ms)} | ${seconds(warm.ms)} | ${warm.memoryMb()} MB |`);
      if (program.name === "Toolroom") await runTool(new URL(program.page).origin, "echo", { message: "one" });
      await warm.stop();
    } catch (error) {
      console.log(`| ${program.name} | left out: ${String(error).split("\n")[0]} | | |`);
      continue;
    }
    if (program.name !== "Toolroom") continue;
    copyCalls(path.join(folder, "data/toolroom.db"), CALLS);
    const full = await start(program, home);
    console.log(`| Toolroom with ${CALLS} calls | | ${seconds(full.ms)} | ${full.memoryMb()} MB |`);
    await full.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
