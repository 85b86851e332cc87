import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExecutionSource } from "../../../../lib/contract/envelope";
import type {
  ExecutionCursor,
  ExecutionFilter,
  ExecutionOrder,
  ExecutionSummary,
} from "../../../../lib/contract/execution";
import { anEnd, aStart } from "../../../calls/executions/execution.test-support";
import type { ExecutionStore, StoredFilter } from "../../../calls/executions/execution-store";
import type { ExecutionEnd, ExecutionStart } from "../../../engine/ports";
import { listOutcomes } from "./outcomes.test-support";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

let store: ExecutionStore;

async function record(start: Partial<ExecutionStart>, end: Partial<ExecutionEnd> = {}): Promise<string> {
  const whole = aStart(start);
  await store.record(whole, anEnd(whole, end));
  return whole.id;
}

async function allPages(
  filter: ExecutionFilter,
  limit: number,
  between?: () => Promise<unknown>,
  order?: ExecutionOrder,
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: ExecutionCursor | null = null;
  do {
    const page = await store.list(filter, { cursor, limit, order });
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
    await between?.();
  } while (cursor !== null);
  return ids;
}

const listIds = async (filter: StoredFilter) => (await store.list(filter)).items.map(({ id }) => id);

const hasOutcome = (call: ExecutionSummary, outcome: string): boolean => listOutcomes(call).includes(outcome);

function openStore(createDatabase: CreateDatabase) {
  const database = useDatabase(createDatabase);
  beforeEach(() => {
    store = database().executions({ instanceId: "inst_a" });
  });
  afterEach(() => store.close());
  return database;
}

