/**
 * `npm run bench:history`: lists, searches and figures over a long history (`CALLS`, one million by default), on SQLite or,
 * with `--database postgres`, on a server that is started for it. Lists are compared with the same rows read by one
 * statement of the driver, in turn; a search has no such statement, so its time alone counts. `--rebuild` measures the rebuild of statistics alone,
 * `--only <words>` the rows whose name has the words. `--keep <file or database>` fills what it names once, and measures it without filling it again.
 */
import { createHash } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import pg from "pg";
import type { ExecutionFilter, ExecutionOrder } from "../src/lib/contract/execution";
import { SUMMARY_COLUMNS as SQLITE_COLUMNS } from "../src/server/calls/executions/db/execution-queries";
import { SUMMARY_COLUMNS } from "../src/server/calls/executions/db/postgres/execution-queries";
import { createExecutionFacets } from "../src/server/calls/executions/execution-facets";
import type { ExecutionStore } from "../src/server/calls/executions/execution-store";
import { type BenchDatabase, openBenchDatabases, openBenchStore, readKind, readOption } from "./bench-database";
import { measureExports } from "./export-memory";
import { DAY_MS, fillHistory, readHistory, timeOf } from "./fill-history";

const ROUNDS = Number(process.env.ROUNDS ?? 40);
const PAGE = 50;
const kind = readKind();
const databases = await openBenchDatabases(kind, readOption("--keep"));
const made = await databases.create();
const kept = await readHistory(made.db);
const history = kept ?? { calls: Number(process.env.CALLS ?? 1_000_000), now: Date.now() };
const { calls: CALLS, now: NOW } = history;

interface Times {
  best: number;
  p50: number;
  p95: number;
}

