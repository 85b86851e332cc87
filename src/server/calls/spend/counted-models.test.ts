import fc from "fast-check";
import { expect, it } from "vitest";
import type { Principal } from "../../../lib/contract/access";
import { ChatClientError } from "../../engine/agent/chat-ports";
import type { ModelBudget } from "../../engine/agent/model-budget";
import { ScriptedClient } from "../../models/scripted-client.test-support";
import { useDatabase } from "../../platform/db/contract/store-database.test-support";
import { describeOnBoth } from "../../platform/db/store-databases.test-support";
import { createCountedModels } from "./counted-models";
import { createSpendService } from "./spend-service";

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.parse("2026-11-01");
const PERIOD = { from: "2026-11-01", to: "2026-11-03" };
const ADMIN: Principal = { id: "root", name: "Root", role: "admin", token: null };
/** Dollars for a million tokens: an input token costs one millionth of a dollar. */
const PRICE = { model: "small", input: 1, output: 2 };

const aRequest = fc.record({
  user: fc.constantFrom("ada", "eve"),
  day: fc.integer({ min: 0, max: 2 }),
  model: fc.constantFrom("small", "without a price"),
  tokens: fc.option(fc.integer({ min: 1, max: 900_000 }), { nil: null }),
});

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);
const toMicros = (dollars: number): number => Math.round(dollars * 1_000_000);

describeOnBoth("models that no run asks", (createDatabase) => {
  const database = useDatabase(createDatabase);

  function start(tokens: readonly (number | null)[], findRefusal: ModelBudget["findRefusal"]) {
    let now = FIRST_DAY;
    const charged: [user: string, cost: number][] = [];
    const client = new ScriptedClient(
      tokens.map((inputTokens) => ({
        text: "Done",
        ...(inputTokens === null ? {} : { usage: { inputTokens, outputTokens: 0 } }),
      })),
    );
    const open = createCountedModels({
      models: { client: async () => client, price: (_provider, model) => (model === "small" ? PRICE : null) },
      budget: {
        findRefusal,
        charge: async ({ actor }, cost) => void charged.push([actor.id, toMicros(cost)]),
      },
      spend: database().spend(),
      now: () => now,
    });
    async function ask(user: string, { model = "small", day = 0 } = {}): Promise<void> {
      now = FIRST_DAY + day * DAY_MS;
      const spender = { actor: { id: user, name: user }, source: "test" as const };
      await (await open({ provider: "acme", model, spender })).getResponse([], { model });
    }
    return { ask, charged, client };
  }

  it("are in the spend of their day and user, and are charged to limits, once for each response with a price", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aRequest, { minLength: 1, maxLength: 15 }), async (requests) => {
        await database().execute('DELETE FROM "Spend";');
        const { ask, charged } = start(
          requests.map(({ tokens }) => tokens),
          async () => null,
        );
        for (const { user, model, day } of requests) await ask(user, { model, day });
        const priced = requests.flatMap(({ tokens, ...request }) =>
          tokens === null || request.model !== "small" ? [] : [{ ...request, tokens }],
        );
        expect(charged).toEqual(priced.map(({ user, tokens }) => [user, tokens]));
        const service = createSpendService({ store: database().spend(), now: () => FIRST_DAY });
        const byUser = await service.read(ADMIN, { ...PERIOD, by: "user" });
        for (const user of ["ada", "eve"]) {
          const own = priced.filter((request) => request.user === user);
          const group = byUser.groups.find(({ value }) => value === user);
          expect([toMicros(group?.models ?? 0), group?.calls ?? 0]).toEqual([
            sumOf(own.map(({ tokens }) => tokens)),
            own.length,
          ]);
        }
        expect(byUser.days.map(({ models }) => toMicros(models))).toEqual(
          [0, 1, 2].map((day) => sumOf(priced.filter((each) => each.day === day).map(({ tokens }) => tokens))),
        );
        const byModel = await service.read(ADMIN, { ...PERIOD, by: "model" });
        expect(byModel.groups.map(({ value }) => value)).toEqual(priced.length === 0 ? [] : ["acme/small"]);
      }),
      { numRuns: 12 },
    );
  });

  it("are not asked where a limit has no room, and cost nothing then", async () => {
    await database().execute('DELETE FROM "Spend";');
    let used = 0;
    const { ask, charged, client } = start([600_000, 600_000, 600_000], async ({ runId }) => {
      expect(runId).toBeNull();
      used += 1;
      return used > 2 ? "The limit is used" : null;
    });
    await ask("ada");
    await ask("ada");
    await expect(ask("ada")).rejects.toThrow(new ChatClientError("budget", "The limit is used"));
    expect([client.requests.length, charged.length]).toEqual([2, 2]);
    const service = createSpendService({ store: database().spend(), now: () => FIRST_DAY });
    expect((await service.read(ADMIN, { ...PERIOD, by: "day" })).total).toEqual({ models: 1.2, tools: 0, calls: 2 });
  });
});
