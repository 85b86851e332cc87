/**
 * `npm run bench:gateway`: tools/call of an echo server, direct and through the built server with the execution log on, sequential
 * and 32 concurrent, 100 B and 100 kB each way; all in one run, in alternating rounds, as ratios to the direct HTTP call.
 * `-- --memory`: 50,000 calls in one session, the server's memory (SIZE=100000 for large ones, BACKEND=http). ERA=auto: the stateless protocol
 * to the gateway (direct calls use sessions, the only protocol of the echo server). Other gateways are measured beside it, with the
 * same servers: mcp-hub 4.2, installed on demand, and FastMCP, LiteLLM and ContextForge where they are on PATH or in the folders of PEERS
 * (ONLY=litellm,mcp-hub chooses). The bare proxies are the floor: they only pass bytes on.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { authorize, signInOwner } from "../e2e/support/accounts";
import prepareBuild from "../e2e/support/build";
import { launchServer } from "../e2e/support/server";
import { median } from "./median";
import { residentMb, startPeers } from "./peers";

const HERE = import.meta.dirname;
const ECHO = path.join(HERE, "gateway-echo-server.mjs");
const ROUNDS = Number(process.env.ROUNDS ?? 9);
const ROUND_MS = Number(process.env.ROUND_MS ?? 1000);
const SEQUENTIAL_CALLS = 150;
/** Some peers start a process for each call. */
const SLOW_MS = 5_000;
/** Times the characters of a call. */
const WARM_UP_CALLS = 200_000;
const AT_ONCE = 32;
const MEMORY_CALLS = Number(process.env.CALLS ?? 50_000);
/** Without calls for this long, V8 collects its heap and returns what is free. */
const REST_MS = 45_000;
const MODE = process.env.ERA === "auto" ? "auto" : "legacy";
const SIZES = [
  { label: "100 B", text: "x".repeat(100) },
  { label: "100 kB", text: "x".repeat(100_000) },
];
/** The URLs of the contenders. */
const REACH: Record<string, string> = {
  "gateway → http": "at most 1.6 and at least 0.7",
  "gateway → stdio": "at most 1.1 and at least 0.85",
};

interface Contender {
  name: string;
  client: Client;
  tool: string;
  /** Null where no processor time is read. */
  probe: string | null;
}

interface Gateway {
  url: string;
  /** The origin of `process-probe.mjs` in its process. */
  probe: string;
}

const children: ChildProcess[] = [];
const servers: Awaited<ReturnType<typeof launchServer>>[] = [];
// The SDK's stdio transport listens for `drain` once for each message that its pipe does not take at once.
EventEmitter.defaultMaxListeners = 0;

async function startProcess(args: string[]): Promise<string> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const [line] = await Promise.race([
    once(child.stdout, "data"),
    once(child, "exit").then(() => Promise.reject(new Error(`${args.join(" ")} ended`))),
  ]);
  return String(line).trim();
}

/** A server as users run it, connected to the echo server over stdio and over HTTP. */
async function startGateway(backend: string, folder: string, env: Record<string, string> = {}): Promise<Gateway> {
  const config = path.join(folder, "toolroom.json");
  const mcpServers = {
    stdio: { type: "stdio", command: process.execPath, args: [ECHO, "stdio"] },
    http: { type: "http", url: backend },
  };
  await writeFile(config, JSON.stringify({ tools: { registry: [] }, mcpServers }));
  const server = await launchServer({
    env: {
      TOOLROOM_CONFIG: config,
      // A line per call would measure the logger.
      TOOLROOM_LOG_LEVEL: "warn",
      NODE_OPTIONS: `--import ${path.join(HERE, "process-probe.mjs")} ${process.env.GATEWAY_OPTIONS ?? ""}`,
      ...env,
    },
  });
  servers.push(server);
  if (env.TOOLROOM_AUTH === "on") await signInOwner(server.url, server.output);
  return { url: `${server.url}/mcp`, probe: /probe: (\S+)/.exec(server.output())?.[1] ?? "" };
}

interface ConnectOptions {
  mode?: "legacy" | "auto" | "sse";
  probe?: string | null;
  headers?: Record<string, string>;
}

/** @param url null for the echo server over stdio */
async function connect(
  name: string,
  tool: string,
  url: string | null,
  { mode = "legacy", probe = null, headers = url === null ? {} : authorize(url) }: ConnectOptions = {},
): Promise<Contender> {
  const requestInit = { headers };
  const client = new Client(
    { name: "bench", version: "1.0.0" },
    { versionNegotiation: { mode: mode === "auto" ? "auto" : "legacy" } },
  );
  await client.connect(
    mode === "sse"
      ? new SSEClientTransport(new URL(url ?? ""))
      : url === null
        ? new StdioClientTransport({ command: process.execPath, args: [ECHO, "stdio"] })
        : new StreamableHTTPClientTransport(new URL(url), { requestInit }),
  );
  return { name, client, tool, probe };
}

