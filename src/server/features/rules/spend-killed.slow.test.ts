import { spawn } from "node:child_process";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createSpendStore } from "../../calls/spend/db/spend-store";
import { toAmount } from "../../engine/rules/limits/limit-slot";
import { createScratchDatabase } from "../../platform/db/database.test-support";

const ENOUGH = 200;

it("after kill -9 under load the spend is exactly what the recorded calls cost", async () => {
  const scratch = await createScratchDatabase();
  onTestFinished(() => scratch.remove());
  const at = (file: string) => JSON.stringify(path.resolve("src/server", file));
  const victim = spawn(
    process.execPath,
    [
      "--import",
      "tsx",
      "--input-type=module",
      "--eval",
      `
      import { openSqlite } from ${at("platform/db/sqlite/sqlite-database.ts")};
      import { quietLogger } from ${at("platform/db/database.test-support.ts")};
      import { createExecutionStore } from ${at("calls/executions/db/execution-store.ts")};
      import { createToolEngine, systemClock as clock } from ${at("create-tool-engine.ts")};
      import { createCallCounts } from ${at("engine/rules/call-counts.ts")};
      import { CallRules } from ${at("engine/rules/call-rules.ts")};
      import { compileRules } from ${at("engine/rules/decide-call.ts")};
      import { PriceEffects } from ${at("engine/rules/prices/price-effects.ts")};
      import { createConditionLanguage } from ${at("platform/conditions/condition-language.ts")};
      import { callRuleInputSchema } from ${at("../lib/contract/call-rule.ts")};
      const db = await openSqlite({ url: ${JSON.stringify(scratch.url)}, logger: quietLogger() });
      const journal = createExecutionStore({ db, logger: quietLogger(), instanceId: "inst_b", clock });
      const language = createConditionLanguage();
      const effect = { kind: "price", price: "0.25" };
      const rule = { ...callRuleInputSchema.parse({ name: "priced", effect }), id: "rule_1", version: 1 };
      const rules = compileRules([rule], { language });
      const { registry, executor } = createToolEngine({
        journal,
        rules: new CallRules({
          added: [new PriceEffects(language)],
          current: () => rules,
          accounts: false,
          readRole: () => null,
          counts: createCallCounts(),
        }),
      });
      registry.register({
        name: "hi",
        description: "Says hi",
        type: "function",
        handler: "hi",
        parameters: { type: "object" },
        implementation: { type: "mock", mock_response: "hi" },
      });
      let ended = 0;
      const lane = async () => {
        for (;;) {
          await executor.execute("hi", {});
          ended += 1;
          if (ended === ${ENOUGH}) console.log("enough");
        }
      };
      for (let i = 0; i < 16; i += 1) void lane();
      `,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const ended = new Promise<void>((resolve) => victim.once("exit", () => resolve()));
  await new Promise<void>((resolve) => victim.stdout.once("data", () => resolve()));
  victim.kill("SIGKILL");
  await ended;
  const stored = await scratch.db.row<{ calls: number; micros: number }>(
    `SELECT count(*) AS calls, sum(cost) AS micros FROM "Execution" WHERE cost IS NOT NULL`,
  );
  const today = Math.floor(Date.now() / 86_400_000);
  const [spend] = await createSpendStore(scratch.db).read({ first: today - 1, last: today, user: null, by: "tool" });
  expect(spend?.calls).toBeGreaterThanOrEqual(ENOUGH);
  expect(spend).toMatchObject({ value: "hi", calls: Number(stored?.calls), tools: Number(stored?.micros), models: 0 });
  expect(toAmount("money", spend?.tools ?? 0)).toBe(0.25 * (spend?.calls ?? 0));
}, 60_000);
