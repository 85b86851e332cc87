/**
 * Durable executions per second: two commits each (start, end) through the execution log, compared with a bare loop of
 * better-sqlite3 or pg that writes the same columns with the same batches. The contenders of `bench/executor.ts`.
 * Rounds alternate so that both run under the same load; the ratio is the median over the rounds.
 */

import pg from "pg";
import type { ToolDefinition } from "../src/lib/contract/tool-definition";
import { newExecutionId } from "../src/lib/execution-id";
import {
  END_BY_SEQ_SQL,
  endRow,
  endValues,
  INSERT_RUNNING_SQL,
  pickValues,
  type SqlRow,
  type SqlValue,
  START_COLUMNS,
  startRow,
} from "../src/server/calls/executions/db/execution-statements";
import { END, JOURNAL } from "../src/server/calls/executions/db/postgres/journal-statements";
import { beginRebuild } from "../src/server/calls/statistics/db/rebuild";
import type { ExecutionEnd, ExecutionStart } from "../src/server/engine/ports";
import type { RawDatabase } from "../src/server/platform/db/sqlite/connection";
import { type BenchDatabase, openBenchStore } from "./bench-database";
import { lowestTenth, median } from "./median";

export interface Contender {
  name: string;
  /** One durable execution. */
  call(): Promise<void>;
  /** Counts the calls that wait for the statistics, which those of the next round would pay for. */
  settle?(): Promise<unknown>;
  close(): Promise<void>;
}

const ARGUMENTS = JSON.stringify({ location: "Wellington, New Zealand", days: 5, note: "n".repeat(186) });
const RESULT = JSON.stringify({ temperature: 17.5, conditions: "partly cloudy", detail: "d".repeat(340) });

export const BENCH_DEFINITION: ToolDefinition = {
  name: "get_weather",
  description: "Current weather of a place, with a short forecast",
  type: "function",
  handler: "weather",
  parameters: {
    type: "object",
    properties: {
      location: { type: "string", minLength: 1 },
      days: { type: "integer", minimum: 1, maximum: 14 },
      units: { type: "string", enum: ["celsius", "fahrenheit"] },
      alerts: { type: "boolean" },
      above: { type: "number" },
      note: { type: "string" },
    },
    required: ["location", "days"],
  },
  implementation: { type: "mock", mock_response: JSON.parse(RESULT) },
};

export function benchStart(): ExecutionStart {
  return {
    id: newExecutionId(),
    toolName: BENCH_DEFINITION.name,
    definition: BENCH_DEFINITION,
    implementationType: "mock",
    source: "agent",
    actor: { id: "local-owner", name: "Local owner" },
    client: null,
    protocol: null,
    serverName: null,
    argumentsText: ARGUMENTS,
    queuedAt: Date.now(),
    validateMs: 0.02,
    timeoutMs: 30_000,
    validationSkipped: false,
    parentId: null,
    runId: null,
    callId: null,
  };
}

export function benchEnd(id: string): ExecutionEnd {
  return {
    id,
    status: "succeeded",
    resultText: RESULT,
    resultTruncated: false,
    resultBytes: RESULT.length,
    storedBytes: RESULT.length,
    modelChars: RESULT.length,
    resultChars: RESULT.length,
    error: null,
    errorKind: null,
    faults: null,
    limit: null,
    credential: null,
    startedAt: Date.now(),
    finishedAt: Date.now(),
    executionTimeMs: 0.31,
    recordMs: 0.2,
    runMs: 0.28,
    logs: null,
  };
}

/** The baseline: prepared statements, one transaction for everything queued, nothing else. */
export async function rawContender({ db, url }: BenchDatabase): Promise<Contender> {
  await db.change(`INSERT INTO "Definition" (hash, "toolName", json) VALUES ('bench', 'get_weather', '{}')`);
  return db.kind === "sqlite" ? rawSqlite(db.raw) : await rawPostgres(url);
}

function rawSqlite(raw: RawDatabase): Contender {
  const insert = raw.prepare<SqlValue[]>(INSERT_RUNNING_SQL).safeIntegers(false);
  const update = raw.prepare<SqlValue[]>(END_BY_SEQ_SQL).safeIntegers(false);
  let waiting: { write: () => void; done: () => void }[] = [];
  const commit = raw.transaction((batch: typeof waiting) => {
    for (const { write } of batch) write();
  });
  function flush(): void {
    const batch = waiting;
    waiting = [];
    commit(batch);
    for (const { done } of batch) done();
  }
  const inGroup = (write: () => void) =>
    new Promise<void>((done) => {
      if (waiting.push({ write, done }) === 1) setImmediate(flush);
    });
  return {
    name: "raw",
    async call() {
      const start = benchStart();
      let seq = 0;
      await inGroup(() => {
        seq = Number(insert.run(...pickValues(START_COLUMNS, startRow(start, "bench", "bench"))).lastInsertRowid);
      });
      await inGroup(() => {
        update.run(...endValues(benchEnd(start.id)), seq);
      });
    },
    close: async () => undefined,
  };
}

const RAW = { begin: JOURNAL.begin, end: END };