function toTimes(times: number[]): Times {
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
  return { best: at(0), p50: at(0.5), p95: at(0.95) };
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** A statement of the bare driver, prepared once. */
async function openRaw({ db, url }: BenchDatabase) {
  if (db.kind === "sqlite") {
    const { raw } = db;
    return { read: async (sql: string) => raw.prepare(sql).all(), close: async () => undefined };
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    read: (sql: string) => client.query({ name: createHash("sha1").update(sql).digest("hex"), text: sql }),
    close: () => client.end(),
  };
}

/** Lists with the condition that one statement would have. */
const LISTS: readonly (readonly [name: string, filter: ExecutionFilter, condition: string, cursor?: number])[] = [
  ["newest", {}, "true"],
  ["in the middle", {}, `seq < ${Math.floor(CALLS / 2)}`, Math.floor(CALLS / 2)],
  ["of a tool", { tool: ["tool_3"] }, `"toolName" = 'tool_3'`],
  ["failed", { status: ["failed"] }, "status = 'failed' AND status <> 'succeeded'"],
  [
    "failed of a tool",
    { status: ["failed"], tool: ["tool_37"] },
    `status = 'failed' AND status <> 'succeeded' AND "toolName" = 'tool_37'`,
  ],
  ["of a source", { source: ["agent"] }, "source = 'agent'"],
  ["of a user", { actor: "user_4" }, `"actorId" = 'user_4'`],
  [
    "a day, long ago",
    { since: timeOf(0.2, history), until: timeOf(0.2, history) + DAY_MS },
    `"queuedAt" >= ${timeOf(0.2, history)} AND "queuedAt" <= ${timeOf(0.2, history) + DAY_MS}`,
  ],
];

const SEARCHES: readonly (readonly [name: string, filter: ExecutionFilter])[] = [
  ["once in the history", { q: `needle_${Math.floor(CALLS / 3)}"` }],
  ["absent", { q: "no such text anywhere" }],
  ["an id", { q: "cus_424242" }],
  ["one row in 400", { q: "urgent delivery" }],
  ["in every row", { q: '"query"' }],
  ["in every row, of a tool", { q: '"query"', tool: ["tool_3"] }],
  ["absent, of a tool", { q: "no such text anywhere", tool: ["tool_3"] }],
  ["one row in 400, failed", { q: "urgent delivery", status: ["failed"] }],
  ["two characters", { q: "97" }],
];

const daysAgo = (days: number): number => Math.floor((NOW - days * DAY_MS) / 60_000) * 60_000;
/** The usual filters of Executions, whose times begin with a minute. */
const COUNTED: Readonly<Record<string, ExecutionFilter>> = {
  "of all": {},
  "of a day": { since: daysAgo(1) },
  "of 7 days": { since: daysAgo(7) },
  "of a tool, 7 days": { tool: ["tool_3"], since: daysAgo(7) },
  "of a tool": { tool: ["tool_3"] },
  "failed, 30 days": { status: ["failed"], since: daysAgo(30) },
  "with a text": { q: "urgent delivery" },
};
/** A statement of the driver that reads the same figures from the calls. */
function buildCount(columns: string, condition: string, group = ""): string {
  return `SELECT ${columns} FROM "Execution" WHERE ${condition} AND source <> 'check' ${group}`;
}
const COUNTS = "count(*) AS calls, sum(CASE WHEN status = 'failed' THEN 1 ELSE 0 END) AS failed";
const sinceDays = (days: number): string => `"queuedAt" >= ${NOW - days * DAY_MS}`;

/** Figures beside the best statement for the same counts; percentiles would come on top of it. */
function statistics(
  store: ExecutionStore,
): readonly (readonly [name: string, read: () => Promise<unknown>, raw: string])[] {
  const since = NOW - 30 * DAY_MS;
  const of = { dimension: "tool", value: "tool_3" } as const;
  return [
    [
      "overview of 7 days",
      () => store.overview(7, "UTC"),
      buildCount(`"toolName", ${COUNTS}`, sinceDays(7), 'GROUP BY "toolName"'),
    ],
    ["overview of 7 days in India", () => store.overview(7, "Asia/Kolkata"), buildCount(COUNTS, sinceDays(7))],
    [
      "catalog's figures of 30 days",
      () => store.toolFigures(30),
      buildCount(`"toolName", ${COUNTS}`, sinceDays(30), 'GROUP BY "toolName"'),
    ],
    [
      "servers' figures of 30 days",
      () => store.serverFigures(30),
      buildCount(`"serverName", ${COUNTS}`, sinceDays(30), 'GROUP BY "serverName"'),
    ],
    ["figures of a tool", () => store.toolStats("tool_3"), buildCount(COUNTS, `"toolName" = 'tool_3'`)],
    [
      "statistics of a tool",
      () => store.toolStatistics("tool_3", { days: 90, zone: "UTC" }),
      buildCount(`client, ${COUNTS}`, `"toolName" = 'tool_3'`, "GROUP BY client"),
    ],
    [
      "clients of 30 days",
      () => store.statistics.groups({ since, by: "client" }),
      buildCount(`client, ${COUNTS}`, sinceDays(30), "GROUP BY client"),
    ],
    [
      "a tool by day, 30 days",
      () => store.statistics.series({ since, span: "day", of }),
      buildCount(
        `"queuedAt" / ${DAY_MS} AS day, ${COUNTS}`,
        `"toolName" = 'tool_3' AND ${sinceDays(30)}`,
        "GROUP BY 1",
      ),
    ],
    [
      "24 hours by minute",
      () => store.statistics.series({ since: NOW - DAY_MS, span: "minute" }),
      buildCount(`"queuedAt" / 60000 AS minute, ${COUNTS}`, sinceDays(1), "GROUP BY 1"),
    ],
    ["counts", () => store.counts(), buildCount("count(*)", "true")],
    [
      "versions in use",
      () => store.definitionUse(["tool_3"]),
      buildCount('"definitionHash", count(*)', `"toolName" = 'tool_3'`, 'GROUP BY "definitionHash"'),
    ],
  ];
}

/** Counts all calls again, as after an upgrade, and prints the longest step and the longest stall of the event loop. */
async function rebuild({ statisticsUpkeep: { beginRebuild, rebuildSome } }: ExecutionStore): Promise<void> {
  await beginRebuild();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const begun = performance.now();
  const before = process.cpuUsage();
  const longest = { ms: 0, cpuMs: 0 };
  for (let isMore = true; isMore; ) {
    const used = process.cpuUsage();
    const step = await time(async () => {
      isMore = await rebuildSome(new AbortController().signal);
    });
    longest.ms = Math.max(longest.ms, step);
    longest.cpuMs = Math.max(longest.cpuMs, process.cpuUsage(used).user / 1_000);
    await nextTurn();
  }
  const { user, system } = process.cpuUsage(before);
  const tookMs = performance.now() - begun;
  const cpuMs = (user + system) / 1_000;
  console.log(
    `statistics rebuilt in ${Math.round(tookMs)} ms (${Math.round(cpuMs)} of this process), longest step ${longest.ms.toFixed(1)} ms (${longest.cpuMs.toFixed(1)} ms of processor time), longest stall ${(delay.max / 1e6).toFixed(1)} ms\n`,
  );
}

function figures(store: ExecutionStore): readonly (readonly [name: string, read: () => Promise<unknown>])[] {
  const order: ExecutionOrder = { by: "duration", descending: true };
  const facets = createExecutionFacets({ store, toStored: async (filter) => filter, listTags: () => new Map() });
  return [
    ["count of all", () => store.count({})],
    ["count of failed calls of a tool", () => store.count({ status: ["failed"], tool: ["tool_37"] })],
    ["slowest first", () => store.list({}, { order, limit: PAGE })],
    ["largest first", () => store.list({}, { order: { ...order, by: "size" }, limit: PAGE })],
    ["slowest first, of a tool", () => store.list({ tool: ["tool_3"] }, { order, limit: PAGE })],
    ["slowest first, of a source", () => store.list({ source: ["agent"] }, { order, limit: PAGE })],
    [
      "slowest first, failed of a tool",
      () => store.list({ tool: ["tool_37"], status: ["failed"] }, { order, limit: PAGE }),
    ],
    ["slowest first, failed", () => store.list({ status: ["failed"] }, { order, limit: PAGE })],
    ["filters' options", () => store.facets()],
    ...Object.entries(COUNTED).flatMap(
      ([name, filter]) =>
        [
          [`counts per value, ${name}`, () => facets.facetCounts(filter)],
          [`calls over time, ${name}`, () => facets.timeline(filter, "UTC")],
        ] as const,
    ),
  ];
}

const show = ({ p50, p95 }: Times): string => `${p50.toFixed(1)} | ${p95.toFixed(1)}`;

const isChosen = (name: string): boolean => name.includes(readOption("--only") ?? "");

async function measure(name: string, rounds: number, work: () => Promise<unknown>): Promise<void> {
  if (!isChosen(name)) return;
  await work();
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) times.push(await time(work));
  const { user, system } = process.cpuUsage(before);
  console.log(`| ${name} | ${show(toTimes(times))} | ${((user + system) / 1000 / rounds).toFixed(1)} |`);
}

