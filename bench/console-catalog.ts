/**
 * `npm run bench:console -- --catalog`: pages of a console with `SERVERS` MCP servers of `TOOLS` tools each: their HTML,
 * the time that a view takes of the server's main thread, and the first page after a restart.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { callApi } from "../e2e/support/api";
import { launchServer } from "../e2e/support/server";
import { waitUntil } from "../src/lib/wait-until.test-support";
import { median } from "./median";

const SERVERS = Number(process.env.SERVERS ?? 100);
const TOOLS = Number(process.env.TOOLS ?? 50);
const ROUNDS = Number(process.env.ROUNDS ?? 7);
const LIMIT_KB = 300;
const LIMIT_MS = 60;
const ADD_LIMIT_MS = 300_000;
const IDLE_MS = 2_000;
const PATHS = [
  "/nowhere",
  "/",
  "/tools",
  "/tools?q=issue",
  "/tools?sort=-calls",
  "/tools/get_weather",
  "/servers",
  "/servers/project-1",
  "/executions",
  "/runs",
  "/approvals",
  "/approvals/rules",
  "/playground",
  "/toolsets",
  "/toolsets/new",
  "/suites",
  "/clients",
  "/alerts",
  "/settings/sharing",
  "/settings/storage",
  "/settings/installation",
];

type Server = Awaited<ReturnType<typeof launchServer>>;

/** Milliseconds that the process's main thread has run; only Linux counts them by thread. */
const readMainThread = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

async function startPeers() {
  const file = path.join(import.meta.dirname, "catalog-servers.mjs");
  const peers = spawn(process.execPath, [file, String(TOOLS)], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(peers.stdout, "data");
  return { url: String(line).trim(), stop: () => peers.kill() };
}

const countTools = async (url: string): Promise<number> =>
  (await callApi<{ counts: { tools: number } }>(url, "system.info", undefined, "GET")).counts.tools;

/** Adds the servers, and waits until the catalog has their tools. */
async function fillCatalog({ url }: Server, peersUrl: string): Promise<void> {
  const before = await countTools(url);
  for (let number = 1; number <= SERVERS; number += 1) {
    const settings = { name: `project-${number}`, transport: "http", url: `${peersUrl}/${number}` };
    await callApi(url, "servers.create", { settings });
  }
  await waitUntil(async () => (await countTools(url)) >= before + SERVERS * TOOLS, { timeoutMs: ADD_LIMIT_MS });
}

async function readPage(url: string): Promise<string> {
  const response = await fetch(url, { headers: { accept: "text/html" } });
  return await response.text();
}

async function measurePage({ url, pid }: Server, page: string) {
  const html = await readPage(url + page);
  const threads: number[] = [];
  const answers: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = readMainThread(pid);
    const begun = performance.now();
    await readPage(url + page);
    answers.push(performance.now() - begun);
    threads.push(readMainThread(pid) - before);
  }
  return { kb: Buffer.byteLength(html) / 1000, threadMs: median(threads), answerMs: median(answers) };
}

/** Resolves when the main thread has rested for a while: the servers are connected, and the statistics are counted. */
async function whenIdle({ pid }: Server): Promise<void> {
  const limit = performance.now() + ADD_LIMIT_MS;
  for (let before = readMainThread(pid); performance.now() < limit; ) {
    await setTimeout(IDLE_MS);
    const after = readMainThread(pid);
    if (after - before < IDLE_MS / 20) return;
    before = after;
  }
}

/** Milliseconds from the start of a process to its first whole page. */
async function restart(server: Server): Promise<{ server: Server; firstPageMs: number; readyMs: number }> {
  const { databaseFile, port } = server;
  await server.stop();
  const begun = performance.now();
  const restarted = await launchServer({ databaseFile, port });
  const readyMs = performance.now() - begun;
  await readPage(`${restarted.url}/`);
  return { server: restarted, firstPageMs: performance.now() - begun, readyMs };
}

export async function measureCatalog(): Promise<void> {
  const peers = await startPeers();
  const first = await launchServer();
  let server = first;
  try {
    await fillCatalog(server, peers.url);
    const restarted = await restart(server);
    server = restarted.server;
    await whenIdle(server);
    console.log(`${SERVERS} servers, ${SERVERS * TOOLS} tools`);
    console.log(
      `ready after ${restarted.readyMs.toFixed(0)} ms, first page after ${restarted.firstPageMs.toFixed(0)} ms\n`,
    );
    console.log(`| page | HTML kB (at most ${LIMIT_KB}) | main thread ms (at most ${LIMIT_MS}) | answer ms |`);
    console.log("| --- | ---: | ---: | ---: |");
    for (const page of PATHS) {
      const { kb, threadMs, answerMs } = await measurePage(server, page);
      console.log(`| ${page} | ${kb.toFixed(0)} | ${threadMs.toFixed(0)} | ${answerMs.toFixed(0)} |`);
    }
  } finally {
    await server.dispose();
    await first.dispose();
    peers.stop();
  }
}