export function describeExecutionList(createDatabase: CreateDatabase): void {
  describe("the list of executions", () => {
    const database = openStore(createDatabase);

    describe("calls under another name", () => {
      it("are listed with it, and found by either name and by the search, each once", async () => {
        const own = await record({ toolName: "get_weather", argumentsText: '{"city":"Oslo"}' });
        const renamed = await record({ toolName: "get_weather", calledAs: "forecast" });
        const other = await record({ toolName: "forecast" });
        expect((await store.list({})).items.map(({ calledAs }) => calledAs)).toEqual([
          undefined,
          "forecast",
          undefined,
        ]);
        expect((await store.find(renamed))?.calledAs).toBe("forecast");
        expect(await listIds({ tool: ["forecast"] })).toEqual([other, renamed]);
        expect(await listIds({ tool: ["get_weather"] })).toEqual([renamed, own]);
        expect(await allPages({ tool: ["forecast", "get_weather"] }, 1)).toEqual([other, renamed, own]);
        expect(await listIds({ tool: ["forecast"], status: ["succeeded", "failed"] })).toEqual([other, renamed]);
        expect(await store.count({ tool: ["forecast", "get_weather"] }, { isThorough: true })).toEqual({
          count: 3,
          more: false,
        });
        expect(await listIds({ q: "Forecast" })).toEqual([renamed]);
        expect(await listIds({ q: "forecast", tool: ["get_weather"] })).toEqual([renamed]);
        expect((await store.facets()).tools).toEqual(["forecast", "get_weather"]);
      });
    });

    describe("pages", () => {
      it("are complete and without repetition, newest first, while new rows arrive", async () => {
        const ids: string[] = [];
        for (let index = 0; index < 57; index += 1) ids.push(await record({}));
        expect(await allPages({}, 10, () => record({}))).toEqual(ids.toReversed());
        expect((await store.list({}, { limit: 1000 })).items.length).toBeGreaterThan(57);
      });

      it("an exact last page has no next one, and an empty execution log is an empty page", async () => {
        expect(await store.list({})).toEqual({ items: [], nextCursor: null });
        const ids = [await record({}), await record({})];
        const page = await store.list({}, { limit: 2 });
        expect(page.items.map(({ id }) => id)).toEqual(ids.toReversed());
        expect(page.nextCursor).toBeNull();
      });
    });

    describe("filters", () => {
      it("calls of evals are listed only by source, by run, by id, or pinned", async () => {
        const call = await record({});
        const check = await record({ source: "check", runId: "run_1" });
        expect(await listIds({})).toEqual([call]);
        expect(await listIds({ status: ["succeeded"] })).toEqual([call]);
        expect(await listIds({ source: ["check"] })).toEqual([check]);
        expect(await listIds({ runId: "run_1" })).toEqual([check]);
        expect(await listIds({ q: check })).toEqual([check]);
        expect(await listIds({ pinned: true })).toEqual([]);
        await store.setPinned(check, true);
        expect(await listIds({ pinned: true })).toEqual([check]);
      });

      it("calls whose lens failed are found among those of all tools and of one, in order", async () => {
        const failed = (toolName: string) => record({ toolName }, { lens: "a.b", lensFault: "Selects nothing" });
        const first = await failed("b");
        const second = await failed("a");
        const third = await failed("b");
        await record({ toolName: "b" }, { lens: "a.b" });
        expect(await allPages({ lensFailed: true }, 2)).toEqual([third, second, first]);
        expect(await listIds({ lensFailed: true, tool: ["b"] })).toEqual([third, first]);
        expect(await store.count({ lensFailed: true }, { isThorough: true })).toEqual({ count: 3, more: false });
      });

      it("failed means errors, timeouts, interruptions and the invalid arguments of programs, and each part can be chosen", async () => {
        const ended = (errorKind: ExecutionEnd["errorKind"], source: ExecutionSource = "gateway") =>
          record({ source }, { status: "failed", errorKind });
        const error = await ended("tool_error");
        const timedOut = await record({}, { status: "timed_out", errorKind: "timeout" });
        const interrupted = await record({}, { status: "interrupted", errorKind: "interrupted" });
        const invalid = await ended("invalid_arguments");
        const typed = await ended("invalid_arguments", "console");
        const rejected = await ended("rejected");
        const expired = await ended("approval_expired");
        const fine = await record({});
        expect(await listIds({ status: ["failed"] })).toEqual([invalid, interrupted, timedOut, error]);
        expect(await listIds({ status: ["error"] })).toEqual([error]);
        expect(await listIds({ status: ["timed_out"] })).toEqual([timedOut]);
        expect(await listIds({ status: ["interrupted"] })).toEqual([interrupted]);
        expect(await listIds({ status: ["invalid"] })).toEqual([typed, invalid]);
        expect(await listIds({ status: ["rejected"] })).toEqual([expired, rejected]);
        expect(await listIds({ status: ["invalid", "failed"] })).toEqual([
          typed,
          invalid,
          interrupted,
          timedOut,
          error,
        ]);
        expect(await listIds({ status: ["succeeded", "rejected"] })).toEqual([fine, expired, rejected]);
      });

      it("by message find the calls that failed with exactly this text, up to 200 characters", async () => {
        const long = "x".repeat(200);
        const fail = (error: string) => record({}, { status: "failed", errorKind: "tool_error", error });
        const first = await fail("No");
        const second = await fail("No");
        const other = await fail("No!");
        const cut = [await fail(`${long}1`), await fail(`${long}2`)];
        expect(await listIds({ message: "No" })).toEqual([second, first]);
        expect(await listIds({ message: "No!" })).toEqual([other]);
        expect(await listIds({ message: long })).toEqual(cut.reverse());
      });

      it("by the client or the definition find calls that have none", async () => {
        const none = await record({ definition: null, client: null });
        await record({ client: "claude/1.2" });
        expect(await listIds({ client: "(none)" })).toEqual([none]);
        expect(await listIds({ definition: "none" })).toEqual([none]);
      });

      it("calls that wait for input are the running ones that are named, and count once beside all running ones", async () => {
        const ended = await record({});
        const asks = aStart();
        const works = aStart();
        await store.begin(asks);
        await store.begin(works);
        const awaitingInput = [asks.id, ended];
        const found = async (status: ExecutionFilter["status"]) => {
          const filter = { status, awaitingInput };
          const ids = await listIds(filter);
          expect(await store.count(filter, { isThorough: true })).toEqual({ count: ids.length, more: false });
          return ids;
        };
        expect(await found(["input"])).toEqual([asks.id]);
        expect(await found(["input", "failed"])).toEqual([asks.id]);
        expect(await found(["input", "running"])).toEqual([works.id, asks.id]);
        expect(await found(["input", "succeeded"])).toEqual([asks.id, ended]);
        expect(await listIds({ status: ["input"] })).toEqual([]);
      });

      it("each one alone and all of them together, over several values, give what a plain scan gives", async () => {
        const tools = ["a", "b", "c", "constructor"];
        const statuses = ["succeeded", "failed", "cancelled", "timed_out", "interrupted"] as const;
        const sources = ["console", "agent", "replay"] as const;
        const kinds = ["invalid_arguments", "rejected", "tool_error", "cancelled", null] as const;
        for (let index = 0; index < 96; index += 1) {
          const id = await record(
            {
              toolName: tools[index % 4] ?? "",
              source: sources[index % 3] ?? "console",
              actor: { id: `actor${index % 5}`, name: "Someone" },
              queuedAt: 1000 + ((index * 37) % 96),
            },
            { status: statuses[Math.floor(index / 4) % 5] ?? "failed", errorKind: kinds[index % 5] ?? null },
          );
          if (index % 7 === 0) await store.setPinned(id, true);
        }
        await store.begin(aStart({ toolName: "a", queuedAt: 1000 }));
        const everything = (await store.list({}, { limit: 200 })).items;
        const filters: ExecutionFilter[] = [
          { tool: ["a"] },
          { tool: ["a", "constructor", "nothing"] },
          { status: ["failed"] },
          { status: ["succeeded"] },
          { status: ["error"] },
          { status: ["interrupted", "invalid"] },
          { status: ["failed", "timed_out", "running"] },
          { status: ["failed", "succeeded"] },
          { status: ["invalid"] },
          { status: ["rejected", "timed_out"], tool: ["a", "b"] },
          { status: ["failed", "timed_out"], tool: ["a"] },
          { status: ["invalid", "rejected", "failed"] },
          { status: ["invalid", "succeeded"], source: ["console"] },
          { source: ["replay", "agent"] },
          { actor: "actor3" },
          { pinned: true },
          { pinned: false },
          { since: 1040 },
          { until: 1010 },
          { since: 1020, until: 1030 },
          { since: 5000 },
          { tool: ["a", "b"], status: ["failed", "timed_out"], source: ["console", "agent"], since: 1005, until: 1090 },
          { tool: ["a", "b"], status: ["failed", "succeeded"], actor: "actor1", pinned: false },
          { tool: [], status: [], source: [] },
        ];
        for (const filter of filters) {
          const expected = everything.filter(
            (row) =>
              (!filter.tool?.length || filter.tool.includes(row.toolName)) &&
              (!filter.status?.length || filter.status.some((outcome) => hasOutcome(row, outcome))) &&
              (!filter.source?.length || filter.source.includes(row.source)) &&
              (filter.actor === undefined || row.actor.id === filter.actor) &&
              (filter.pinned === undefined || row.pinned === filter.pinned) &&
              row.queuedAt >= (filter.since ?? 0) &&
              row.queuedAt <= (filter.until ?? Number.POSITIVE_INFINITY),
          );
          expect(await allPages(filter, 5), JSON.stringify(filter)).toEqual(expected.map(({ id }) => id));
          const searched = await allPages({ ...filter, q: "location" }, 5);
          expect(searched, `${JSON.stringify(filter)} with text`).toEqual(expected.map(({ id }) => id));
          for (const counted of [filter, { ...filter, q: "location" }]) {
            expect(await store.count(counted, { isThorough: true }), JSON.stringify(counted)).toEqual({
              count: expected.length,
              more: false,
            });
          }
        }
      });

      it("counting, and ordering the matches of a text, stop at the newest 10,000 and say so", async () => {
        await Promise.all(
          Array.from({ length: 10_001 }, async () => {
            const start = aStart({});
            await store.record(start, anEnd(start));
          }),
        );
        expect(await store.count({})).toEqual({ count: 10_000, more: true });
        expect(await store.count({ since: 1_000 })).toEqual({ count: 10_000, more: true });
        expect(await store.count({ tool: ["nothing"] }, { isThorough: true })).toEqual({ count: 0, more: false });
        await store.drainIndex();
        const order = { by: "size", descending: true } as const;
        const newestOnly = async (filter: ExecutionFilter) =>
          (await store.list(filter, { order, limit: 1 })).newestOnly;
        expect(await newestOnly({ q: "Wellington" })).toBe(10_000);
        expect(await newestOnly({ q: "Wellington", since: Date.now() + 60_000 })).toBeUndefined();
        expect(await newestOnly({})).toBeUndefined();
      });
    });

    describe("order", () => {
      it.each([
        { by: "duration", descending: true },
        { by: "duration", descending: false },
        { by: "size", descending: true },
        { by: "size", descending: false },
      ] as const)(
        "by $by, descending $descending, pages every call once, those without the figure last",
        async (order) => {
          for (let index = 0; index < 60; index += 1) {
            await record(
              { toolName: index % 2 === 0 ? "a" : "b" },
              {
                executionTimeMs: (index * 7) % 11,
                resultBytes: 90 - index,
                storedBytes: index % 4 === 0 ? null : (index * 13) % 17,
              },
            );
          }
          await store.begin(aStart({ toolName: "a" }));
          const getFigure = (row: ExecutionSummary) => (order.by === "duration" ? row.durationMs : row.storedBytes);
          const getRank = (row: ExecutionSummary) =>
            (getFigure(row) ?? Number.POSITIVE_INFINITY) * (order.descending && getFigure(row) !== null ? -1 : 1);
          for (const filter of [{}, { tool: ["a"] }, { tool: ["a", "b"], since: 1 }] as ExecutionFilter[]) {
            const expected = (await store.list(filter, { limit: 200 })).items.toSorted((left, right) =>
              getRank(left) === getRank(right) ? right.seq - left.seq : getRank(left) < getRank(right) ? -1 : 1,
            );
            expect(await allPages(filter, 7, undefined, order)).toEqual(expected.map(({ id }) => id));
            const searched = await allPages({ ...filter, q: "location" }, 7, undefined, order);
            expect(searched).toEqual(expected.map(({ id }) => id));
          }
        },
      );

      it.each(["duration", "size"] as const)(
        "the first by %s are the same from statistics as from the calls, while some are counted, deleted and added",
        async (by) => {
          const HOUR = 3_600_000;
          // From the start of a day on, so that the hours spoiled below are the same ones whatever the time is.
          const base = Math.floor(Date.now() / (24 * HOUR)) * 24 * HOUR - 96 * HOUR;
          const failures: Partial<ExecutionEnd>[] = [
            { status: "failed", errorKind: "tool_error" },
            { status: "timed_out", errorKind: "timeout" },
            // A tool's own failure may have any kind.
            { status: "failed", errorKind: "timeout" },
            { status: "failed", errorKind: "invalid_arguments" },
            { status: "failed", errorKind: "cancelled" },
            { status: "failed", errorKind: "rejected" },
            { status: "cancelled", errorKind: "cancelled" },
            { status: "cancelled", errorKind: null },
          ];
          const recordOne = (index: number) => {
            const figure = (index * 7_919) % 601;
            return record(
              {
                queuedAt: base + Math.floor(index * 0.15) * HOUR + index,
                source: index % 11 === 0 ? "check" : index % 2 === 0 ? "agent" : "console",
                implementationType: index % 7 === 0 ? "resource" : "mock",
                toolName: `tool_${index % 4}`,
                ...(index % 60 === 3 ? { calledAs: "tool_1" } : {}),
              },
              {
                ...(index % 5 === 0 ? failures[(index / 5) % failures.length] : {}),
                executionTimeMs: figure / 3,
                runMs: figure / 3,
                storedBytes: figure % 5,
              },
            );
          };
          /** So many in an hour that minutes of all calls say which of them to read. */
          const recordOfMany = (index: number) => {
            const figure = (index * 7_919) % 1_511;
            const queuedAt = base + (60 + Math.floor(index / 50)) * HOUR + (index % 50) * 60_000;
            return record(
              { queuedAt, source: "gateway" },
              { executionTimeMs: figure / 9, runMs: figure / 9, storedBytes: figure % 40 },
            );
          };
          const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
          const ids = await Promise.all(range(0, 400).map(recordOne));
          await Promise.all(range(0, 1_500).map(recordOfMany));
          await store.drainStatistics();
          await Promise.all(range(400, 500).map(recordOne));
          await store.delete(ids.slice(100, 130), { actor: "test", at: 1, includePinned: true });
          await Promise.all(range(500, 600).map(recordOne));
          const order = { by, descending: true } as const;
          const read = async () => {
            const lists: unknown[] = [];
            const filters: ExecutionFilter[] = [
              {},
              { kind: ["tool" as const] },
              { since: base + 30 * HOUR },
              { status: ["succeeded" as const] },
              { tool: ["tool_1"] },
              { tool: ["tool_1"], since: base + 10 * HOUR, until: base + 80 * HOUR + 1, status: ["succeeded"] },
              { source: ["agent" as const] },
              { source: ["gateway" as const] },
              ...(["failed", "error", "timed_out", "invalid", "rejected", "cancelled"] as const).map((status) => ({
                status: [status],
              })),
              { tool: ["tool_2"], status: ["failed", "timed_out"] },
            ];
            for (const filter of filters) {
              const limit = filter.status === undefined ? 20 : 3;
              const first = await store.list(filter, { order, limit });
              const second = await store.list(filter, { order, limit, cursor: first.nextCursor });
              lists.push([...first.items, ...second.items].map(({ id }) => id));
            }
            return lists;
          };
          const waiting = await read();
          await store.drainStatistics();
          const counted = await read();
          // Wrong figures mislead the lists that leave hours out by them; the other lists have calls in too few hours for that.
          await database().execute(
            `UPDATE "Statistic" SET "longestMs" = 0, "largestBytes" = 0 WHERE "start" / ${HOUR} % 2 = 0`,
          );
          const misled = await read();
          const differing = counted.flatMap((list, at) => (isDeepStrictEqual(list, misled[at]) ? [] : at));
          expect(differing).toEqual(expect.arrayContaining([0, 1, 2, 3, 4, 5, 6, 8, 10, 11, 13]));
          // Without figures, all calls are read.
          await store.statisticsUpkeep.beginRebuild();
          expect(await read()).toEqual(counted);
          expect(waiting).toEqual(counted);
        },
      );
    });
  });
}

