import { describe, expect, it } from "vitest";
import type { StatisticFigures } from "../../../../lib/contract/statistics";
import { anEnd, aStart } from "../../../calls/executions/execution.test-support";
import type { ExecutionStore } from "../../../calls/executions/execution-store";
import type { CallFacts } from "../../../calls/statistics/db/call-facts";
import type { ExecutionEnd, ExecutionStart } from "../../../engine/ports";
import { listOutcomes } from "./outcomes.test-support";
import { type CreateDatabase, type StoreDatabase, useDatabase } from "./store-database.test-support";

const MINUTE = 60_000;
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 21, 13, 30, 20);

/** A repeatable sequence of whole numbers below a limit. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const ENDINGS: readonly Partial<ExecutionEnd>[] = [
  {},
  {},
  {},
  {},
  { status: "failed", errorKind: "tool_error" },
  { status: "timed_out", errorKind: "timeout" },
  { status: "failed", errorKind: "invalid_arguments", runMs: null },
  { status: "failed", errorKind: "not_found", runMs: null },
  { status: "cancelled", errorKind: "cancelled" },
  { status: "interrupted", errorKind: "interrupted" },
  { status: "failed", errorKind: "rejected", runMs: null },
];
const SOURCES = ["console", "gateway", "agent", "check", "replay"] as const;

function createCalls(random: (below: number) => number) {
  let made = 0;
  return (): { start: ExecutionStart; end: ExecutionEnd } => {
    made += 1;
    const isContent = random(20) === 0;
    const server = ["files", "docs", null][random(3)] ?? null;
    const start = aStart({
      id: `exec_random${made}`,
      toolName: isContent ? `${server ?? "x"} resources/read` : `tool_${random(4)}`,
      ...(isContent ? { implementationType: "resource" } : {}),
      source: SOURCES[random(SOURCES.length)] ?? "console",
      actor: { id: `user_${random(3)}`, name: "User" },
      client: [null, "claude/1.2", "claude/1.3", "cursor"][random(4)] ?? null,
      serverName: server,
      toolset: [null, "sales"][random(2)] ?? null,
      // Most are of the last hours, some of long ago, and one of a clock that ran ahead.
      queuedAt: NOW - (random(10) === 0 ? random(40 * DAY) : random(3 * DAY)) + (random(60) === 0 ? 4 * DAY : 0),
      validateMs: random(3),
    });
    const executionTimeMs = (start.validateMs ?? 0) + random(random(2) === 0 ? 50 : 20_000) + random(1_000) / 1_000;
    const waited = random(6) === 0 ? 30_000 + random(30_000) : 0;
    const finishedAt = start.queuedAt + Math.ceil(executionTimeMs) + waited;
    const storedBytes = random(5_000);
    return {
      start,
      end: anEnd(start, { executionTimeMs, finishedAt, storedBytes, ...ENDINGS[random(ENDINGS.length)] }),
    };
  };
}

const COUNTED = ["tool", "server", "source", "client", "actor", "toolset"] as const;
type Facts = CallFacts & Record<(typeof COUNTED)[number], string | null>;

/** The calls as they are stored. */
async function readCalls(database: StoreDatabase): Promise<Facts[]> {
  const rows = await database.rows<CallFacts>('SELECT * FROM "Execution"');
  return rows
    .filter(({ source }) => source !== "check")
    .map((row) => ({
      ...row,
      tool: row.toolName,
      server: row.serverName,
      actor: row.actorId,
      client: row.client?.split("/")[0] ?? null,
    }));
}

/** Counts calls without any of the code that keeps statistics. */
async function expectRecount(database: StoreDatabase, { statistics }: ExecutionStore): Promise<void> {
  const all = (await readCalls(database)).filter(({ implementationType }) => implementationType !== "resource");
  for (const since of [0, NOW - 2 * DAY - 45 * MINUTE, NOW - 100 * MINUTE]) {
    const from = Math.floor(since / MINUTE) * MINUTE;
    const calls = all.filter(({ queuedAt }) => queuedAt >= from);
    for (const by of COUNTED) {
      const { groups } = await statistics.groups({ since, by });
      const values = [...new Set(calls.flatMap((call) => call[by] ?? []))].sort();
      expect(groups.map(({ value }) => value).sort()).toEqual(values);
      for (const { value, ...figures } of groups)
        expectFigures(
          figures,
          calls.filter((call) => call[by] === value),
        );
    }
    expectFigures(await statistics.totals({ since }), calls);
  }
}

function expectFigures(figures: StatisticFigures, calls: readonly Facts[]): void {
  const of = (outcome: string) => calls.filter((call) => listOutcomes(call).includes(outcome));
  const failed = of("failed");
  const finished = [...of("succeeded"), ...failed];
  expect(figures).toMatchObject({
    calls: calls.length,
    finished: finished.length,
    failed: failed.length,
    error: of("error").length,
    timedOut: of("timed_out").length,
    interrupted: of("interrupted").length,
    invalid: of("invalid").filter((call) => failed.includes(call)).length,
    consoleInvalid: of("invalid").filter((call) => !failed.includes(call)).length,
    rejected: of("rejected").length,
    cancelled: of("cancelled").length,
    waiting: of("waiting").length,
    running: of("running").length,
  });
  const times = finished
    .flatMap(({ runMs, executionTimeMs, validateMs }) =>
      runMs === null ? [] : [(executionTimeMs ?? 0) - (validateMs ?? 0)],
    )
    .sort((one, other) => one - other);
  for (const [share, figure] of [
    [0.5, figures.p50Ms],
    [0.95, figures.p95Ms],
    [0.99, figures.p99Ms],
  ] as const) {
    const exact = times[Math.max(0, Math.ceil(times.length * share) - 1)];
    if (exact === undefined) expect(figure).toBeNull();
    else expect(Math.abs((figure ?? -1) - exact)).toBeLessThanOrEqual(exact * 0.02 + 0.001);
  }
}

