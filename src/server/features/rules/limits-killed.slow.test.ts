import { spawn } from "node:child_process";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createScratchDatabase, quietLogger } from "../../platform/db/database.test-support";
import { createLimitStore } from "./db/limit-store";
import { createLimitCounts } from "./limit-counts";

const ENOUGH = 200;

it("after kill -9 under load exactly the calls that were recorded are used of a limit", async () => {
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
      import { LimitEffects } from ${at("engine/rules/limits/limit-effects.ts")};
      import { createMemoryLimits } from ${at("engine/rules/limits/memory-limits.ts")};
      import { createConditionLanguage } from ${at("platform/conditions/condition-language.ts")};
      import { callRuleInputSchema } from ${at("../lib/contract/call-rule.ts")};
      const db = await openSqlite({ url: ${JSON.stringify(scratch.url)}, logger: quietLogger() });
      const journal = createExecutionStore({ db, logger: quietLogger(), instanceId: "inst_b", clock });
      const effect = { kind: "limit", most: 1000000, minutes: 1440 };
      const rule = { ...callRuleInputSchema.parse({ name: "many", effect }), id: "rule_1", version: 1 };
      const rules = compileRules([rule], { language: createConditionLanguage() });
      const { registry, executor } = createToolEngine({
        journal,
        rules: new CallRules({
          added: [new LimitEffects({ counter: createMemoryLimits(), clock })],
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
  const rows = await scratch.db.row<{ calls: number }>(`SELECT count(*) AS calls FROM "Execution"`);
  const counts = createLimitCounts({
    store: createLimitStore(scratch.db),
    isShared: false,
    logger: quietLogger(),
    now: Date.now,
  });
  await counts.load();
  const effect = {
    kind: "limit" as const,
    measure: "calls" as const,
    most: 1_000_000,
    minutes: 1_440,
    per: [],
    action: "deny" as const,
    approver: "always" as const,
    waitSeconds: 60,
  };
  const [usage] = await counts.listUsage([{ id: "rule_1", name: "many", effect }]);
  expect(usage?.used).toBeGreaterThanOrEqual(ENOUGH);
  expect(usage?.used).toBe(Number(rows?.calls));
}, 60_000);
