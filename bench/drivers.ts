/**
 * `npm run bench:drivers`: the drivers of SQLite that this Node can load, side by side: durable calls (validation, run, two commits), pages, a
 * search and figures of the execution log. Each driver has a process of its own, and their short rounds take turns. Processor time counts, as
 * waits for the disk are the same for all; a figure is the lowest tenth of the rounds, as other load on the machine only adds. `ROUNDS` is 100.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { copyFileSync } from "node:fs";
import { listDrivers } from "../scripts/sqlite.mjs";
import { createToolEngine } from "../src/server/create-tool-engine";
import { createScratchDatabase, quietLogger } from "../src/server/platform/db/database.test-support";
import { SEARCH_SUFFIX } from "../src/server/platform/db/private-files";
import { openSqlite } from "../src/server/platform/db/sqlite/sqlite-database";
import { openBenchStore } from "./bench-database";
import { BENCH_DEFINITION, benchStart } from "./executor-durable";
import { lowestTenth } from "./median";

const ROUNDS = Number(process.env.ROUNDS ?? 100);
/** Calls in the log before the first page is read. */
const HISTORY = 20_000;
const PAGE = 50;

type Work = () => Promise<unknown>;

/** What is measured, with the number of times it is done in a round. */
async function openWork(url: string): Promise<Record<string, { times: number; work: Work }>> {
  const db = await openSqlite({ url, logger: quietLogger() });
  const store = openBenchStore(db);
  const { registry, executor } = createToolEngine({ journal: store });
  registry.register(BENCH_DEFINITION);
  const given = JSON.parse(benchStart().argumentsText);
  async function call(): Promise<void> {
    const envelope = await executor.execute("get_weather", given, { source: "agent" });
    if (!envelope.success) throw new Error(envelope.error);
  }
  async function callAtOnce(lanes: number): Promise<void> {
    await Promise.all(Array.from({ length: lanes }, call));
  }
  return {
    "page of 50, newest": { times: 30, work: () => store.list({}, { limit: PAGE }) },
    "page of 50, of a tool": { times: 30, work: () => store.list({ tool: ["get_weather"] }, { limit: PAGE }) },
    "search of an absent text": { times: 30, work: () => store.list({ q: "no such text" }, { limit: PAGE }) },
    "search of every call": { times: 10, work: () => store.list({ q: "Wellington" }, { limit: PAGE }) },
    "slowest first": {
      times: 10,
      work: () => store.list({}, { order: { by: "duration", descending: true }, limit: PAGE }),
    },
    "figures of a tool": { times: 10, work: () => store.toolStats("get_weather") },
    "durable call, 1 at once": { times: 40, work: call },
    "durable call, 8 at once": { times: 10, work: () => callAtOnce(8) },
    "durable call, 64 at once": { times: 3, work: () => callAtOnce(64) },
  };
}

/** One history for all: how many writes shared a commit decides how its search index lies in the file. */
async function createHistory() {
  const scratch = await createScratchDatabase();
  const store = openBenchStore(scratch.db);
  const { registry, executor } = createToolEngine({ journal: store });
  registry.register(BENCH_DEFINITION);
  const given = JSON.parse(benchStart().argumentsText);
  for (let done = 0; done < HISTORY; done += 500) {
    await Promise.all(Array.from({ length: 500 }, () => executor.execute("get_weather", given, { source: "agent" })));
  }
  await store.drainIndex();
  await store.drainStatistics();
  await store.close();
  await scratch.db.close();
  return scratch;
}

async function measureAsAsked(): Promise<void> {
  const works = await openWork(process.env.BENCH_DATABASE ?? "");
  process.on("message", (name: string) => void answer(name));
  process.send?.(Object.keys(works));
  async function answer(name: string): Promise<void> {
    const measured = works[name];
    if (measured === undefined) process.exit();
    const before = process.cpuUsage();
    for (let time = 0; time < measured.times; time += 1) await measured.work();
    const { user, system } = process.cpuUsage(before);
    process.send?.((user + system) / measured.times);
  }
}

async function compareDrivers(): Promise<void> {
  const names = listDrivers().map(({ name }) => name);
  const processes: ChildProcess[] = [];
  let works: string[] = [];
  const { filePath, remove } = await createHistory();
  for (const name of names) {
    const file = `${filePath}-${name}`;
    copyFileSync(filePath, file);
    copyFileSync(filePath + SEARCH_SUFFIX, file + SEARCH_SUFFIX);
    const env = { ...process.env, TOOLROOM_SQLITE: name, BENCH_DATABASE: `file:${file}` };
    const started = fork(import.meta.filename, { env });
    [works] = await once(started, "message");
    processes.push(started);
  }
  async function ask(started: ChildProcess, work: string): Promise<number> {
    started.send(work);
    const [microseconds] = await once(started, "message");
    return microseconds;
  }
  console.log(
    `Node ${process.versions.node}, processor time in µs, lowest tenth of ${ROUNDS} rounds, and ratio to ${names[0]}`,
  );
  console.log(`| | ${names.join(" | ")} |\n| :--- |${" ---: |".repeat(names.length)}`);
  for (const work of works) {
    for (const started of processes) await ask(started, work);
    const rounds: number[][] = names.map(() => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      const turns = [...processes.entries()];
      // What one leaves to the disk is paid by the next: they take turns in being first.
      if (round % 2 === 1) turns.reverse();
      for (const [at, started] of turns) rounds[at]?.push(await ask(started, work));
    }
    const times = rounds.map(lowestTenth);
    const cells = times.map((time) => `${time.toFixed(1)} (${(time / (times[0] ?? Number.NaN)).toFixed(2)})`);
    console.log(`| ${work} | ${cells.join(" | ")} |`);
  }
  for (const started of processes) {
    started.send("end");
    await once(started, "exit");
  }
  await remove();
}

await (process.env.BENCH_DATABASE === undefined ? compareDrivers() : measureAsAsked());
