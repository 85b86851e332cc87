import fc from "fast-check";
import { expect, it } from "vitest";
import type { Principal } from "../../../lib/contract/access";
import type { ExecutionFilter, ExecutionSummary } from "../../../lib/contract/execution";
import type { RunEvent, RunSettings } from "../../../lib/contract/run";
import type { SpendReport } from "../../../lib/contract/spend";
import { SPEND_DIMENSIONS } from "../../../lib/contract/spend-days";
import { anEnd, aStart } from "../../calls/executions/execution.test-support";
import type { ExecutionContents } from "../../calls/executions/execution-reads";
import { createReadableExecutions } from "../../calls/executions/readable-executions";
import { createSpendService } from "../../calls/spend/spend-service";
import { useDatabase } from "../../platform/db/contract/store-database.test-support";
import { describeOnBoth } from "../../platform/db/store-databases.test-support";

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.parse("2026-11-01");
const DAYS = 4;
const PERIOD = { from: "2026-11-01", to: "2026-11-04" };
const USERS = ["ada", "eve"];
const ADMIN: Principal = { id: "root", name: "Root", role: "admin", token: null };
const EVE: Principal = { id: "eve", name: "Eve", role: "editor", token: null };

/** `begun`: it runs until the server is killed. `late`: its end comes after it was taken for interrupted. */
const FATES = ["ended", "recorded", "begun", "late", "repeated"] as const;

const aCall = fc.record({
  user: fc.constantFrom(...USERS),
  client: fc.constantFrom(null, "robot/1.0", "robot/2.0", "editor/7"),
  tool: fc.constantFrom("pay", "search"),
  day: fc.integer({ min: 0, max: DAYS - 1 }),
  /** Millionths of a dollar; null without a price. */
  micros: fc.option(fc.integer({ min: 0, max: 2_000_000 }), { nil: null }),
  fate: fc.constantFrom(...FATES),
  isDeleted: fc.boolean(),
});
type Call = (typeof aCall extends fc.Arbitrary<infer Each> ? Each : never) & { id: string };

const aModelCall = fc.record({
  run: fc.integer({ min: 0, max: 2 }),
  day: fc.integer({ min: 0, max: DAYS - 1 }),
  cost: fc.double({ min: 0, max: 0.5, noNaN: true }),
  model: fc.constantFrom("small", "large"),
});

const toMicros = (dollars: number): number => Math.round(dollars * 1_000_000);
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);
const hasEnded = ({ fate }: Call): boolean => fate !== "begun";

function countTools(report: SpendReport): Record<string, number> {
  return Object.fromEntries(
    report.groups.filter(({ tools }) => tools > 0).map(({ value, tools }) => [value, toMicros(tools)]),
  );
}

/** The same from the calls themselves. */
function sumCalls(calls: readonly Call[], toValue: (call: Call) => string): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const call of calls.filter(hasEnded)) {
    const value = toValue(call);
    sums[value] = (sums[value] ?? 0) + (call.micros ?? 0);
  }
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum > 0));
}

const VALUES = {
  day: ({ day }: Call) => new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10),
  user: ({ user }: Call) => user,
  client: ({ client }: Call) => client?.split("/")[0] ?? "",
  tool: ({ tool }: Call) => tool,
};

const SETTINGS: RunSettings = { provider: "local", model: "small", instructions: "", tools: { mode: "all" } };

const modelFinished = (index: number, at: number): RunEvent => ({
  index,
  at,
  type: "model_finished",
  step: index,
  message: { role: "assistant", contents: [] },
  finishReason: "stop",
  firstTokenMs: null,
  usage: { inputTokens: 1, outputTokens: 1 },
  durationMs: 1,
});

const toSums = (model: string, cost: number) => ({
  status: "running" as const,
  provider: "local",
  model,
  settings: SETTINGS,
  finishedAt: null,
  activeMs: 0,
  modelCalls: 0,
  toolCalls: 0,
  failedToolCalls: 0,
  usage: { inputTokens: 0, outputTokens: 0 },
  cost,
  error: null,
});

