import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { ErrorKind } from "../../../../lib/contract/envelope";
import type { ExecutionFilter, ExecutionOutcome } from "../../../../lib/contract/execution";
import {
  DURATION_BUCKETS,
  type ExecutionTimeline,
  FACET_NAMES,
  type FacetCounts,
  type FacetName,
  findBucket,
  SIZE_BUCKETS,
} from "../../../../lib/contract/execution-facets";
import { anEnd, aStart } from "../../../calls/executions/execution.test-support";
import { createExecutionReads } from "../../../calls/executions/execution-reads";
import type { CountEffort, ExecutionStore } from "../../../calls/executions/execution-store";
import { createRollupCounts } from "../../../calls/executions/rollup-counts";
import type { ExecutionEnd, ExecutionStart } from "../../../engine/ports";
import { listOutcomes } from "./outcomes.test-support";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const TAGS: readonly (readonly [string, readonly string[]])[] = [
  ["alpha", ["weather", "fast"]],
  ["beta", ["weather"]],
  ["unused", ["never"]],
];

/** Repeatable random numbers (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Call {
  start: ExecutionStart;
  end: ExecutionEnd | null;
}

const CALLS = 160;
const FILTERS = 24;
/** More than a slice of a scan has. */
const MANY_CALLS = 4_800;
/** Ends a count after its first slice. */
const NO_TIME: CountEffort = { parts: 1_000_000 };
const STEP_MS = 60_000;
const HOUR_MS = 3_600_000;
const FIRST_AT = Date.UTC(2026, 10, 20);
/** Filters that the statistics count. */
const COUNTED_FILTERS: ExecutionFilter[] = [
  {},
  { kind: ["tool" as const] },
  { source: ["agent" as const] },
  { tool: ["beta"] },
  { server: "files" },
  { client: "goose" },
  { actor: "ada" },
  { toolset: "ops" },
  { status: ["failed"] },
  { status: ["succeeded", "invalid", "running"] },
  { status: ["error", "timed_out"], tool: ["beta"] },
  { status: ["cancelled"], source: ["agent" as const], kind: ["resource" as const] },
];

function makeCalls(random: () => number, most = CALLS): Call[] {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  return Array.from({ length: most }, (_, at): Call => {
    const start = aStart({
      toolName: pick(["alpha", "beta", "gamma"]),
      source: pick(["console", "agent", "gateway", "check"] as const),
      actor: { id: pick(["ada", "bob"]), name: "Someone" },
      serverName: pick([null, "files", "web"]),
      client: pick([null, "goose/1.0", "goose/1.1", "cursor/2"]),
      implementationType: pick(["mock", "resource"]),
      queuedAt: FIRST_AT + Math.floor((at * CALLS) / most) * STEP_MS,
      ...(random() < 0.3 ? { toolset: pick(["support", "ops"]) } : {}),
      ...(random() < 0.2 ? { calledAs: pick(["gamma", "renamed"]) } : {}),
    });
    if (random() < 0.05) return { start, end: null };
    const status = pick(["succeeded", "succeeded", "failed", "timed_out", "cancelled", "interrupted"] as const);
    const errorKind =
      status === "succeeded" ? null : pick<ErrorKind | null>(["tool_error", "invalid_arguments", "rejected", null]);
    const storedBytes = pick([null, 12, 1_023, 1_024, 50_000, 2_000_000]);
    const runMs = pick([null, 0.2, 9.9996, 10, 450, 12_000]);
    const end = anEnd(start, { status, errorKind, storedBytes, runMs, executionTimeMs: (runMs ?? 1) + 0.04 });
    return { start, end };
  });
}

async function recordCalls(store: ExecutionStore, random: () => number): Promise<Call[]> {
  const calls = makeCalls(random);
  for (const { start, end } of calls) await (end === null ? store.begin(start) : store.record(start, end));
  return calls;
}

const valuesOf = new WeakMap<Call, Record<FacetName, readonly (string | null)[]>>();

/** The values of a call by filter; each is asked for some hundred filters. */
function listValues(call: Call): Record<FacetName, readonly (string | null)[]> {
  const values = valuesOf.get(call) ?? readValues(call);
  valuesOf.set(call, values);
  return values;
}

