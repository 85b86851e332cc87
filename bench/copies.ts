/**
 * `npm run bench:copies`: calls per second through haproxy with 1, 2 and 3 instances on one PostgreSQL, 64 callers, in alternating rounds as
 * ratios to one instance, and the processor time of a call; the memory of an instance; and the time from a call on one instance until a page on another shows it. On few
 * cores the instances, the callers and the database share them: the figure says what coordination costs.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { callApi } from "../e2e/support/api";
import prepareBuild from "../e2e/support/build";
import { type Instances, startInstances } from "../e2e/support/copies";
import { startLedger } from "../e2e/support/copies-ledger";
import { hasTools, prepareLoad } from "../e2e/support/copies-load";
import { waitUntil } from "../src/lib/wait-until.test-support";
import { median } from "./median";

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const ROUND_MS = Number(process.env.ROUND_MS ?? 3_000);
const CALLERS = Number(process.env.CALLERS ?? 64);
const WARM_UP_ROUNDS = 3;
const EVENTS = Number(process.env.EVENTS ?? 200);

async function connect(url: string): Promise<Client> {
  const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url)));
  return client;
}

interface Rate {
  /** Calls per second. */
  calls: number;
  /** Milliseconds of processor time that the instances took for a call, all their threads together. */
  cpuMs: number;
}

async function measureRate({ clients, copies }: Pick<Setup, "clients" | "copies">): Promise<Rate> {
  const usedBefore = readProcessorMs(copies);
  const begun = performance.now();
  let calls = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - begun < ROUND_MS) {
        await client.callTool({ name: "ledger__note", arguments: { text: "x".repeat(100) } });
        calls += 1;
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  return { calls: calls / seconds, cpuMs: (readProcessorMs(copies) - usedBefore) / calls };
}

/** The kernel counts processor time in hundredths of a second. */
const TICK_MS = 10;

function readProcessorMs({ copies }: Instances): number {
  return copies.reduce((sum, { pid }) => {
    const [, , , , , , , , , , , user = "0", system = "0"] =
      readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return sum + (Number(user) + Number(system)) * TICK_MS;
  }, 0);
}

const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) / 1024;

/** Milliseconds from asking for a call on the first copy until the stream of the last one says that it ended. */
async function measureEvents({ copies }: Instances): Promise<number[]> {
  const from = copies[0]?.url ?? "";
  const to = copies.at(-1)?.url ?? "";
  const leave = new AbortController();
  const stream = await fetch(`${to}/api/live`, { signal: leave.signal });
  const heard = new Map<string, number>();
  const reading = (async () => {
    let text = "";
    for await (const chunk of stream.body ?? []) {
      text += Buffer.from(chunk).toString();
      for (const [, id] of text.matchAll(/"(exec_[\w-]+)"/g))
        if (id !== undefined && !heard.has(id)) heard.set(id, performance.now());
      text = text.slice(-64);
    }
  })().catch(() => undefined);
  const times: number[] = [];
  for (let index = 0; index < EVENTS; index += 1) {
    const { id } = await callApi<{ id: string }>(from, "executions.run", {
      name: "ledger__note",
      argumentsText: '{"text":"event"}',
    });
    const ended = performance.now();
    await waitUntil(() => heard.has(id), { what: "the other copy's stream tells of the call" });
    // Negative where it was told before the call had ended.
    times.push((heard.get(id) ?? 0) - ended);
    await sleep(20);
  }
  leave.abort();
  await reading;
  return times.sort((left, right) => left - right);
}

interface Setup {
  count: number;
  copies: Instances;
  clients: Client[];
  rates: Rate[];
}

await prepareBuild();
const ledger = await startLedger();
const setups: Setup[] = [];
try {
  for (const count of [1, 2, 3]) {
    const copies = await startInstances({
      count,
      settings: ["shared_buffers=64MB"],
      env: { TOOLROOM_LOG_LEVEL: "warn" },
    });
    setups.push({ count, copies, clients: [], rates: [] });
    await prepareLoad(copies.url, ledger);
    for (const { url } of copies.copies)
      await waitUntil(() => hasTools(url), { what: "every copy has the tools", timeoutMs: 30_000 });
  }
  for (const setup of setups)
    setup.clients = await Promise.all(Array.from({ length: CALLERS }, () => connect(setup.copies.url)));
  // V8 compiles what is called often, and each of three instances gets a third of the calls.
  for (const setup of setups)
    for (let round = 0; round < WARM_UP_ROUNDS * setup.count; round += 1) await measureRate(setup);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const setup of setups) setup.rates.push(await measureRate(setup));
  const toMedian = (rates: readonly Rate[], key: keyof Rate): number => median(rates.map((rate) => rate[key]));
  const one = setups[0]?.rates ?? [];
  for (const { count, copies, rates } of setups) {
    const memory = copies.copies.map(({ pid }) => Math.round(residentMb(pid))).join(", ");
    const calls = toMedian(rates, "calls");
    const cpuMs = toMedian(rates, "cpuMs");
    const ofOne = (key: keyof Rate): string => (toMedian(rates, key) / toMedian(one, key)).toFixed(2);
    console.log(
      `${count} ${count === 1 ? "instance" : "instances"}: ${Math.round(calls)} calls/s, ${ofOne("calls")} of one; processor ${cpuMs.toFixed(2)} ms a call, ${ofOne("cpuMs")} of one; MB ${memory}`,
    );
  }
  const last = setups.at(-1);
  if (last !== undefined) {
    const times = await measureEvents(last.copies);
    const at = (share: number): string => (times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(1);
    console.log(`event between copies, after the call's answer: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  }
} finally {
  for (const { copies, clients } of setups) {
    await Promise.allSettled(clients.map((client) => client.close()));
    await copies.close();
  }
  await ledger.close();
}
process.exit(0);