/** Null, with a line, for a peer that does not serve the tool. */
async function connectPeer(...asked: Parameters<typeof connect>): Promise<Contender | null> {
  const [name] = asked;
  try {
    const contender = await connect(...asked);
    await call(contender, "x");
    return contender;
  } catch (error) {
    console.log(`${name} is left out: ${String(error).split("\n")[0]}`);
    return null;
  }
}

async function call({ client, tool, name }: Contender, text: string): Promise<void> {
  const { content } = await client.callTool({ name: tool, arguments: { text } });
  const [block] = content;
  if (block?.type !== "text" || block.text.length !== text.length) throw new Error(`${name} did not echo`);
}

/** Milliseconds: the median of calls one after another. */
async function sequential(contender: Contender, text: string): Promise<number> {
  const times: number[] = [];
  const until = performance.now() + SLOW_MS;
  for (let index = 0; index < SEQUENTIAL_CALLS && performance.now() < until; index += 1) {
    const begun = performance.now();
    await call(contender, text);
    times.push(performance.now() - begun);
  }
  return median(times);
}

/** Milliseconds of processor time that the gateway's process has used. */
async function processorTime({ probe }: Contender): Promise<number> {
  if (probe === null) return Number.NaN;
  const { user, system } = (await (await fetch(new URL("/cpu", probe))).json()) as NodeJS.CpuUsage;
  return (user + system) / 1000;
}

/** Calls per second, 32 in flight, and the gateway's processor time per call in milliseconds. */
async function throughput(contender: Contender, text: string): Promise<{ rate: number; cpu: number }> {
  const cpu = await processorTime(contender);
  const begun = performance.now();
  let calls = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() - begun < ROUND_MS) {
      await call(contender, text);
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const rate = (calls * 1000) / (performance.now() - begun);
  return { rate, cpu: ((await processorTime(contender)) - cpu) / calls };
}

/** A gateway runs for days: its first calls run code that is not compiled yet, and are up to twice as slow. */
async function warmUp(contender: Contender, text: string): Promise<void> {
  const until = performance.now() + SLOW_MS;
  for (let index = 0; index < WARM_UP_CALLS / text.length && performance.now() < until; index += 1) {
    await call(contender, text);
  }
  await throughput(contender, text);
}

async function compare(
  contenders: Contender[],
  { label, text }: (typeof SIZES)[number],
  base = "direct http",
): Promise<void> {
  const rounds = contenders.map(() => ({ p50: [] as number[], rate: [] as number[], cpu: [] as number[] }));
  for (const contender of contenders) await warmUp(contender, text);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      rounds[index]?.p50.push(await sequential(contender, text));
      const { rate, cpu } = await throughput(contender, text);
      rounds[index]?.rate.push(rate);
      rounds[index]?.cpu.push(cpu);
    }
  }
  const [direct] = rounds;
  const ratio = (values: number[], ofBase: number[] = []): string =>
    median(values.map((value, index) => value / (ofBase[index] ?? Number.NaN))).toFixed(2);
  console.log(`\n${label} each way, median of ${ROUNDS} rounds; ratios to ${base}`);
  console.log("| | p50 ms | calls/s at 32 | p50 ratio | throughput ratio | gateway's CPU ms/call, lowest | reach |");
  console.log("| :-- | ---: | ---: | ---: | ---: | ---: | :-- |");
  for (const [index, { name }] of contenders.entries()) {
    const { p50 = [], rate = [], cpu = [] } = rounds[index] ?? {};
    const cells = [
      median(p50).toFixed(2),
      Math.round(median(rate)).toLocaleString("en"),
      ratio(p50, direct?.p50),
      ratio(rate, direct?.rate),
      Number.isNaN(cpu[0]) ? "" : `${median(cpu).toFixed(3)} (${Math.min(...cpu).toFixed(3)})`,
      REACH[name] ?? "",
    ];
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
}