function readValues({ start, end }: Call): Record<FacetName, readonly (string | null)[]> {
  const ranMs = end === null || end.runMs === null ? null : Math.round((end.executionTimeMs - 0.04) * 1_000) / 1_000;
  return {
    tool: [...new Set([start.toolName, start.calledAs ?? start.toolName])],
    server: [start.serverName],
    toolset: [start.toolset ?? null],
    client: [start.client?.split("/")[0] ?? null],
    actor: [start.actor.id],
    status: listOutcomes({ ...start, status: end?.status ?? "running", errorKind: end?.errorKind ?? null }),
    source: [start.source],
    kind: [start.implementationType === "resource" ? "resource" : "tool"],
    errorKind: [end?.errorKind ?? null],
    tag: TAGS.find(([name]) => name === start.toolName)?.[1] ?? [],
    duration: [findBucket(DURATION_BUCKETS, ranMs)],
    size: [findBucket(SIZE_BUCKETS, end?.storedBytes ?? null)],
  };
}

function isMatch(call: Call, filter: ExecutionFilter, without?: FacetName): boolean {
  const values = listValues(call);
  const { queuedAt, source } = call.start;
  const { since = 0, until = Number.POSITIVE_INFINITY } = filter;
  if (queuedAt < since || queuedAt > until) return false;
  if (source === "check" && (without === "source" || !filter.source?.length)) return false;
  return FACET_NAMES.every((name) => {
    const wanted = filter[name];
    if (name === without || wanted === undefined) return true;
    return values[name].some(
      (value) =>
        value !== null && (typeof wanted === "string" ? value === wanted : (wanted as string[]).includes(value)),
    );
  });
}

function makeFilter(random: () => number): ExecutionFilter {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const at = (share: number): number => FIRST_AT + Math.floor(CALLS * share) * STEP_MS;
  const parts: ExecutionFilter[] = [
    { tool: pick([["alpha"], ["gamma", "beta"], ["renamed"], ["absent"]]) },
    { server: pick(["files", "web"]) },
    { toolset: "support" },
    { client: pick(["goose", "cursor"]) },
    { actor: pick(["ada", "bob"]) },
    {
      status: pick<ExecutionOutcome[]>([
        ["succeeded"],
        ["failed"],
        ["error", "invalid"],
        ["timed_out", "running", "rejected"],
      ]),
    },
    { source: pick<NonNullable<ExecutionFilter["source"]>>([["console"], ["agent", "check"]]) },
    { kind: [pick(["tool", "resource"] as const)] },
    { errorKind: pick<ErrorKind[]>([["tool_error"], ["rejected", "invalid_arguments"]]) },
    { tag: pick([["weather"], ["fast"], ["never"]]) },
    {
      duration: pick<NonNullable<ExecutionFilter["duration"]>>([
        ["under_10ms"],
        ["from_10ms", "none"],
        ["from_10s", "from_100ms"],
      ]),
    },
    { size: pick<NonNullable<ExecutionFilter["size"]>>([["none"], ["under_1kib", "from_1mib"], ["from_1kib"]]) },
    { since: at(0.3) },
    { until: at(0.7) },
    { q: "location" },
  ];
  const chosen = Array.from({ length: Math.floor(random() * 4) }, () => pick(parts));
  return Object.assign({}, ...chosen) as ExecutionFilter;
}

const toMap = (values: FacetCounts["values"]) => new Map(values.map(({ value, count }) => [value, count]));