describeOnBoth("spend", (createDatabase) => {
  const database = useDatabase(createDatabase);
  const service = () => createSpendService({ store: database().spend(), now: () => FIRST_DAY });
  const clear = () => database().execute('DELETE FROM "Spend"; DELETE FROM "Execution";');

  async function make(call: Call, executions: ReturnType<ReturnType<typeof database>["executions"]>): Promise<void> {
    const { id, user, client, tool, day, micros, fate } = call;
    const queuedAt = FIRST_DAY + day * DAY_MS + 5_000;
    const start = aStart({ id, actor: { id: user, name: user }, client, toolName: tool, queuedAt });
    const end = anEnd(start, { cost: micros === null ? null : micros / 1_000_000 });
    if (fate === "recorded") return await executions.record(start, end);
    await executions.begin(start);
    if (fate === "ended" || fate === "repeated") await executions.finish(start, end);
    if (fate === "repeated") await executions.finish(start, end);
  }

  it("is what the ended calls cost, by day, user, client and tool, whatever is killed, repeated or deleted", async () => {
    const isCalls = fc.array(aCall, { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(isCalls, async (given) => {
        await clear();
        const calls: Call[] = given.map((call, at) => ({ ...call, id: `exec_${at}` }));
        const before = database().executions({ instanceId: "before" });
        await Promise.all(calls.map((call) => make(call, before)));
        await before.close();
        await database().interruptOrphans();
        const after = database().executions({ instanceId: "after" });
        for (const { id, micros, fate } of calls) {
          const found = fate === "late" ? await after.find(id) : null;
          if (found === null) continue;
          const start = aStart({ id, actor: found.actor, toolName: found.toolName, queuedAt: found.queuedAt });
          const end = anEnd(start, { cost: micros === null ? null : micros / 1_000_000 });
          await after.finish(start, end);
          await after.finish(start, end);
        }
        const listed = await after.list({}, { limit: 50 });
        expect(sumOf(listed.items.map(({ cost }) => toMicros(cost ?? 0)))).toBe(
          sumOf(calls.filter(hasEnded).map(({ micros }) => micros ?? 0)),
        );
        await after.delete(
          calls.filter(({ isDeleted }) => isDeleted).map(({ id }) => id),
          { actor: "root", at: FIRST_DAY, includePinned: true },
        );
        for (const [by, toValue] of Object.entries(VALUES)) {
          const report = await service().read(ADMIN, { ...PERIOD, by: by as keyof typeof VALUES });
          expect(countTools(report)).toEqual(sumCalls(calls, toValue));
          expect(toMicros(report.total.tools)).toBe(sumOf(Object.values(sumCalls(calls, toValue))));
          expect(report.total.calls).toBe(calls.filter((call) => hasEnded(call) && call.micros !== null).length);
        }
        await after.close();
      }),
      { numRuns: 6 },
    );
  }, 60_000);

  it("a guessed end with a price is replaced by the real one, and counted once", async () => {
    const executions = database().executions({ instanceId: "one" });
    const start = aStart({ queuedAt: FIRST_DAY });
    await executions.begin(start);
    await executions.finish(start, anEnd(start, { status: "interrupted", cost: 0.5 }));
    await executions.finish(start, anEnd(start, { cost: 0.75 }));
    const { total, groups } = await service().read(ADMIN, { ...PERIOD, by: "tool" });
    expect(total).toEqual({ tools: 0.75, models: 0, calls: 1 });
    expect(groups).toEqual([{ value: "get_weather", name: "get_weather", tools: 0.75, models: 0, calls: 1 }]);
    await executions.close();
  });

  it("of models is what the runs cost, by model and user, whatever a second write repeats", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aModelCall, { minLength: 1, maxLength: 15 }), async (modelCalls) => {
        await database().execute('DELETE FROM "Spend"; DELETE FROM "Run"; DELETE FROM "RunEvent";');
        const runs = database().runs("one");
        const costs = new Map<number, number>();
        const written = new Map<number, number>();
        for (const run of [0, 1, 2]) {
          await runs.create(
            {
              id: `run_${run}`,
              status: "running",
              title: "Run",
              source: "agent",
              actor: { id: USERS[run % 2] ?? "", name: "Name" },
              startedAt: FIRST_DAY,
              parentId: null,
              parentStep: null,
              parentResults: null,
              transcriptId: null,
              settings: SETTINGS,
            },
            [{ index: 0, at: FIRST_DAY, type: "user_message", message: { role: "user", contents: [] } }],
          );
        }
        for (const { run, day, cost, model } of modelCalls) {
          const sum = (costs.get(run) ?? 0) + cost;
          costs.set(run, sum);
          const index = (written.get(run) ?? 0) + 1;
          written.set(run, index);
          await runs.append(`run_${run}`, [modelFinished(index, FIRST_DAY + day * DAY_MS)], toSums(model, sum), true);
        }
        const report = await service().read(ADMIN, { ...PERIOD, by: "user" });
        const expected = sumOf([...costs.values()].map(toMicros));
        expect(toMicros(report.total.models)).toBe(expected);
        expect(sumOf(report.groups.map(({ models }) => toMicros(models)))).toBe(expected);
        expect(toMicros(report.groups.find(({ value }) => value === "eve")?.models ?? 0)).toBe(
          toMicros(costs.get(1) ?? 0),
        );
        const byModel = await service().read(ADMIN, { ...PERIOD, by: "model" });
        expect(byModel.groups.every(({ value }) => value === "local/small" || value === "local/large")).toBe(true);
        expect(sumOf(byModel.groups.map(({ models }) => toMicros(models)))).toBe(expected);
      }),
      { numRuns: 5 },
    );
  }, 60_000);

  it("of others is for admins: every other role reads its own alone, by each dimension", async () => {
    const executions = database().executions({ instanceId: "one" });
    for (const [user, cost] of [
      ["ada", 3],
      ["eve", 0.25],
    ] as const) {
      const start = aStart({ actor: { id: user, name: user }, toolName: `tool_of_${user}`, queuedAt: FIRST_DAY });
      await executions.record(start, anEnd(start, { cost }));
    }
    for (const by of SPEND_DIMENSIONS) {
      const own = await service().read(EVE, { ...PERIOD, by });
      expect(own).toMatchObject({ isOwn: true, total: { tools: 0.25, calls: 1 } });
      expect(JSON.stringify(own)).not.toContain("ada");
      const all = await service().read(ADMIN, { ...PERIOD, by });
      expect(all).toMatchObject({ isOwn: false, total: { tools: 3.25, calls: 2 } });
    }
    await executions.close();
  });

  it("is refused for days in the wrong order, and for more than a year", async () => {
    const read = (from: string, to: string) => service().read(ADMIN, { from, to, by: "day" });
    await expect(read("2026-11-02", "2026-11-01")).rejects.toThrow("from");
    await expect(read("2025-11-02", "2026-11-03")).rejects.toThrow("at most 366 days");
    expect((await read("2025-11-02", "2026-11-02")).days).toHaveLength(366);
  });

  it("the cost of a call is a filter of executions, and calls without a price have none", async () => {
    const executions = database().executions({ instanceId: "one" });
    const ids: string[] = [];
    for (const cost of [null, 0, 0.4, 0.5, 2]) {
      const start = aStart({ queuedAt: FIRST_DAY });
      ids.push(start.id);
      await executions.record(start, anEnd(start, { cost }));
    }
    const { items } = await executions.list({ minCost: 0.5 }, { limit: 50 });
    expect(items.map(({ id, cost }) => [id, cost])).toEqual([
      [ids[4], 2],
      [ids[3], 0.5],
    ]);
    expect(await executions.count({ minCost: 0.4 }, { isThorough: true })).toEqual({ count: 3, more: false });
    const [free] = await executions.summaries([ids[0] ?? ""]);
    expect(free).toBeDefined();
    expect(free && "cost" in free).toBe(false);
    await executions.close();
  });
});