/** Every figure that the statistics give, of times that begin at and between full minutes, hours and days. */
async function readAll({ statistics }: ExecutionStore) {
  const times = [0, NOW - 33 * DAY - 7 * MINUTE, NOW - DAY - 13 * MINUTE];
  const [totals, groups, series] = [[], [], []] as unknown[][];
  for (const since of times) {
    for (const until of [undefined, NOW - 17 * MINUTE]) {
      if (until !== undefined && until <= since) continue;
      totals?.push(await statistics.totals({ since, until }));
      for (const value of ["tool_1", "tool_9"]) {
        const of = { dimension: "tool", value } as const;
        totals?.push(await statistics.totals({ since, until, of }));
        groups?.push(await statistics.groups({ since, until, of, by: "client" }));
      }
      for (const by of ["tool", "client", "toolset", "errorKind"] as const) {
        const { groups: found } = await statistics.groups({ since, until, by, kinds: ["tool", "resource"] });
        groups?.push(found.toSorted((one, other) => (one.value < other.value ? -1 : 1)));
      }
    }
  }
  for (const zone of ["UTC", "Asia/Kolkata", "America/New_York"]) {
    series?.push((await statistics.series({ since: NOW - 9 * DAY, span: "day", zone })).points);
  }
  const of = { dimension: "server", value: "files" } as const;
  series?.push((await statistics.series({ since: NOW - 6 * 60 * MINUTE, span: "minute", of })).points);
  series?.push((await statistics.series({ since: NOW - 3 * DAY, span: "hour", of })).points);
  return { totals, groups, series };
}

export function describeStatistics(createDatabase: CreateDatabase): void {
  describe("statistics", () => {
    const database = useDatabase(createDatabase);
    const clock = { now: () => NOW, elapsed: () => 0 };
    const open = (db: StoreDatabase, instanceId: string): ExecutionStore => db.executions({ instanceId, clock });

    const readStored = () =>
      database().rows(
        `SELECT "span", "dimension", "start", "value", "detail", "kind", "class", "errorKind", "calls", "durations", "waits", "sizes"
         FROM "Statistic" ORDER BY "span", "dimension", "start", "value", "detail", "kind", "class", "errorKind"`,
      );

    async function rebuild({ statisticsUpkeep }: ExecutionStore): Promise<void> {
      await statisticsUpkeep.beginRebuild();
      while (await statisticsUpkeep.rebuildSome(new AbortController().signal));
    }

    for (const seed of [1, 2]) {
      it(`are those of a recount after random calls, deletions, lost processes and second ends of two copies (${seed})`, async () => {
        const random = createRandom(seed);
        const nextCall = createCalls(random);
        let stores = [open(database(), "copy_a"), open(database(), "copy_b")] as const;
        const open_: { start: ExecutionStart; end: ExecutionEnd; at: 0 | 1 }[] = [];
        const ended: string[] = [];
        for (let round = 0; round < 8; round += 1) {
          await Promise.all(
            Array.from({ length: 16 }, async () => {
              const call = nextCall();
              const at = random(2) as 0 | 1;
              if (random(3) === 0) {
                await stores[at].record(call.start, call.end);
                ended.push(call.start.id);
                return;
              }
              await stores[at].begin({ ...call.start, waiting: random(8) === 0 });
              open_.push({ ...call, at });
            }),
          );
          for (const { start, end, at } of open_.splice(0, random(open_.length + 1))) {
            await stores[at].finish(start, end);
            ended.push(start.id);
          }
          if (random(3) === 0) {
            const ids = Array.from({ length: 12 }, () => ended[random(ended.length)] ?? "");
            await stores[random(2) as 0 | 1].delete([...new Set(ids)], { actor: "test", at: NOW, includePinned: true });
          }
          if (random(2) === 0) await stores[random(2) as 0 | 1].statisticsUpkeep.countSome(random(3) === 0);
          if (random(4) === 0) {
            // The processes end without a word; their running calls count as interrupted, and some end all the same.
            await Promise.all(stores.map((store) => store.close()));
            await database().restart();
            await database().interruptOrphans();
            stores = [open(database(), "copy_a"), open(database(), "copy_b")];
            for (const { start, end, at } of open_.splice(0)) {
              if (start.waiting === true || random(2) === 0) continue;
              await stores[at].finish(start, end).catch(() => undefined);
            }
          }
        }
        await expectRecount(database(), stores[0]);
        const before = await readAll(stores[0]);
        await stores[1].drainStatistics();
        expect(await readAll(stores[0])).toEqual(before);
        expect(await stores[0].statisticsUpkeep.isComplete()).toBe(true);
        const content = await readStored();
        await rebuild(stores[0]);
        expect(await readAll(stores[1])).toEqual(before);
        expect(await readStored()).toEqual(content);
        await Promise.all(stores.map((store) => store.close()));
      }, 60_000);
    }
  });
}