export function describeExecutionSearch(createDatabase: CreateDatabase): void {
  describe("search in executions", () => {
    openStore(createDatabase);

    /** Every guarantee of search holds before, during and after indexing. */
    describe.each([
      { indexed: "no row", prepare: async () => undefined },
      { indexed: "every row", prepare: () => store.drainIndex() },
    ])("search with $indexed in the index", ({ prepare }) => {
      it("finds a part of a word in arguments, results and errors, in any case", async () => {
        const inArguments = await record({ argumentsText: '{"city":"Christchurch"}' });
        const inResult = await record({}, { resultText: '"Church of the Good Shepherd"' });
        const inError = await record({}, { status: "failed", resultText: null, error: "No such CHURCH" });
        await record({});
        await prepare();
        expect(await listIds({ q: "church" })).toEqual([inError, inResult, inArguments]);
        expect(await listIds({ q: "hristchurc" })).toEqual([inArguments]);
        expect(await listIds({ q: "churches" })).toEqual([]);
        expect(await listIds({ q: "church", status: ["failed"] })).toEqual([inError]);
      });

      it("says where a text is that the row's previews do not show, with what is around it", async () => {
        const resultText = `{"note":"${"a".repeat(900)} Christchurch ${"b".repeat(900)}"}`;
        const inResult = await record({}, { resultText, storedBytes: resultText.length });
        const shown = await record({ argumentsText: '{"city":"Christchurch"}' });
        await prepare();
        const { items } = await store.list({ q: "christCHURCH" });
        expect(items.map(({ id, match }) => [id, match?.in])).toEqual([
          [shown, undefined],
          [inResult, "result"],
        ]);
        expect(items[1]?.match?.text).toMatch(/^a{20,} Christchurch b{20,}$/);
        const order = { by: "size", descending: true } as const;
        expect((await store.list({ q: "christchurch" }, { order })).items.map(({ match }) => match?.in)).toEqual([
          "result",
          undefined,
        ]);
      });

      it("takes quotes, percent signs, underscores and operators literally", async () => {
        const texts = [
          '{"a":"100% sure"}',
          '{"a":"100x sure"}',
          '{"a":"snake_case"}',
          '{"a":"snakeXcase"}',
          '{"a":"x OR y"}',
        ];
        const ids: string[] = [];
        for (const argumentsText of texts) ids.push(await record({ argumentsText }));
        const bang = await record({ argumentsText: '{"a":"wow!% \\"quoted\\" NOT*"}' });
        await prepare();
        expect(await listIds({ q: "100%" })).toEqual([ids[0]]);
        expect(await listIds({ q: "e_c" })).toEqual([ids[2]]);
        expect(await listIds({ q: "x OR y" })).toEqual([ids[4]]);
        expect(await listIds({ q: '{"a":"snake_case"}' })).toEqual([ids[2]]);
        expect(await listIds({ q: 'wow!% \\"quoted\\" NOT*' })).toEqual([bang]);
        expect(await listIds({ q: "'; DROP TABLE Execution; --" })).toEqual([]);
      });

      it("folds other alphabets, and finds pictures and two characters", async () => {
        const greek = await record({ argumentsText: '{"a":"ΑΘΗΝΑ"}' });
        const umlaut = await record({ argumentsText: '{"a":"Zürich"}' });
        const chinese = await record({ argumentsText: '{"a":"天气预报😀"}' });
        await prepare();
        expect(await listIds({ q: "αθηνα" })).toEqual([greek]);
        expect(await listIds({ q: "ZÜRICH" })).toEqual([umlaut]);
        expect(await listIds({ q: "天气" })).toEqual([chinese]);
        expect(await listIds({ q: "报😀" })).toEqual([chinese]);
      });

      it("pages past any number of newer rows that only look alike", async () => {
        const old = await record({ argumentsText: '{"a":"abcd"}' });
        const alike = Array.from({ length: 1_100 }, () => aStart({ argumentsText: '{"a":"bcd abc"}' }));
        await Promise.all(alike.map((start) => store.record(start, anEnd(start))));
        await prepare();
        const late = await record({ argumentsText: '{"a":"abcde"}' });
        expect(await allPages({ q: "ABCD" }, 1)).toEqual([late, old]);
      });

      it("an execution's id finds that one, and an unknown id is text like any other", async () => {
        const id = await record({});
        const mentions = await record({ argumentsText: `{"id":"${id}","other":"exec_gone"}` });
        await prepare();
        expect(await listIds({ q: ` ${id} ` })).toEqual([id]);
        expect(await listIds({ q: "exec_gone" })).toEqual([mentions]);
      });
    });

    describe("search", () => {
      it("pages are complete while the index is filled and rows arrive between them", async () => {
        const ids: string[] = [];
        for (let index = 0; index < 1200; index += 1) {
          const start = aStart({ argumentsText: `{"needle":${index}}` });
          ids.push(start.id);
          if (index % 100 === 99) await record({});
          void store.record(start, anEnd(start));
          if (index === 700) {
            await store.drain();
            await store.drainIndex();
          }
        }
        await store.drain();
        const found = await allPages({ q: "NEEDLE" }, 90, () => record({ argumentsText: '{"needle":"new"}' }));
        expect(found).toEqual(ids.toReversed());
      });

      it("a running call is found by its arguments, and by its result once it has one", async () => {
        const start = aStart({ argumentsText: '{"a":"slowpoke"}' });
        await store.begin(start);
        await store.drainIndex();
        expect(await listIds({ q: "slowpoke" })).toEqual([start.id]);
        await store.finish(start, anEnd(start, { resultText: '"finally"' }));
        await store.drainIndex();
        expect(await listIds({ q: "finally" })).toEqual([start.id]);
      });

      it("a row too large for the index is found all the same", async () => {
        const id = await record({ argumentsText: `"${"x".repeat(1_100_000)}needle"` });
        await store.drainIndex();
        expect(await listIds({ q: "xneedle" })).toEqual([id]);
      });
    });
  });
}
