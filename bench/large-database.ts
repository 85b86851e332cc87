/**
 * `npx tsx bench/large-database.ts <file>`: what a long history on SQLite (`bench:history -- --keep <file>`) costs beside its reads: a recorded call
 * beside one in an empty database, in turn, and the longest stalls of the event loop while a backup is made and calls are recorded. The
 * calls stay in the file.
 */
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { anEnd, aStart } from "../src/server/calls/executions/execution.test-support";
import type { ExecutionStore } from "../src/server/calls/executions/execution-store";
import { createScratchDatabase, quietLogger } from "../src/server/platform/db/database.test-support";
import { createOnlineBackups } from "../src/server/platform/db/online-backup";
import { openSqlite } from "../src/server/platform/db/sqlite/sqlite-database";
import { openBenchStore } from "./bench-database";
import { median } from "./median";

const CALLS = 400;
/** Between two calls beside a backup: without it, minutes of a backup would write gigabytes. */
const PAUSE_MS = 1;
const ROUNDS = Number(process.env.ROUNDS ?? 15);
const PLATFORM = path.resolve("src/server/platform/db");

/** Records calls one by one. @returns microseconds of processor time for each */
async function recordCalls(store: ExecutionStore): Promise<number> {
  const before = process.cpuUsage();
  for (let call = 0; call < CALLS; call += 1) {
    const start = aStart({ source: "agent", toolName: `tool_${call % 40}` });
    await store.begin(start);
    await store.finish(start, anEnd(start));
  }
  await store.drainIndex();
  await store.drainStatistics();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

/** Records calls until the work has ended. */
async function recordBeside(store: ExecutionStore, work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  let calls = 0;
  for (; !isOver; calls += 1) {
    const start = aStart({ source: "agent" });
    await store.begin(start);
    await store.finish(start, anEnd(start));
    await wait(PAUSE_MS);
  }
  await ended;
  return calls;
}

const file = path.resolve(process.argv[2] ?? "");
const scratch = await createScratchDatabase();
const opened = performance.now();
const large = await openSqlite({
  url: `file:${file}`,
  logger: quietLogger(),
  checkpointWorker: path.join(PLATFORM, "checkpoint-worker.mjs"),
});
const stores = { empty: openBenchStore(scratch.db), large: openBenchStore(large) };
await stores.large.list({});
console.log(`opened, with its first page, in ${Math.round(performance.now() - opened)} ms`);
const times = { empty: [] as number[], large: [] as number[] };
// What an earlier run left to the index and the statistics is no cost of these calls.
for (const name of ["empty", "large"] as const) await recordCalls(stores[name]);
for (let round = 0; round < ROUNDS; round += 1) {
  for (const name of ["empty", "large"] as const) times[name].push(await recordCalls(stores[name]));
}
const empty = median(times.empty);
const own = median(times.large);
console.log(
  `a call: ${empty.toFixed(0)} µs of processor time in an empty database, ${own.toFixed(0)} in the large one: ${(own / empty).toFixed(2)} times`,
);
const workerFile = path.join(PLATFORM, "backup-worker.mjs");
const backups = createOnlineBackups({ db: large, keyFile: "", workerFile, now: Date.now });
for (const [name, work] of [
  ["ten seconds without a backup", () => wait(10_000)],
  ["a backup", async () => backups.remove((await backups.make()).name)],
] as const) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const begun = performance.now();
  const calls = await recordBeside(stores.large, work());
  const seconds = (performance.now() - begun) / 1000;
  console.log(
    `${name}: ${seconds.toFixed(1)} s, ${Math.round(calls / seconds)} calls a second, longest stall ${(delay.max / 1e6).toFixed(0)} ms, 99.9% below ${(delay.percentile(99.9) / 1e6).toFixed(0)} ms, write-ahead log ${Math.round(large.parts().walBytes / 1e6)} MB`,
  );
}
await Promise.all([stores.empty.close(), stores.large.close()]);
await Promise.all([scratch.remove(), large.close()]);