it("the cost of a call whose contents are hidden is hidden too, and no filter finds the call by it", async () => {
  const asked: ExecutionFilter[] = [];
  const item = { id: "exec_1", runId: null, cost: 12.5, argumentsPreview: '{"amount":1250}' } as ExecutionSummary;
  const contents = {
    async list(filter: ExecutionFilter) {
      asked.push(filter);
      return { items: [item], nextCursor: null };
    },
    async count(filter: ExecutionFilter) {
      asked.push(filter);
      return { count: 1, more: false };
    },
  } as unknown as ExecutionContents;
  const reads = createReadableExecutions(contents, {
    hidden: async (reader) => new Set(reader.id === "eve" ? ["exec_1"] : []),
    mayReadRun: async () => true,
    servers: () => ({ personal: ["mail"], open: [] }),
  });
  const eve = reads.readsFor(EVE);
  expect((await eve.list({ minCost: 10 }, undefined, 50)).items[0]).toMatchObject({
    cost: undefined,
    restricted: true,
  });
  await eve.count({ minCost: 10 });
  expect(asked).toMatchObject([{ readableBy: { id: "eve" } }, { readableBy: { id: "eve" } }]);
  expect((await reads.readsFor(ADMIN).list({ minCost: 10 }, undefined, 50)).items[0]?.cost).toBe(12.5);
});