export function describeExecutionAnalysis(createDatabase: CreateDatabase): void {
  describe("counts over the list of executions", () => {
    const database = useDatabase(createDatabase);
    let store: ExecutionStore;
    beforeEach(() => {
      store = database().executions({ instanceId: "inst_a" });
    });
    afterEach(() => store.close());

    it("the calls of each value, and of each step of time, are those that a plain count finds, under any filter", async () => {
      const random = createRandom(29);
      const calls = await recordCalls(store, random);
      await store.drainIndex();
      const limits = { maxModelChars: 1_000 } as Parameters<typeof createExecutionReads>[0]["limits"];
      const reads = createExecutionReads({ store, limits, currentHash: () => null, listTags: () => TAGS }).contents;
      let compared = 0;
      for (let round = 0; round < FILTERS; round += 1) {
        const filter = makeFilter(random);
        const name = JSON.stringify(filter);
        const facets = await reads.facetCounts(filter);
        for (const facet of FACET_NAMES) {
          const counts = new Map<string, number>();
          for (const call of calls) {
            if (!isMatch(call, filter, facet)) continue;
            for (const value of listValues(call)[facet])
              if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
          }
          // A machine that is too slow for all of them says so.
          if (facets[facet].more) continue;
          compared += 1;
          const found = Object.fromEntries(facets[facet].values.map(({ value, count }) => [value, count]));
          expect(found, `${facet} of ${name}`).toEqual(Object.fromEntries(counts));
        }
        const matching = calls.filter((call) => isMatch(call, filter));
        const { points, end, more } = await reads.timeline(filter, "Asia/Tokyo");
        if (more) continue;
        points.forEach((point, step) => {
          const below = points[step + 1]?.at ?? end;
          const inStep = matching.filter(({ start }) => start.queuedAt >= point.at && start.queuedAt < below);
          const ofOutcome = (wanted: string): number =>
            inStep.filter((call) => listValues(call).status.includes(wanted)).length;
          const names = ["succeeded", "failed", "error", "interrupted", "rejected", "cancelled"] as const;
          expect([point.calls, point.open, point.timedOut, point.invalid + point.consoleInvalid], name).toEqual([
            inStep.length,
            ...["running", "timed_out", "invalid"].map(ofOutcome),
          ]);
          expect(
            names.map((each) => point[each]),
            name,
          ).toEqual(names.map(ofOutcome));
        });
        expect(
          points.reduce((sum, { calls: all }) => sum + all, 0),
          name,
        ).toBe(matching.length);
      }
      expect(compared).toBeGreaterThan(FILTERS);
    });

    it("the statistics count what reading the calls does, under the filters that they have", async () => {
      const calls = await recordCalls(store, createRandom(7));
      await store.drainStatistics();
      const limits = { maxModelChars: 1_000 } as Parameters<typeof createExecutionReads>[0]["limits"];
      const reads = createExecutionReads({ store, limits, currentHash: () => null, listTags: () => TAGS }).contents;
      const rollups = createRollupCounts(store, Date.now, { chart: 0, facets: 0 });
      for (const filter of COUNTED_FILTERS) {
        const name = JSON.stringify(filter);
        const matching = calls.filter((call) => isMatch(call, filter)).length;
        expect(await rollups.count(filter), name).toEqual({ count: matching, more: false });
        const counted = await rollups.facets(filter);
        const read = await reads.facetCounts(filter, { isThorough: true });
        expect(counted?.size, name).toBeGreaterThan(0);
        for (const [facet, { values }] of counted ?? []) {
          // The facet of a set filter is counted without it.
          if (facet === "ownTool" || facet === "tool" || filter[facet] !== undefined) continue;
          const expected = values.map(({ value }) => ({
            value,
            count: calls.filter((call) => isMatch(call, filter) && listValues(call)[facet].includes(value)).length,
          }));
          expect(toMap(values), `${facet} of ${name}`).toEqual(toMap(expected));
          expect(toMap(values), `${facet} of ${name}`).toEqual(toMap(read[facet].values));
        }
      }
      for (const filter of [
        { q: "x" },
        { actor: "ada", server: "files" },
        { since: 5 },
        { status: ["failed", "input"] },
        // Executions of other tools have this name in `calledAs`.
        { tool: ["gamma"] },
      ] as ExecutionFilter[]) {
        expect(await rollups.facets(filter), JSON.stringify(filter)).toBeNull();
        expect(await rollups.timeline(filter, "UTC")).toBeNull();
      }
    });

    it.each([
      { when: "while they are made", now: FIRST_AT + 3 * HOUR_MS },
      { when: "after three days", now: FIRST_AT + 72 * HOUR_MS },
      { when: "after three years", now: FIRST_AT + 26_000 * HOUR_MS },
    ])("charts from statistics have each call in its step, $when, in UTC and India", async ({ now }) => {
      const clock = { now: () => now, elapsed: () => 0 };
      const dated = database().executions({ instanceId: "inst_a", clock });
      onTestFinished(() => dated.close());
      const calls = await recordCalls(dated, createRandom(7));
      await dated.drainStatistics();
      const rollups = createRollupCounts(dated, clock.now, { chart: 0, facets: 0 });
      const at = (share: number): number => FIRST_AT + Math.floor(CALLS * share) * STEP_MS;
      const times: ExecutionFilter[] = [
        {},
        { since: 0 },
        { until: at(0.5) - 1 },
        { since: at(0.2), until: at(0.8) - 1 },
        { since: at(0.9) },
        { since: FIRST_AT - 960 * HOUR_MS, until: now - (now % STEP_MS) - 1 },
        { until: 240_000_000_000_000 - 1 },
      ];
      for (const filter of COUNTED_FILTERS) {
        for (const time of times) {
          for (const zone of ["UTC", "Asia/Kolkata"]) {
            const asked = { ...filter, ...time };
            const name = JSON.stringify({ ...asked, zone });
            const { points, end } = (await rollups.timeline(asked, zone)) ?? { points: [], end: 0 };
            const matching = calls.filter((call) => isMatch(call, asked));
            const counts = points.map((point, index) => {
              const next = points[index + 1]?.at ?? end;
              return matching.filter(({ start }) => start.queuedAt >= point.at && start.queuedAt < next).length;
            });
            expect(
              points.map((point) => point.calls),
              name,
            ).toEqual(counts);
            expect(
              counts.reduce((sum, count) => sum + count, 0),
              name,
            ).toBe(matching.length);
            expect(points.length, name).toBeLessThanOrEqual(62);
          }
        }
      }
    });

    it("a chart has the same steps from statistics as from the calls, and begins with the first hour that has some", async () => {
      const clock = { now: () => FIRST_AT + 9 * HOUR_MS, elapsed: () => 0 };
      const dated = database().executions({ instanceId: "inst_a", clock });
      onTestFinished(() => dated.close());
      await recordCalls(dated, createRandom(7));
      await dated.drainStatistics();
      const rollups = createRollupCounts(dated, clock.now, { chart: 0, facets: 0 });
      const listStarts = (timeline: ExecutionTimeline | null) => [
        ...(timeline?.points ?? []).map(({ at }) => at),
        timeline?.end,
      ];
      for (const [since, steps] of [
        [FIRST_AT, 37],
        [FIRST_AT - 20 * HOUR_MS, 30],
        [FIRST_AT - 480 * HOUR_MS, 21],
      ] as const) {
        const filter: ExecutionFilter = { source: ["agent"], since };
        const starts = listStarts(await rollups.timeline(filter, "UTC"));
        expect(starts).toEqual(listStarts(await dated.timeline(filter, "UTC")));
        expect(starts).toHaveLength(steps + 1);
      }
      expect((await rollups.timeline({}, "UTC"))?.points[0]?.at).toBe(FIRST_AT);
    });

    it("a count, facets and a chart that stop early have at most what matches and say that there may be more; thorough ones have all", async () => {
      const random = createRandom(11);
      const calls = makeCalls(random, MANY_CALLS);
      await Promise.all(calls.map(({ start, end }) => (end === null ? store.begin(start) : store.record(start, end))));
      await store.drainIndex();
      const stopped = { count: 0, facets: 0, timeline: 0 };
      for (let round = 0; round < FILTERS; round += 1) {
        const { tag: _tag, ...filter } = makeFilter(random);
        const name = JSON.stringify(filter);
        const matching = calls.filter((call) => isMatch(call, filter));
        const readSum = async (effort: CountEffort) => {
          const { points, more } = await store.timeline(filter, "UTC", effort);
          return { count: points.reduce((sum, point) => sum + point.calls, 0), more };
        };
        const readValues = async (effort: CountEffort) => {
          const facet = (await store.facetCounts(filter, ["actor"], effort)).get("actor") ?? {
            values: [],
            more: false,
          };
          return { count: facet.values.reduce((sum, { count }) => sum + count, 0), more: facet.more };
        };
        const reads = {
          count: (effort: CountEffort) => store.count(filter, effort),
          facets: readValues,
          timeline: readSum,
        };
        for (const [kind, read] of Object.entries(reads)) {
          const { count, more } = await read(NO_TIME);
          if (more) stopped[kind as keyof typeof reads] += 1;
          expect(count, `${kind} of ${name}`).toBeLessThanOrEqual(matching.length);
          if (!more) expect(count, `${kind} of ${name}`).toBe(matching.length);
          expect(await read({ isThorough: true }), `${kind} of ${name}`).toEqual({
            count: matching.length,
            more: false,
          });
        }
      }
      expect(Math.min(...Object.values(stopped))).toBeGreaterThan(0);
    }, 120_000);

    it("percentiles of a step are durations that occurred in it, and steps without a finished call have none", async () => {
      for (let at = 1; at <= 100; at += 1) {
        const start = aStart({ queuedAt: FIRST_AT + at });
        await store.record(
          start,
          anEnd(start, { executionTimeMs: at + 0.04, validateMs: 0.04 } as Partial<ExecutionEnd>),
        );
      }
      await store.begin(aStart({ queuedAt: FIRST_AT + STEP_MS }));
      const { points } = await store.timeline({ since: FIRST_AT, until: FIRST_AT + STEP_MS + 1 }, "UTC");
      expect(points.map(({ p50Ms, p95Ms, p99Ms, open }) => [p50Ms, p95Ms, p99Ms, open])).toEqual([
        [50, 95, 99, 0],
        [null, null, null, 1],
      ]);
      expect(await store.timeline({ tool: ["absent"] }, "UTC")).toEqual({ points: [], end: 0, more: false });
    });
  });
}