async function main(): Promise<void> {
  try {
    const filled = kept === null ? await time(() => fillHistory(made.db, history)) : 0;
    console.log(
      `${CALLS.toLocaleString("en")} calls on ${kind}, filled in ${Math.round(filled / 1000)} s; milliseconds\n`,
    );
    const store = openBenchStore(made.db);
    if (kind === "sqlite") {
      const used = process.cpuUsage();
      const indexed = await time(() => store.drainIndex());
      const cpuMs = process.cpuUsage(used).user / 1_000;
      console.log(`search index built in ${Math.round(indexed / 1000)} s, ${Math.round(cpuMs)} ms of processor time\n`);
    }
    const raw = await openRaw(made);
    if (kept === null || process.argv.includes("--rebuild")) await rebuild(store);
    if (process.argv.includes("--rebuild")) {
      await Promise.all([raw.close(), store.close()]);
      return;
    }
    const columns = kind === "sqlite" ? SQLITE_COLUMNS : SUMMARY_COLUMNS;
    console.log(
      "| list (reach: at most 2 × raw, p95 below 50) | p50 | p95 | raw p50 | raw p95 | ratio of p50 | of the best | processor time of this process, and raw |\n| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    );
    for (const [name, filter, condition, cursor] of LISTS) {
      if (!isChosen(name)) continue;
      const list = () => store.list(filter, { limit: PAGE, cursor: cursor ?? null });
      const sql = `SELECT ${columns} FROM "Execution" WHERE ${condition} ORDER BY seq DESC LIMIT ${PAGE + 1}`;
      await list();
      await raw.read(sql);
      const times = { own: [] as number[], raw: [] as number[] };
      const cpu = { own: 0, raw: 0 };
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const [kind, work] of [
          ["own", list],
          ["raw", () => raw.read(sql)],
        ] as const) {
          const before = process.cpuUsage();
          times[kind].push(await time(work));
          const { user, system } = process.cpuUsage(before);
          cpu[kind] += (user + system) / 1000 / ROUNDS;
        }
      }
      const own = toTimes(times.own);
      const bare = toTimes(times.raw);
      const ratios = [own.p50 / bare.p50, own.best / bare.best, cpu.own, cpu.raw].map((figure) => figure.toFixed(2));
      console.log(
        `| ${name} | ${show(own)} | ${show(bare)} | ${ratios.slice(0, 2).join(" | ")} | ${ratios.slice(2).join(" / ")} |`,
      );
    }
    console.log(
      "\n| search (reach: below 150) | p50 | p95 | processor time of this process |\n| :--- | ---: | ---: | ---: |",
    );
    for (const [name, filter] of SEARCHES) {
      await measure(name, ROUNDS / 4, () => store.list(filter, { limit: PAGE }));
    }
    console.log("\n| figures | p50 | p95 | processor time of this process |\n| :--- | ---: | ---: | ---: |");
    for (const [name, read] of figures(store)) await measure(name, ROUNDS / 2, read);
    if (isChosen("export")) await measureExports(store, made.db, CALLS);
    console.log(
      "\n| statistics (reach: p95 below 20) | p50 | p95 | raw p50 | raw p95 |\n| :--- | ---: | ---: | ---: | ---: |",
    );
    for (const [name, read, sql] of statistics(store)) {
      if (!isChosen(name)) continue;
      await read();
      await raw.read(sql);
      const times = { own: [] as number[], raw: [] as number[] };
      for (let round = 0; round < ROUNDS / 2; round += 1) {
        times.own.push(await time(read));
        if (round % 4 === 0) times.raw.push(await time(() => raw.read(sql)));
      }
      console.log(`| ${name} | ${show(toTimes(times.own))} | ${show(toTimes(times.raw))} |`);
    }
    await raw.close();
    await store.close();
  } finally {
    await made.remove();
    await databases.close();
  }
}

await main();
