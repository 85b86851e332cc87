import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import type { ApprovalMode } from "../../../lib/contract/approval";
import { callRuleInputSchema, rulePreviewInputSchema } from "../../../lib/contract/call-rule";
import { permissionForRules } from "../../../lib/contract/call-rule-access";
import { ruleCaseInputSchema } from "../../../lib/contract/rule-case";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { toMask } from "../../../lib/masked-value";
import type { ExecutionStore } from "../../calls/executions/execution-store";
import { createToolEngine, systemClock, type ToolEngine } from "../../create-tool-engine";
import type { ApprovalAsk, ApprovalResult } from "../../engine/approvals/approval-ports";
import { UNKEYED } from "../../engine/masking/call-mask";
import { createCallCounts } from "../../engine/rules/call-counts";
import { CallRules } from "../../engine/rules/call-rules";
import { LimitEffects } from "../../engine/rules/limits/limit-effects";
import { PriceEffects } from "../../engine/rules/prices/price-effects";
import { createCaseTester } from "../../engine/rules/test-case";
import { createConditionLanguage } from "../../platform/conditions/condition-language";
import { BoundedRedactor } from "../../platform/conditions/result-redactor";
import { useDatabase } from "../../platform/db/contract/store-database.test-support";
import { describeOnBoth } from "../../platform/db/store-databases.test-support";
import { createArgumentCheck } from "./route-preview";
import { createRuleService, type RuleService } from "./rule-service";

const toTool = (name: string, properties: object, more: Partial<ToolDefinition> = {}): ToolDefinition =>
  ({
    name,
    description: "Pays",
    type: "function",
    handler: name,
    parameters: { type: "object", properties },
    implementation: { type: "mock", mock_response: `ran ${name}, write to ada@example.com` },
    ...more,
  }) as ToolDefinition;
const PAY = toTool("pay", { amount: { type: "number" }, pin: { type: "string", format: "password" } });
const MOCK = toTool("pay_mock", {
  amount: { type: "number", maximum: 1_000 },
  note: { type: "string", format: "password" },
});
const EVE = { id: "eve", name: "Eve" };

