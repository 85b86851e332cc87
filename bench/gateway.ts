/**
 * `npm run bench:gateway`: tools/call of an echo server, direct and through the gateway with the execution log on, sequential
 * and 32 concurrent, 100 B and 100 kB each way; all in one run, in alternating rounds, as ratios to the direct HTTP call.
 * `-- --memory`: 50,000 calls in one session, the gateway's memory before and after. ERA=auto: the stateless protocol
 * to the gateway (direct calls use sessions, the only protocol of the echo server). mcp-hub 4.2 is measured beside it, with
 * the same servers; it is installed on demand, and left out where that fails.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import path from "node:path";
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { median } from "./executor-durable";
import { residentMb, startMcpHub } from "./mcp-hub";

const HERE = import.meta.dirname;
const ECHO = path.join(HERE, "gateway-echo-server.mjs");
const ROUNDS = Number(process.env.ROUNDS ?? 9);
const ROUND_MS = Number(process.env.ROUND_MS ?? 1000);
const SEQUENTIAL_CALLS = 150;
const AT_ONCE = 32;
const MEMORY_CALLS = Number(process.env.CALLS ?? 50_000);
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
  /** The origin of the gateway's process, whose processor time is read; null for a direct connection. */
  gateway: string | null;
}

const children: ChildProcess[] = [];
// The SDK's stdio transport listens for `drain` once for each message that its pipe does not take at once.
EventEmitter.defaultMaxListeners = 0;

async function startProcess(args: string[], environment: Record<string, string> = {}): Promise<string> {
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env });
  children.push(child);
  const [line] = await Promise.race([
    once(child.stdout, "data"),
    once(child, "exit").then(() => Promise.reject(new Error(`${args.join(" ")} ended`))),
  ]);
  return String(line).trim();
}

/** @param address a URL, and behind it the API token to send; null for the echo server over stdio */
async function connect(
  name: string,
  tool: string,
  address: string | null,
  mode: "legacy" | "auto" | "sse",
): Promise<Contender> {
  const [url = null, token = null] = address?.split(" ") ?? [];
  const requestInit = token === null ? {} : { headers: { authorization: `Bearer ${token}` } };
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
  return { name, client, tool, gateway: name.startsWith("gateway") ? url : null };
}

async function call({ client, tool, name }: Contender, text: string): Promise<void> {
  const { content } = await client.callTool({ name: tool, arguments: { text } });
  const [block] = content;
  if (block?.type !== "text" || block.text.length !== text.length) throw new Error(`${name} did not echo`);
}

/** Milliseconds: the median of calls one after another. */
async function sequential(contender: Contender, text: string): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < SEQUENTIAL_CALLS; index += 1) {
    const begun = performance.now();
    await call(contender, text);
    times.push(performance.now() - begun);
  }
  return median(times);
}

/** Milliseconds of processor time that the gateway's process has used. */
async function processorTime({ gateway }: Contender): Promise<number> {
  if (gateway === null) return Number.NaN;
  const { user, system } = (await (await fetch(new URL("/cpu", gateway))).json()) as NodeJS.CpuUsage;
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

async function compare(contenders: Contender[], { label, text }: (typeof SIZES)[number]): Promise<void> {
  const rounds = contenders.map(() => ({ p50: [] as number[], rate: [] as number[], cpu: [] as number[] }));
  for (const contender of contenders) await throughput(contender, text);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      rounds[index]?.p50.push(await sequential(contender, text));
      const { rate, cpu } = await throughput(contender, text);
      rounds[index]?.rate.push(rate);
      rounds[index]?.cpu.push(cpu);
    }
  }
  const [direct] = rounds;
  const ratio = (values: number[], base: number[] = []): string =>
    median(values.map((value, index) => value / (base[index] ?? Number.NaN))).toFixed(2);
  console.log(`\n${label} each way, median of ${ROUNDS} rounds; ratios to direct http`);
  console.log("| | p50 ms | calls/s at 32 | p50 ratio | throughput ratio | gateway's CPU ms/call | reach |");
  console.log("| :-- | ---: | ---: | ---: | ---: | ---: | :-- |");
  for (const [index, { name }] of contenders.entries()) {
    const { p50 = [], rate = [], cpu = [] } = rounds[index] ?? {};
    const cells = [
      median(p50).toFixed(2),
      Math.round(median(rate)).toLocaleString("en"),
      ratio(p50, direct?.p50),
      ratio(rate, direct?.rate),
      Number.isNaN(cpu[0]) ? "" : median(cpu).toFixed(3),
      REACH[name] ?? "",
    ];
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
}

interface Memory {
  heapUsed: number;
  rss: number;
  external: number;
}

async function memoryOf(gateway: string): Promise<Memory> {
  return (await (await fetch(new URL("/memory", gateway))).json()) as Memory;
}

async function watchMemory(gateway: string, contender: Contender): Promise<void> {
  const text = SIZES[0]?.text ?? "";
  const mb = (bytes: number): string => (bytes / 1_048_576).toFixed(1);
  const line = (calls: number, { heapUsed, rss, external }: Memory): void =>
    console.log(`| ${calls.toLocaleString("en")} | ${mb(heapUsed)} | ${mb(external)} | ${mb(rss)} |`);
  console.log(
    `${contender.name}: one session, ${MEMORY_CALLS.toLocaleString("en")} calls, megabytes after a collection`,
  );
  console.log("| calls | heap | external | rss |\n| ---: | ---: | ---: | ---: |");
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
    line(done, await memoryOf(gateway));
  }
}

async function residentOf(processes: ReadonlyMap<string, number | undefined>): Promise<string> {
  const each = [...processes].map(async ([name, pid]) => `${name} ${(await residentMb(pid)) ?? "?"} MB`);
  return (await Promise.all(each)).join(", ");
}

async function main(): Promise<void> {
  const backend = await startProcess([ECHO, "http"]);
  const tsx = ["--expose-gc", "--import", "tsx"];
  const gateway = await startProcess([...tsx, path.join(HERE, "gateway-server.ts"), backend]);
  const accounts = await startProcess([...tsx, path.join(HERE, "gateway-server.ts"), backend], { TOOLROOM_AUTH: "on" });
  const contenders = [
    await connect("direct http", "echo", backend, "legacy"),
    await connect("direct stdio", "echo", null, "legacy"),
    await connect("gateway → http", "http__echo", gateway, MODE),
    await connect("gateway → stdio", "stdio__echo", gateway, MODE),
    await connect("gateway → http, with an API token", "http__echo", accounts, MODE),
  ];
  const processes = new Map([["gateway", children[1]?.pid]]);
  const isMemory = process.argv.includes("--memory");
  const stdio = { command: process.execPath, args: [ECHO, "stdio"] };
  const hub = isMemory ? null : await startMcpHub({ stdio, http: { url: backend } });
  if (hub !== null) {
    children.push(hub.child);
    processes.set("mcp-hub", hub.child.pid);
    contenders.push(await connect("mcp-hub → http", "http__echo", hub.url, "sse"));
    contenders.push(await connect("mcp-hub → stdio", "stdio__echo", hub.url, "sse"));
  }
  const idle = await residentOf(processes);
  try {
    if (isMemory) await watchMemory(gateway, contenders[3] as Contender);
    else for (const size of SIZES) await compare(contenders, size);
    console.log(`\nresident memory: ${idle} at first, ${await residentOf(processes)} at the end`);
  } finally {
    for (const { client } of contenders) await client.close();
    for (const child of children) child.kill("SIGTERM");
  }
}

await main();
