import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { callRuleInputSchema, rulePreviewInputSchema } from "../../../lib/contract/call-rule";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { anEnd, aStart } from "../../calls/executions/execution.test-support";
import type { ExecutionStore } from "../../calls/executions/execution-store";
import { createToolEngine, systemClock, type ToolEngine } from "../../create-tool-engine";
import type { ApprovalAsk, ApprovalResult } from "../../engine/approvals/approval-ports";
import { createCallCounts } from "../../engine/rules/call-counts";
import { CallRules } from "../../engine/rules/call-rules";
import { LimitEffects } from "../../engine/rules/limits/limit-effects";
import { PriceEffects } from "../../engine/rules/prices/price-effects";
import { createConditionLanguage } from "../../platform/conditions/condition-language";
import { BoundedRedactor } from "../../platform/conditions/result-redactor";
import { useDatabase } from "../../platform/db/contract/store-database.test-support";
import { describeOnBoth } from "../../platform/db/store-databases.test-support";
import { createRuleService, type RuleService } from "./rule-service";

const PAY: ToolDefinition = {
  name: "pay",
  description: "Pays",
  type: "function",
  handler: "pay",
  parameters: { type: "object", properties: { amount: { type: "number" } } },
  implementation: { type: "mock", mock_response: { tokens: 250 } },
};
const BROKEN: ToolDefinition = {
  name: "broken",
  description: "Fails",
  type: "function",
  handler: "broken",
  parameters: { type: "object" },
  implementation: { type: "builtin", handler: "not_there" },
};
const EVE = { id: "eve", name: "Eve" };
const ADA = { id: "ada", name: "Ada" };
const MINUTE_MS = 60_000;