describeOnBoth("calls under routes", (createDatabase) => {
  const database = useDatabase(createDatabase);
  let engine: ToolEngine;
  let executions: ExecutionStore;
  let rules: RuleService;
  let redactor: BoundedRedactor;
  let asked: ApprovalAsk[] = [];
  let decide: (ask: ApprovalAsk) => ApprovalResult | Promise<ApprovalResult>;
  let requiring: ReadonlySet<string> = new Set();
  let modes: Record<string, ApprovalMode> = {};

  beforeEach(async () => {
    asked = [];
    requiring = new Set();
    modes = {};
    decide = () => ({ approved: true, by: EVE, at: Date.now(), reason: null });
    executions = database().executions({ instanceId: "one" });
    redactor = new BoundedRedactor({ home: process.cwd() });
    const language = createConditionLanguage();
    let lastId = 0;
    rules = createRuleService({
      language,
      redactor,
      store: database().rules(),
      limits: database().limits(),
      onUsage: () => undefined,
      checkArguments: (definition, text) => createArgumentCheck(engine.validator, engine.limits)(definition, text),
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
      masking: { ...UNKEYED, getMask: () => toMask("0123456789ab") },
      rules: new CallRules({
        redactor,
        added: [new PriceEffects(language), new LimitEffects({ counter: rules.limitCounter, clock: systemClock })],
        current: rules.compiled,
        accounts: true,
        readRole: () => "operator",
        counts: createCallCounts(),
      }),
      approvals: {
        required: ({ name }, inToolset) => modes[name] !== undefined || (inToolset ?? requiring.has(name)),
        getMode: (name) => modes[name] ?? null,
        expiryMs: 60_000,
        async ask(ask) {
          asked.push(ask);
          return await decide(ask);
        },
      },
    });
    engine.registry.register(PAY);
    engine.registry.register(MOCK);
  });
  afterEach(async () => {
    await engine.close();
    await redactor.close();
    await executions.close();
  });

  const save = (rule: object) => rules.create(LOCAL_PRINCIPAL, callRuleInputSchema.parse({ name: "route", ...rule }));
  const route = (more: object = {}) =>
    save({ scope: { tools: ["pay"] }, effect: { kind: "route", tool: "pay_mock" }, ...more });
  const call = (args: object, options: object = {}) =>
    engine.executor.execute("pay", args, { actor: EVE, source: "gateway", ...options });
  const stored = async (id: string) => {
    await executions.drain();
    return await executions.find(id);
  };
  const ran = (done: Awaited<ReturnType<typeof call>>): string | null =>
    done.success ? (/^ran (\w+)/.exec(String(done.result))?.[1] ?? null) : null;

  it("run the other tool, keep the name that was called and say which tool ran", async () => {
    const { id } = await route({ condition: "args.amount > 10" });
    const done = await call({ amount: 50 });
    expect(ran(done)).toBe("pay_mock");
    expect(done.tool_name).toBe("pay");
    expect(await stored(done.execution_id)).toMatchObject({
      toolName: "pay",
      status: "succeeded",
      definition: { name: "pay_mock" },
      ruleMatches: [
        { ruleId: id, effect: "route", recordOnly: false, values: { "args.amount": 50, routed_to: "pay_mock" } },
      ],
    });
    expect(ran(await call({ amount: 5 }))).toBe("pay");
  });

  it("run the tool that they name under a rule that only records, which says where they would have gone", async () => {
    await route({ state: "record" });
    const done = await call({ amount: 50 });
    expect(ran(done)).toBe("pay");
    expect((await stored(done.execution_id))?.ruleMatches).toMatchObject([{ effect: "route", recordOnly: true }]);
  });

  it("are refused where the other tool does not take their arguments, or does not exist any more", async () => {
    await route();
    const invalid = await call({ amount: 2_000 });
    expect(invalid).toMatchObject({ error_kind: "invalid_arguments" });
    expect(!invalid.success && invalid.error).toContain("(rule route routes the call to 'pay_mock')");
    engine.registry.unregister("pay_mock");
    const gone = await call({ amount: 5 });
    expect(gone).toMatchObject({
      error_kind: "rule",
      error: "Denied by rule route: it routes the call to 'pay_mock', which does not exist",
    });
    expect((await stored(gone.execution_id))?.ruleMatches).toMatchObject([{ values: { routed_to: "pay_mock" } }]);
  });

  it("are not routed twice, and go by the first route that matches", async () => {
    engine.registry.register(toTool("third", {}));
    await route();
    await save({ name: "second", effect: { kind: "route", tool: "third" } });
    expect(ran(await call({}))).toBe("pay_mock");
    expect(ran(await engine.executor.execute("pay_mock", {}, { actor: EVE }))).toBe("third");
    expect(ran(await engine.executor.execute("third", {}, { actor: EVE }))).toBe("third");
  });

  it("have masks for the sensitive fields of both tools", async () => {
    await route();
    const { execution_id: id } = await call({ pin: "hunter21", note: "hunter22" });
    expect(JSON.stringify(await stored(id))).not.toMatch(/hunter2/);
    decide = (ask) => {
      const text = ask.masked?.restore('{"pin":"[masked:0123456789ab]"}') ?? "";
      return { approved: true, by: EVE, at: Date.now(), reason: null, args: JSON.parse(text) as object };
    };
    requiring = new Set(["pay_mock"]);
    const { execution_id: approved, success } = await call({ pin: "hunter21" });
    expect(success).toBe(true);
    expect(JSON.stringify(await stored(approved))).not.toMatch(/hunter2/);
  });

  it("wait for the approval that either tool's setting demands, by an approver whom both admit", async () => {
    await route();
    for (const name of ["pay", "pay_mock"]) {
      asked = [];
      requiring = new Set([name]);
      expect(ran(await call({}))).toBe("pay_mock");
      expect(asked.map(({ definition }) => definition.name)).toEqual(["pay_mock"]);
      // A toolset speaks of the tool that is called alone.
      await call({}, { approvalRequired: false });
      expect(asked).toHaveLength(name === "pay" ? 1 : 2);
    }
    modes = { pay: "other", pay_mock: "admin" };
    const { execution_id: id } = await call({});
    const [approval] = await database().rows<{ mode: string }>(
      `SELECT mode FROM "Approval" WHERE "executionId" = '${id}'`,
    );
    expect(approval?.mode).toBe("other_admin");
  });

  it("run no other tool than the one that was shown to the approver", async () => {
    const { id } = await route({ condition: "args.amount < 100" });
    requiring = new Set(["pay", "pay_mock"]);
    decide = () => ({ approved: true, by: EVE, at: Date.now(), reason: null, args: { amount: 500 } });
    expect(await call({ amount: 1 })).toMatchObject({ success: false, error_kind: "tool_changed" });
    decide = () => ({ approved: true, by: EVE, at: Date.now(), reason: null, args: { amount: 2 } });
    expect(ran(await call({ amount: 1 }))).toBe("pay_mock");
    expect(await call({ amount: 500 })).toMatchObject({ success: false, error_kind: "tool_changed" });
    decide = () => {
      engine.registry.unregister("pay_mock");
      return { approved: true, by: EVE, at: Date.now(), reason: null };
    };
    expect(await call({ amount: 1 })).toMatchObject({ success: false, error: expect.stringContaining("not exist") });
    engine.registry.register(MOCK);
    // A request that is decided after a restart names the tool that was shown.
    const approve = (definition: ToolDefinition) => ({
      approval: { approved: true as const, by: EVE, at: Date.now(), reason: null, definition },
    });
    expect(ran(await call({ amount: 1 }, approve(MOCK)))).toBe("pay_mock");
    expect(await call({ amount: 1 }, approve(PAY))).toMatchObject({ error_kind: "tool_changed" });
    await rules.delete(LOCAL_PRINCIPAL, id);
    expect(await call({ amount: 1 }, approve(MOCK))).toMatchObject({ error_kind: "tool_changed" });
  });

  it("meet the limits of both tools once each, the price of the one that runs, and the results' rules of both", async () => {
    await route();
    await save({ name: "both", effect: { kind: "limit", most: 2, minutes: 60 } });
    await save({ name: "mock", scope: { tools: ["pay_mock"] }, effect: { kind: "limit", most: 5, minutes: 60 } });
    await save({ name: "dear", scope: { tools: ["pay"] }, effect: { kind: "price", price: "7" } });
    await save({ name: "cheap", scope: { tools: ["pay_mock"] }, effect: { kind: "price", price: "0.5" } });
    await save({ name: "mail", scope: { tools: ["pay"] }, effect: { kind: "redact", presets: ["email"] } });
    const done = await call({});
    expect(done.success && done.result).toBe("ran pay_mock, write to [redacted by rule mail]");
    const matches = (await stored(done.execution_id))?.ruleMatches ?? [];
    expect(matches.map(({ name }) => name).sort()).toEqual(["both", "cheap", "mail", "mock", "route"]);
    expect(matches.find(({ name }) => name === "both")?.values.limit).toMatchObject({ used: 1 });
    await save({ name: "stop", scope: { tools: ["pay_mock"] }, effect: { kind: "block", reason: "not for you" } });
    expect(await call({})).toMatchObject({ error: "Result blocked by rule stop: not for you" });
    expect(await call({})).toMatchObject({ success: false, error_kind: "rule" });
  });

  const decider = fc.record({
    tools: fc.constantFrom<string[]>(["pay"], ["pay_mock"], ["pay*"], []),
    kind: fc.constantFrom("allow", "deny", "ask"),
    state: fc.constantFrom("on", "on", "record", "off"),
  });

  it("never run where a rule denies either tool, and wait wherever a rule or setting of either asks", async () => {
    const settings = fc.uniqueArray(fc.constantFrom("pay", "pay_mock"));
    const property = fc.asyncProperty(
      fc.array(decider, { maxLength: 4 }),
      fc.nat(4),
      settings,
      async (given, at, set) => {
        for (const { id } of await rules.list()) await rules.delete(LOCAL_PRINCIPAL, id);
        asked = [];
        requiring = new Set(set);
        for (const [index, { tools, kind, state }] of given.entries()) {
          const effect = kind === "deny" ? { kind, reason: "no" } : { kind };
          await save({ name: `rule ${index}`, state, effect, scope: { tools } });
        }
        const input = callRuleInputSchema.parse({
          name: "route",
          scope: { tools: ["pay"] },
          effect: { kind: "route", tool: "pay_mock" },
        });
        await rules.create(LOCAL_PRINCIPAL, input, Math.min(at, given.length) + 1);
        const decision = (name: string): string | null =>
          given.find(
            ({ tools, state }) =>
              state === "on" && (tools.length === 0 || tools.includes("pay*") || tools.includes(name)),
          )?.kind ?? null;
        const decisions = ["pay", "pay_mock"].map((name) => ({ name, kind: decision(name) }));
        const isDenied = decisions.some(({ kind }) => kind === "deny");
        const isAsked = decisions.some(({ name, kind }) => kind === "ask" || (kind === null && requiring.has(name)));
        const done = await call({ amount: 1 });
        expect(ran(done)).toBe(isDenied ? null : "pay_mock");
        expect(asked).toHaveLength(!isDenied && isAsked ? 1 : 0);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it("are counted by a preview, with those whose arguments the other tool does not take", async () => {
    for (const amount of [5, 2_000, 50]) await call({ amount });
    await call({ pin: "hunter22" });
    await executions.drain();
    const rule = { name: "a", scope: { tools: ["pay"] }, effect: { kind: "route", tool: "pay_mock" } };
    const preview = (more: object = {}) => rules.preview(rulePreviewInputSchema.parse({ rule: { ...rule, ...more } }));
    expect(await preview()).toMatchObject({ calls: 4, matched: 4, routed: { calls: 4, invalid: 1, unknown: 1 } });
    await save({ name: "never", scope: { tools: ["pay_mock"] }, effect: { kind: "deny", reason: "no" } });
    expect(await preview()).toMatchObject({ changed: 4, after: { deny: 4 } });
    await expect(preview({ effect: { kind: "route", tool: "pay_moc" } })).rejects.toThrow("is no tool of the catalog");
    await expect(preview({ effect: { kind: "route", tool: "pay" } })).rejects.toThrow("name another one");
  });

  it("are expected by cases, which say what rules do with the other tool", async () => {
    await route();
    await save({
      name: "never",
      scope: { tools: ["pay_mock"] },
      condition: "args.amount > 5",
      effect: { kind: "deny", reason: "no" },
    });
    const test = createCaseTester(rules.all(), {
      language: createConditionLanguage(),
      findTool: (name) => (engine.registry.get(name) === undefined ? null : { serverName: null, tags: [] }),
    });
    const check = (amount: number, expected: object) =>
      test(ruleCaseInputSchema.parse({ name: "a", call: { tool: "pay", arguments: { amount } }, expect: expected }));
    expect(check(1, { outcome: "none", effects: ["route"] })).toMatchObject({
      status: "passed",
      effects: [{ rule: "route", effect: "route" }],
    });
    expect(check(9, { outcome: "deny", rule: "never" })).toMatchObject({ status: "passed", effects: [] });
    expect(check(1, { outcome: "none", effects: ["hook"] })).toMatchObject({
      status: "failed",
      notes: ["No rule applies its effect 'hook' to the call"],
    });
    engine.registry.unregister("pay_mock");
    expect(check(1, { outcome: "deny", rule: "route" })).toMatchObject({ status: "passed" });
  });

  it("and hooks are saved, switched, moved and deleted by admins alone, whatever the state of their rules is", async () => {
    const effects = [
      { kind: "route", tool: "pay_mock" },
      { kind: "hook", url: "https://hook.example/" },
    ];
    const toRule = (id: string, more: object) => ({ id, ...callRuleInputSchema.parse({ name: id, ...more }) });
    const other = toRule("other", { effect: { kind: "price", price: "1" } });
    for (const effect of effects) {
      for (const state of ["on", "record", "off"]) {
        const rule = toRule("guarded", { state, effect });
        const changes = [
          { ...rule, effect: { ...rule.effect, tool: "x", url: "https://else.example/" } },
          { ...rule, condition: "args.amount > 1" },
          { ...rule, state: state === "on" ? "off" : "on" },
        ] as (typeof rule)[];
        expect(permissionForRules([other], [other, rule])).toBe("administer");
        expect(permissionForRules([other, rule], [other])).toBe("administer");
        for (const changed of changes) expect(permissionForRules([rule, other], [changed, other])).toBe("administer");
        expect(permissionForRules([rule, other], [rule])).toBe("edit");
      }
    }
  });

  it("take no name that a caller chose, and no role that is not known, for a reason to run another tool", async () => {
    await route({ caller: { users: ["ada"] } });
    expect(ran(await call({}, { actor: { id: "eve", name: "ada" } }))).toBe("pay");
    expect(ran(await call({}, { actor: { id: "ada", name: "Ada" } }))).toBe("pay_mock");
  });
});