/** `-- --telemetry` (SIZE=100 for small calls alone): the gateway with spans and metrics sent to a collector, and to one that is down, beside one that sends nothing. */
async function compareTelemetry(backend: string, folder: string, off: Gateway): Promise<void> {
  const collector = createServer((request, response) => {
    request.resume().once("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const again = await startGateway(backend, folder);
  const on = await startGateway(backend, folder, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  const down = await startGateway(backend, folder, { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" });
  for (const target of ["http", "stdio"]) {
    const open = (name: string, { url, probe }: Gateway) =>
      connect(name, `${target}__echo`, url, { mode: MODE, probe });
    const contenders = [
      await open("sends nothing", off),
      await open("sends spans and metrics", on),
      await open("its collector is down", down),
      await open("another that sends nothing", again),
    ];
    const sizes = process.env.SIZE === "100" ? SIZES.slice(0, 1) : SIZES;
    for (const size of sizes) await compare(contenders, size, `a gateway that sends nothing, → ${target}`);
    for (const { client } of contenders) await client.close();
  }
  collector.closeAllConnections();
  collector.close();
}

async function readMemory(probe: string, path = "/memory"): Promise<NodeJS.MemoryUsage> {
  return (await (await fetch(new URL(path, probe))).json()) as NodeJS.MemoryUsage;
}

const toMb = (bytes: number): string => (bytes / 1_048_576).toFixed(1);

async function watchMemory(probe: string, contender: Contender, { text }: (typeof SIZES)[number]): Promise<void> {
  const line = (calls: number, { heapUsed, heapTotal, rss, external }: NodeJS.MemoryUsage): void =>
    console.log(
      `| ${calls.toLocaleString("en")} | ${toMb(heapUsed)} | ${toMb(heapTotal)} | ${toMb(external)} | ${toMb(rss)} |`,
    );
  const calls = MEMORY_CALLS.toLocaleString("en");
  console.log(
    `${contender.name}: one session, ${calls} calls of ${text.length} characters, megabytes after a collection`,
  );
  console.log("| calls | heap | heap reserved | external | rss |\n| ---: | ---: | ---: | ---: | ---: |");
  line(0, await readMemory(probe, "/collected"));
  // The first calls compile code and fill permanent caches.
  let done = 0;
  for (const until of [2000, ...Array.from({ length: 10 }, (_, index) => (MEMORY_CALLS * (index + 1)) / 10)]) {
    const lane = async (): Promise<void> => {
      while (done < until) {
        done += 1;
        await call(contender, text);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    line(done, await readMemory(probe, "/collected"));
  }
}

async function main(): Promise<void> {
  await prepareBuild();
  const folder = await mkdtemp(path.join(tmpdir(), "toolroom-bench-"));
  try {
    await run(folder);
  } finally {
    for (const child of children) child.kill("SIGTERM");
    for (const server of servers) await server.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(folder: string): Promise<void> {
  const backend = await startProcess([ECHO, "http"]);
  const { url, probe } = await startGateway(backend, folder);
  if (process.argv.includes("--memory")) {
    const [small, large] = SIZES;
    const size = process.env.SIZE === "100000" ? large : small;
    const target = process.env.BACKEND === "http" ? "http" : "stdio";
    const contender = await connect(`gateway → ${target}`, `${target}__echo`, url, { mode: MODE });
    if (size !== undefined) await watchMemory(probe, contender, size);
    await contender.client.close();
    return;
  }
  if (process.argv.includes("--telemetry")) return await compareTelemetry(backend, folder, { url, probe });
  const accounts = await startGateway(backend, folder, { TOOLROOM_AUTH: "on", TOOLROOM_RATE_LIMIT: "off" });
  const proxy = path.join(HERE, "bare-proxy.mjs");
  const token = { mode: MODE, probe: accounts.probe } as const;
  const contenders = [
    await connect("direct http", "echo", backend),
    await connect("direct stdio", "echo", null),
    await connect("gateway → http", "http__echo", url, { mode: MODE, probe }),
    await connect("gateway → stdio", "stdio__echo", url, { mode: MODE, probe }),
    await connect("gateway → http, with an API token", "http__echo", accounts.url, token),
    await connect("bare proxy → http", "echo", await startProcess([proxy, backend])),
    await connect("bare proxy → stdio", "echo", await startProcess([proxy, "stdio"])),
  ];
  const stdio = { command: process.execPath, args: [ECHO, "stdio"] };
  const peers = await startPeers({ stdio, http: { url: backend } });
  for (const { name, child, tools, url: address, ...options } of peers) {
    children.push(child);
    for (const [target, tool] of Object.entries(tools)) {
      const contender = await connectPeer(`${name} → ${target}`, tool, address, options);
      if (contender !== null) contenders.push(contender);
    }
  }
  const resident = async (): Promise<string> => {
    const others = peers.map(async ({ name, child }) => `${name} ${(await residentMb(child.pid)) ?? "?"} MB`);
    return [`gateway ${toMb((await readMemory(probe)).rss)} MB`, ...(await Promise.all(others))].join(", ");
  };
  const idle = await resident();
  try {
    for (const size of SIZES) await compare(contenders, size);
    const loaded = await resident();
    await sleep(REST_MS);
    console.log(
      `\nresident memory: ${idle} at first, ${loaded} after the last call, ${await resident()} ${REST_MS / 1000} s later`,
    );
  } finally {
    for (const { client } of contenders) await client.close();
  }
}

await main();