describeOnBoth("limits of calls", (createDatabase) => {
  const database = useDatabase(createDatabase);
  let engine: ToolEngine;
  let executions: ExecutionStore;
  let rules: RuleService;
  let now = 0;
  let lastId = 0;
  let asked: ApprovalAsk[] = [];
  let decide: (ask: ApprovalAsk) => ApprovalResult;
  /** Approvals wait until their caller leaves. */
  let waits = false;

  async function open(): Promise<void> {
    const language = createConditionLanguage();
    const clock = { now: () => now, elapsed: systemClock.elapsed };
    executions = database().executions({ instanceId: "one" });
    rules = createRuleService({
      store: database().rules(),
      limits: database().limits(clock),
      onUsage: () => undefined,
      language,
      redactor: new BoundedRedactor({ home: process.cwd() }),
      definitions: () => engine.registry.list(),
      readRole: () => "operator",
      newId() {
        lastId += 1;
        return `rule_${lastId}`;
      },
      now: systemClock.now,
      onChange: () => undefined,
    });
    await rules.load();
    engine = createToolEngine({
      journal: executions,
      rules: new CallRules({
        added: [new PriceEffects(language), new LimitEffects({ counter: rules.limitCounter, clock })],
        current: rules.compiled,
        accounts: true,
        readRole: () => "operator",
        counts: createCallCounts(database().countedCalls()),
      }),
      approvals: {
        required: ({ approval }) => approval === "always",
        expiryMs: 60_000,
        async ask(ask, signal) {
          asked.push(ask);
          if (waits) {
            ask.opened(Date.now() + 60_000);
            await waitUntil(() => signal.aborted);
            throw signal.reason;
          }
          return decide(ask);
        },
      },
    });
    engine.registry.register(PAY);
  }

  async function close(): Promise<void> {
    await engine.close();
    await executions.close();
  }

  beforeEach(async () => {
    now = 1_800_000_000_000;
    lastId = 0;
    asked = [];
    waits = false;
    decide = () => ({ approved: true, by: ADA, at: Date.now(), reason: null });
    await open();
  });
  afterEach(close);

  const save = (effect: object, more: object = {}) =>
    rules.create(
      LOCAL_PRINCIPAL,
      callRuleInputSchema.parse({ name: `Rule ${lastId}`, effect: { kind: "limit", minutes: 60, ...effect }, ...more }),
    );
  const price = (text: string) =>
    rules.create(LOCAL_PRINCIPAL, callRuleInputSchema.parse({ name: text, effect: { kind: "price", price: text } }));
  const call = (args: object = {}, options: object = {}) =>
    engine.executor.execute("pay", args, { actor: EVE, ...options });
  const read = async (id: string) => {
    await executions.drain();
    return await executions.find(id);
  };
  const useds = async () => (await rules.usage()).map(({ parts, used }) => [...parts.map(({ value }) => value), used]);

  it("let exactly as many through as the limit says, one after the other and 50 at once", async () => {
    await save({ most: 30, per: ["user"] });
    let passed = 0;
    for (let count = 0; count < 40; count++) if ((await call()).success) passed += 1;
    expect(passed).toBe(30);
    const all = Array.from({ length: 20 }, () => Array.from({ length: 50 }, () => call({}, { actor: ADA })));
    for (const part of all) passed += (await Promise.all(part)).filter(({ success }) => success).length;
    expect(passed).toBe(60);
    expect((await useds()).sort()).toEqual([
      ["ada", 30],
      ["eve", 30],
    ]);
  });

  it("name rule, limit, used and the time when there is room again, and let calls through from then on", async () => {
    const { id, name } = await save({ most: 2, minutes: 10 });
    await call();
    await call();
    const denied = await call();
    const retry = denied.success ? 0 : (denied.retry_after_ms ?? 0);
    expect(denied).toMatchObject({ error_kind: "rule", status: "failed" });
    expect(denied.success ? "" : denied.error).toBe(
      `Denied by rule ${name}: at most 2 calls in 10 minutes, of which 2 calls are used. ` +
        `There is room again at ${new Date(now + retry).toISOString()}, in ${Math.ceil(retry / MINUTE_MS)} minutes`,
    );
    expect(retry).toBeGreaterThanOrEqual(10 * MINUTE_MS);
    expect(retry).toBeLessThanOrEqual(10 * MINUTE_MS + (10 * MINUTE_MS) / 60);
    expect((await read(denied.execution_id))?.ruleMatches).toMatchObject([
      { ruleId: id, effect: "limit", values: { limit: { used: 2, most: 2, outcome: "denied" } } },
    ]);
    now += retry - 1;
    expect((await call()).success).toBe(false);
    now += 1;
    expect((await call()).success).toBe(true);
  });

  it("survive a restart, and the deletion of the calls that they counted", async () => {
    await save({ most: 3 });
    await call();
    await call();
    await executions.drain();
    await database().execute(`DELETE FROM "Execution"`);
    await close();
    await database().restart();
    await open();
    expect(await useds()).toEqual([[2]]);
    expect((await call()).success).toBe(true);
    expect((await call()).success).toBe(false);
  });

  it("count calls that fail, and none that is invalid, denied, rejected or refused by another limit", async () => {
    engine.registry.register(BROKEN);
    await save({ most: 100 });
    await save({ most: 1, per: ["user"] }, { scope: { tools: ["pay"] }, condition: "args.amount > 1" });
    await rules.create(
      LOCAL_PRINCIPAL,
      callRuleInputSchema.parse({ name: "no", condition: "args.amount == 7", effect: { kind: "deny", reason: "no" } }),
    );
    const failed = await engine.executor.execute("broken", {}, { actor: EVE });
    expect(failed.success).toBe(false);
    await call({ amount: "many" });
    await call({ amount: 7 });
    await call({ amount: 2 });
    expect((await call({ amount: 3 })).success).toBe(false);
    decide = () => ({ approved: false, kind: "rejected", by: ADA, at: Date.now(), reason: null });
    engine.registry.register({ ...PAY, name: "asked", approval: "always" });
    await engine.executor.execute("asked", {}, { actor: EVE });
    expect(asked).toHaveLength(1);
    await executions.drain();
    expect((await useds()).sort()).toEqual([["eve", 1], [2]].sort());
    await close();
    await open();
    expect((await useds()).sort()).toEqual([["eve", 1], [2]].sort());
  });

  it("ask where they have no room, whatever a rule allows, and count what is approved", async () => {
    await rules.create(LOCAL_PRINCIPAL, callRuleInputSchema.parse({ name: "all", effect: { kind: "allow" } }));
    await save({ most: 1, action: "ask", approver: "admin" });
    expect((await call()).success).toBe(true);
    expect(asked).toHaveLength(0);
    const { execution_id: id } = await call();
    expect(asked).toHaveLength(1);
    const [approval] = await database().rows<{ mode: string }>(
      `SELECT mode FROM "Approval" WHERE "executionId" = '${id}'`,
    );
    expect(approval?.mode).toBe("admin");
    expect(await useds()).toEqual([[2]]);
    decide = () => ({ approved: false, kind: "rejected", by: ADA, at: Date.now(), reason: null });
    expect((await call()).success).toBe(false);
    expect(await useds()).toEqual([[2]]);
  });

  it("hold calls until there is room, in order, count each once, and say how long each waited", async () => {
    await save({ most: 1, action: "wait", waitSeconds: 3_600, minutes: 1 });
    await call();
    const ended: number[] = [];
    const ids: string[] = [];
    const waiting = [1, 2, 3].map(async (amount) => {
      const { execution_id, success } = await call(
        { amount },
        { timeoutMs: 3_600_000, executionId: `exec_wait${amount}` },
      );
      if (success) ended.push(amount);
      ids.push(execution_id);
    });
    await waitUntil(async () => (await executions.find("exec_wait3"))?.status === "running");
    for (const count of [1, 2, 3]) {
      now += MINUTE_MS + 1_000;
      await waitUntil(() => ended.length === count);
    }
    await Promise.all(waiting);
    expect(ended).toEqual([1, 2, 3]);
    expect(await useds()).toEqual([[1]]);
    const stored = await read("exec_wait1");
    expect(stored).toMatchObject({ status: "succeeded", ruleMatches: [{ values: { limit: { used: 1, most: 1 } } }] });
    expect(JSON.stringify(stored?.logs)).toContain("Waiting for room under rule");
    const [match] = stored?.ruleMatches ?? [];
    expect(match?.values.limit).toMatchObject({ waited_ms: expect.any(Number) });
  });

  it("end a wait with the caller's cancel, and at the longest wait with the time when there is room", async () => {
    await save({ most: 1, action: "wait", waitSeconds: 10, minutes: 1 });
    await call();
    const controller = new AbortController();
    const cancelled = call({}, { signal: controller.signal, executionId: "exec_cancelled1" });
    const late = call({}, { executionId: "exec_late1" });
    await waitUntil(async () => (await executions.find("exec_late1"))?.status === "running");
    controller.abort();
    expect(await cancelled).toMatchObject({ status: "cancelled" });
    now += 10_000;
    expect(await late).toMatchObject({ error_kind: "rule", retry_after_ms: expect.any(Number) });
    expect(await useds()).toEqual([[1]]);
    expect((await read("exec_cancelled1"))?.status).toBe("cancelled");
  });

  it("count bytes and money when a call ends, so that the next one sees them", async () => {
    await price("result.structured.tokens * 0.001");
    await price("args.fee");
    await save({ measure: "money", most: 0.5 });
    const { id } = await save({ measure: "bytes", most: 1_000 });
    const first = await call({ amount: 1 });
    expect((await read(first.execution_id))?.ruleMatches.map(({ values }) => values)).toEqual([
      { price: 0.25 },
      { price: null },
      { limit: { measure: "money", used: 0, most: 0.5 } },
      { limit: { measure: "bytes", used: 0, most: 1_000 } },
    ]);
    const bytes = '{"amount":1}'.length + '{"tokens":250}'.length;
    expect(await rules.usage(id)).toMatchObject([{ used: bytes }]);
    expect((await call({ amount: 1 })).success).toBe(true);
    expect(await call({ amount: 1 })).toMatchObject({ error_kind: "rule" });
    await close();
    await open();
    expect(await rules.usage()).toMatchObject([{ used: 0.5, most: 0.5 }, { used: 2 * bytes }]);
  });

  it("only record what they would have done, and count the same", async () => {
    await save({ most: 1 }, { state: "record" });
    await call();
    const { execution_id: id, success } = await call();
    expect(success).toBe(true);
    expect((await read(id))?.ruleMatches).toMatchObject([
      { recordOnly: true, values: { limit: { used: 1, most: 1, would: "deny" } } },
    ]);
  });

  it("count from 0 after a reset, and where window or keys change", async () => {
    const { id } = await save({ most: 1, per: ["user"] });
    await call();
    expect((await call()).success).toBe(false);
    const [usage] = await rules.usage(id);
    await rules.resetUsage(LOCAL_PRINCIPAL, id, usage?.key);
    expect((await call()).success).toBe(true);
    const { name } = rules.find(id);
    const effect = { kind: "limit", most: 1, minutes: 30, per: ["user", "tool"] };
    await rules.update(LOCAL_PRINCIPAL, id, callRuleInputSchema.parse({ name, effect }));
    expect(await rules.usage(id)).toEqual([]);
    expect((await call()).success).toBe(true);
    expect((await call()).success).toBe(false);
  });

  const deny = (condition: string) =>
    rules.create(
      LOCAL_PRINCIPAL,
      callRuleInputSchema.parse({ name: condition, condition, effect: { kind: "deny", reason: "no" } }),
    );

  it("count a call with edited arguments once, under the limits that these meet, and not at all where they are denied", async () => {
    engine.registry.replace("pay", { ...PAY, approval: "always" });
    await save({ most: 10 });
    await save({ most: 10 }, { condition: "args.amount < 5" });
    await save({ most: 1 }, { condition: "args.amount >= 5" });
    decide = () => ({ approved: true, by: ADA, at: Date.now(), reason: null, args: { amount: 9 } });
    const first = await call({ amount: 1 });
    expect(first.success).toBe(true);
    expect(await useds()).toEqual([[1], [1]]);
    const second = await call({ amount: 1 });
    expect(second).toMatchObject({ error_kind: "rule", retry_after_ms: expect.any(Number) });
    expect(await useds()).toEqual([[1], [1]]);
    await deny("args.amount == 8");
    decide = () => ({ approved: true, by: ADA, at: Date.now(), reason: null, args: { amount: 8 } });
    expect(await call({ amount: 1 })).toMatchObject({ error: "Denied by rule args.amount == 8: no" });
    expect(await useds()).toEqual([[1], [1]]);
    await executions.drain();
    await close();
    await open();
    expect(await useds()).toEqual([[1], [1]]);
  });

  it("count a call once that is continued after its caller left, with its bytes and its price, in another process too", async () => {
    await price("0.5");
    const calls = await save({ most: 10 });
    const bytes = await save({ measure: "bytes", most: 1_000 });
    const money = await save({ measure: "money", most: 10 });
    engine.registry.replace("pay", { ...PAY, approval: "always" });
    const leave = async (executionId: string): Promise<void> => {
      waits = true;
      const left = await call({ amount: 1 }, { executionId, approvalWaitMs: 1 });
      expect(left).toMatchObject({ error_kind: "approval_pending" });
      waits = false;
    };
    const resume = (executionId: string, more: object = {}) =>
      call(
        { amount: 1 },
        { executionId, waiting: true, approval: { approved: true, by: ADA, at: Date.now(), reason: null, ...more } },
      );
    const size = '{"amount":1}'.length + '{"tokens":250}'.length;
    const read = async () => {
      const usage = await Promise.all([calls, bytes, money].map(({ id }) => rules.usage(id)));
      return usage.map(([each]) => each?.used ?? 0);
    };
    await leave("exec_resumed001");
    expect(await read()).toEqual([1, 0, 0]);
    expect((await resume("exec_resumed001")).success).toBe(true);
    expect(await read()).toEqual([1, size, 0.5]);
    await leave("exec_resumed002");
    await executions.drain();
    await close();
    await database().restart();
    await open();
    engine.registry.replace("pay", { ...PAY, approval: "always" });
    expect(await read()).toEqual([2, size, 0.5]);
    expect((await resume("exec_resumed002")).success).toBe(true);
    expect(await read()).toEqual([2, 2 * size, 1]);
    await executions.drain();
    await close();
    await open();
    expect(await read()).toEqual([2, 2 * size, 1]);
  });

  it("`count` goes on after a restart with the calls that were recorded, and a call does not count itself when it is decided again", async () => {
    await deny("count(60) >= 3");
    expect([(await call()).success, (await call()).success]).toEqual([true, true]);
    await call({}, { actor: ADA });
    await executions.drain();
    await close();
    await database().restart();
    await open();
    engine.registry.replace("pay", { ...PAY, approval: "always" });
    decide = () => ({ approved: true, by: ADA, at: Date.now(), reason: null, args: { amount: 9 } });
    expect((await call({ amount: 1 })).success).toBe(true);
    engine.registry.replace("pay", PAY);
    expect(await call()).toMatchObject({ error: "Denied by rule count(60) >= 3: no" });
    expect((await call({}, { actor: ADA })).success).toBe(true);
  });

  it("`count` knows the calls from before its rule, of more than one window, and a price may read it", async () => {
    for (let made = 0; made < 3; made += 1) await call();
    await executions.drain();
    const first = await deny("count(5) > 3");
    expect((await call()).success).toBe(true);
    expect((await call()).success).toBe(false);
    await rules.delete(LOCAL_PRINCIPAL, first.id);
    await price("count(1440) * 1");
    const { execution_id: id } = await call();
    expect((await read(id))?.ruleMatches).toMatchObject([{ values: { price: 5 } }]);
  });

  it("a preview says of recorded calls what enforcement does with the same calls at the same times", async () => {
    const times = fc.array(fc.tuple(fc.integer({ min: 0, max: 90_000 }), fc.constantFrom("eve", "ada")), {
      maxLength: 25,
    });
    const effect = fc.record({
      most: fc.integer({ min: 1, max: 5 }),
      minutes: fc.integer({ min: 1, max: 3 }),
      per: fc.subarray(["user", "tool"]),
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(times, effect, async (gaps, given) => {
        round += 1;
        now = 1_800_000_000_000 + round * 86_400_000;
        const since = now;
        const name = `past_${round}`;
        engine.registry.register({ ...PAY, name });
        const rule = callRuleInputSchema.parse({ name, scope: { tools: [name] }, effect: { kind: "limit", ...given } });
        const { id } = await rules.create(LOCAL_PRINCIPAL, rule);
        let firstAt: number | null = null;
        let refused = 0;
        for (const [gap, user] of gaps) {
          now += gap;
          const actor = { id: user, name: user };
          const { success } = await engine.executor.execute(name, {}, { actor });
          if (!success) firstAt ??= now;
          if (!success) refused += 1;
          const start = aStart({ toolName: name, actor, queuedAt: now });
          await executions.record(start, anEnd(start));
        }
        await rules.delete(LOCAL_PRINCIPAL, id);
        await executions.drain();
        const filter = { since, until: now, tool: [name] };
        const { limited } = await rules.preview(rulePreviewInputSchema.parse({ rule, filter }));
        expect(limited).toMatchObject({ calls: gaps.length, withoutRoom: refused, firstAt });
      }),
      { numRuns: 15 },
    );
  });

  const spender = { actor: EVE, source: "agent" as const, runId: "run_1" };

  it("of dollars count what models cost where they say so, beside the prices of calls, also after a restart", async () => {
    now = Date.now();
    await price("0.5");
    await save({ most: 1, measure: "money", per: ["user"], models: true });
    expect(await rules.modelBudget.findRefusal(spender)).toBeNull();
    await rules.modelBudget.charge(spender, 0.4);
    expect((await call()).success).toBe(true);
    expect(await rules.modelBudget.findRefusal(spender)).toBeNull();
    await rules.modelBudget.charge(spender, 0.25);
    expect(await rules.modelBudget.findRefusal(spender)).toContain("models included, of which $1.15 are used");
    expect(await call()).toMatchObject({ error_kind: "rule" });
    expect(await rules.modelBudget.findRefusal({ ...spender, actor: ADA })).toBeNull();
    await executions.drain();
    await close();
    await database().restart();
    await open();
    expect(await useds()).toEqual([["eve", 1.15]]);
    expect(await rules.modelBudget.findRefusal(spender)).not.toBeNull();
  });

  it("leave models alone otherwise, and let them spend where they only record", async () => {
    now = Date.now();
    await save({ most: 1, measure: "money" });
    await rules.modelBudget.charge(spender, 5);
    expect(await useds()).toEqual([]);
    await save({ most: 1, measure: "money", models: true }, { caller: { users: ["ada"] } });
    await save({ most: 1, measure: "money", models: true }, { state: "record" });
    await rules.modelBudget.charge(spender, 5);
    expect(await useds()).toEqual([[5]]);
    expect(await rules.modelBudget.findRefusal(spender)).toBeNull();
  });

  it.each([
    ["effect.measure", { measure: "calls" }, {}],
    ["effect.action", { action: "wait" }, {}],
    ["effect.per", { per: ["user", "tool"] }, {}],
    ["scope", {}, { scope: { tools: ["pay"] } }],
    ["caller", {}, { caller: { clients: ["claude-*"] } }],
    ["condition", {}, { condition: "args.amount > 1" }],
  ])("that count models have no other %s than models have: the field is named", async (path, effect, more) => {
    const given = { most: 1, measure: "money", models: true, ...effect };
    await expect(save(given, more)).rejects.toMatchObject({ problems: [{ path }] });
  });
});