/** One connection; all rows of a kind in one statement, a transaction only around both kinds. */
async function rawPostgres(url: string): Promise<Contender> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off");
  let waiting: { kind: "begin" | "end"; row: SqlRow; done: () => void }[] = [];
  let flushing = false;
  async function flush(): Promise<void> {
    flushing = true;
    while (waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const batch = waiting;
      waiting = [];
      const kinds = (["begin", "end"] as const).filter((kind) => batch.some((entry) => entry.kind === kind));
      if (kinds.length > 1) await client.query("BEGIN");
      for (const kind of kinds) {
        const rows = batch.filter((entry) => entry.kind === kind).map(({ row }) => row);
        await client.query({ name: kind, text: RAW[kind], values: [JSON.stringify(rows), "bench"] });
      }
      if (kinds.length > 1) await client.query("COMMIT");
      for (const { done } of batch) done();
    }
    flushing = false;
  }
  const inGroup = (kind: "begin" | "end", row: SqlRow) =>
    new Promise<void>((done) => {
      waiting.push({ kind, row, done });
      if (!flushing) void flush();
    });
  return {
    name: "raw",
    async call() {
      const start = benchStart();
      await inGroup("begin", { ...startRow(start, "bench", "bench"), status: "running" });
      await inGroup("end", { ...endRow(benchEnd(start.id)), id: start.id });
    },
    close: () => client.end(),
  };
}

export function journalContender({ db }: Pick<BenchDatabase, "db">): Contender {
  const clock = { now: Date.now, elapsed: () => performance.now() };
  const store = openBenchStore(db, clock);
  return {
    name: "journal",
    async call() {
      const start = benchStart();
      await store.begin(start);
      await store.finish(start, benchEnd(start.id));
    },
    settle: () => store.statisticsUpkeep.countSome(false),
    close: () => store.close(),
  };
}

/** Calls per second over one round of `durationMs`. */
async function measureRound(contender: Contender, concurrency: number, durationMs: number): Promise<number> {
  let calls = 0;
  const begun = performance.now();
  const endsAt = begun + durationMs;
  const lane = async () => {
    while (performance.now() < endsAt) {
      calls += 1;
      await contender.call();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return (calls * 1000) / (performance.now() - begun);
}

/** Prints calls per second and the ratio to the first contender, by concurrency. */
export async function compare(contenders: Contender[], rounds: number, roundMs: number): Promise<void> {
  const [floor] = contenders;
  if (floor === undefined) return;
  for (const contender of contenders) await measureRound(contender, 8, roundMs);
  console.log(`| at once | ${contenders.map(({ name }) => `${name}/s`).join(" | ")} | ratio to ${floor.name} |`);
  console.log(`| ---: |${contenders.map(() => " ---: |").join("")} ---: |`);
  for (const concurrency of [1, 8, 64]) {
    const speeds = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const contender of contenders) {
        speeds.get(contender.name)?.push(await measureRound(contender, concurrency, roundMs));
      }
    }
    const of = (name: string) => speeds.get(name) ?? [];
    const cells = contenders.map(({ name }) => Math.round(median(of(name))).toLocaleString("en"));
    const ratios = contenders.slice(1).map(({ name }) => {
      const perRound = of(name).map((speed, round) => speed / (of(floor.name)[round] ?? Number.NaN));
      return `${name} ${median(perRound).toFixed(2)}`;
    });
    console.log(`| ${concurrency} | ${cells.join(" | ")} | ${ratios.join(", ")} |`);
  }
}

/** Processor time of the journal with statistics, against one whose calls wait for a rebuild: microseconds a call, the lowest tenth of the rounds. */
export async function compareCounting(create: () => Promise<BenchDatabase>, rounds: number): Promise<void> {
  const made = [await create(), await create()] as const;
  const counted = journalContender(made[0]);
  const waiting = journalContender(made[1]);
  await made[1].db.transaction(beginRebuild);
  await waiting.settle?.();
  for (const concurrency of [1, 64]) {
    const times = new Map<Contender, number[]>([counted, waiting].map((contender) => [contender, []]));
    for (let round = 0; round < rounds; round += 1) {
      // What the first leaves to the garbage collector is paid by the second: they take turns.
      const turns = round % 2 === 0 ? [...times] : [...times].reverse();
      for (const [contender, measured] of turns) measured.push(await measureProcessor(contender, concurrency));
    }
    const [withUs, withoutUs] = [counted, waiting].map((contender) => lowestTenth(times.get(contender) ?? []));
    if (withUs === undefined || withoutUs === undefined) return;
    const added = ((withUs / withoutUs - 1) * 100).toFixed(0);
    console.log(
      `at ${concurrency}: ${withoutUs.toFixed(1)} without, ${withUs.toFixed(1)} with statistics: ${added}% more`,
    );
  }
  await Promise.all([counted.close(), waiting.close()]);
  for (const database of made) await database.remove();
}

/** Fewer than those that are counted at once: each round ends with their counting. */
const CALLS_OF_ROUND = 1_900;

async function measureProcessor(contender: Contender, concurrency: number): Promise<number> {
  let left = CALLS_OF_ROUND;
  const before = process.cpuUsage();
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await contender.call();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  await contender.settle?.();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS_OF_ROUND;
}
