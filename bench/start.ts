/**
 * `npm run bench:start`: from an empty npm cache to the first page, the same with a filled cache, memory at rest, and the second
 * start with 1,000,000 calls recorded (`CALLS`), beside mcp-hub and the MCP Inspector. Needs `npm run package` and a registry.
 * A registry on loopback gives out the package, since npx opens a file three times at each start.
 */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
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

/** A registry that has this one package. */
async function serveRegistry(file: string): Promise<Server> {
  const body = readFileSync(file);
  const manifest = JSON.parse(execFileSync("tar", ["-xzOf", file, "package/package.json"], { encoding: "utf8" }));
  const integrity = `sha512-${createHash("sha512").update(body).digest("base64")}`;
  const server = createServer(({ url }, response) => {
    if (url === "/toolroom.tgz") return response.end(body);
    if (url !== "/toolroom") return response.writeHead(404).end("{}");
    const dist = { integrity, tarball: `${registryAddress(server)}/toolroom.tgz` };
    const { name, version } = manifest;
    return response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const registryAddress = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function listPrograms(home: string, registry: string): Promise<Program[]> {
  const [own, file, hub, page, proxy] = await Promise.all([1, 2, 3, 4, 5].map(() => freePort()));
  const servers = path.join(home, "servers.json");
  writeFileSync(servers, JSON.stringify({ mcpServers: {} }));
  const local = (port: number | undefined, at = "/") => `http://127.0.0.1:${port}${at}`;
  return [
    {
      name: "Toolroom",
      args: ["toolroom", "--port", String(own), "--data", path.join(home, "data")],
      env: { npm_config_registry: registry },
      page: local(own),
    },
    {
      name: "Toolroom from the file",
      args: [`file:${findPackage()}`, "--port", String(file), "--data", path.join(home, "data-file")],
      page: local(file),
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
const registry = await serveRegistry(findPackage());
try {
  for (const program of await listPrograms(folder, registryAddress(registry))) {
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
  registry.close();
  rmSync(folder, { recursive: true, force: true });
}
