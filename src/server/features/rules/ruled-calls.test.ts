import { afterEach, beforeEach, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Role } from "../../../lib/contract/access";
import type { ApprovalMode } from "../../../lib/contract/approval";
import { callRuleInputSchema, rulePreviewInputSchema } from "../../../lib/contract/call-rule";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { toMask } from "../../../lib/masked-value";
import type { ExecutionStore } from "../../calls/executions/execution-store";
import { createToolEngine, systemClock, type ToolEngine } from "../../create-tool-engine";
import type { ApprovalAsk, ApprovalResult } from "../../engine/approvals/approval-ports";
import { CallArguments } from "../../engine/executor/call-arguments";
import { UNKEYED } from "../../engine/masking/call-mask";
import { createCallCounts } from "../../engine/rules/call-counts";
import { CallRules } from "../../engine/rules/call-rules";
import { createConditionLanguage } from "../../platform/conditions/condition-language";
import { BoundedRedactor } from "../../platform/conditions/result-redactor";
import { useDatabase } from "../../platform/db/contract/store-database.test-support";
import { describeOnBoth } from "../../platform/db/store-databases.test-support";
import { createRuleService, type RuleService } from "./rule-service";

const REFUND: ToolDefinition = {
  name: "refund",
  description: "Pays money back",
  type: "function",
  handler: "refund",
  tags: ["money"],
  parameters: {
    type: "object",
    properties: { amount: { type: "number" }, id: { type: "integer" }, key: { type: "string", format: "password" } },
  },
  implementation: { type: "mock", mock_response: "paid" },
};
const EVE = { id: "eve", name: "Eve" };
const ROLES: Record<string, Role> = { ada: "admin", eve: "operator" };

describeOnBoth("calls under rules", (createDatabase) => {
  const database = useDatabase(createDatabase);
  let engine: ToolEngine;
  let executions: ExecutionStore;
  let rules: RuleService;
  let asked: ApprovalAsk[] = [];
  let decide: (ask: ApprovalAsk) => ApprovalResult;
  let mode: ApprovalMode | null = null;

  beforeEach(async () => {
    asked = [];
    mode = null;
    decide = () => ({ approved: true, by: EVE, at: Date.now(), reason: null });
    executions = database().executions({ instanceId: "one" });
    let lastId = 0;
    rules = createRuleService({
      store: database().rules(),
      limits: database().limits(),
      onUsage: () => undefined,
      language: createConditionLanguage(),
      redactor: new BoundedRedactor({ home: process.cwd() }),
      definitions: () => engine.registry.list(),
      readRole: (id) => ROLES[id] ?? null,
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
        added: [],
        current: rules.compiled,
        accounts: true,
        readRole: (id) => ROLES[id] ?? null,
        counts: createCallCounts(),
      }),
      approvals: {
        required: ({ approval }, inToolset) => mode === "admin" || (inToolset ?? approval === "always"),
        getMode: () => mode,
        expiryMs: 60_000,
        async ask(ask) {
          asked.push(ask);
          return decide(ask);
        },
      },
    });
    engine.registry.register(REFUND);
  });
  afterEach(async () => {
    await engine.close();
    await executions.close();
  });

  const save = (rule: object) => rules.create(LOCAL_PRINCIPAL, callRuleInputSchema.parse(rule));
  const call = (args: object, options: object = {}) =>
    engine.executor.execute("refund", args, { actor: EVE, ...options });
  const stored = async (id: string) => {
    await executions.drain();
    return await executions.find(id);
  };

  it("are denied with the rule's name and reason, and recorded as rejected with what the condition read", async () => {
    const { id } = await save({
      name: "No large refunds",
      scope: { tools: ["ref*"], tags: ["money"] },
      condition: "args.amount > 1000",
      effect: { kind: "deny", reason: "Ask finance" },
    });
    const denied = await call({ amount: 1500 });
    expect(denied).toMatchObject({ error: "Denied by rule No large refunds: Ask finance", error_kind: "rule" });
    expect(await stored(denied.execution_id)).toMatchObject({
      status: "failed",
      errorKind: "rule",
      ruleMatches: [
        {
          ruleId: id,
          name: "No large refunds",
          version: 1,
          effect: "deny",
          recordOnly: false,
          values: { "args.amount": 1500 },
        },
      ],
    });
    expect((await call({ amount: 10 })).success).toBe(true);
    const found = await executions.list({ rule: id });
    expect(found.items.map((item) => item.id)).toEqual([denied.execution_id]);
    expect((await executions.list({ status: ["rejected"] })).items).toHaveLength(1);
    expect((await rules.list())[0]).toMatchObject({ matched: 1 });
  });

  it("wait for the approver that the first matching rule names, together with the tool's own", async () => {
    mode = "other";
    await save({ name: "big", condition: "args.amount > 10", effect: { kind: "ask", approver: "admin" } });
    await save({ name: "rest", effect: { kind: "deny", reason: "no" } });
    const { execution_id: id, success } = await call({ amount: 11 });
    expect(success).toBe(true);
    expect(asked).toHaveLength(1);
    const [approval] = await database().rows<{ mode: string }>(
      `SELECT mode FROM "Approval" WHERE "executionId" = '${id}'`,
    );
    expect(approval?.mode).toBe("other_admin");
    expect((await stored(id))?.ruleMatches).toMatchObject([{ name: "big", effect: "ask" }]);
  });

  it("need no approval where a rule allows them, unless a setting names an approver", async () => {
    await save({ name: "small", condition: "args.amount < 10", effect: { kind: "allow" } });
    expect((await call({ amount: 5 }, { approvalRequired: true })).success).toBe(true);
    expect(asked).toHaveLength(0);
    await call({ amount: 50 }, { approvalRequired: true });
    expect(asked).toHaveLength(1);
    mode = "admin";
    await call({ amount: 5 });
    expect(asked).toHaveLength(2);
  });

  it("run as before under a rule that only records, which is stored with masked values", async () => {
    await save({
      name: "keys",
      state: "record",
      condition: 'args.key == "hunter22"',
      effect: { kind: "deny", reason: "no" },
    });
    const { execution_id: id, success } = await call({ key: "hunter22" });
    expect(success).toBe(true);
    const found = await stored(id);
    expect(found?.ruleMatches).toMatchObject([{ name: "keys", recordOnly: true }]);
    expect(JSON.stringify(found)).not.toContain("hunter22");
  });

  it("are decided again where an approver edits the arguments, by rules that must admit the approver", async () => {
    await save({ name: "never", condition: "args.amount > 1000", effect: { kind: "deny", reason: "too much" } });
    await save({ name: "admins", condition: "args.amount > 100", effect: { kind: "ask", approver: "admin" } });
    await save({ name: "anyone", effect: { kind: "ask" } });
    const edit = (amount: number, by: { id: string; name: string }) => {
      decide = () => ({ approved: true, by, at: Date.now(), reason: null, args: { amount } });
    };
    edit(2000, EVE);
    const denied = await call({ amount: 1 });
    expect(denied).toMatchObject({ error_kind: "rule", error: expect.stringContaining("too much") });
    expect((await stored(denied.execution_id))?.ruleMatches.map(({ name }) => name)).toEqual(["never", "anyone"]);
    edit(200, EVE);
    expect(await call({ amount: 1 })).toMatchObject({ error_kind: "rule", error: expect.stringContaining("an admin") });
    edit(200, { id: "ada", name: "Ada" });
    expect((await call({ amount: 1 })).success).toBe(true);
  });

  it("meet the fallback of a rule whose condition cannot be evaluated, which is counted", async () => {
    await save({ name: "open", condition: "args.amount > 1", effect: { kind: "deny", reason: "no" } });
    expect((await call({})).success).toBe(true);
    await save({
      name: "closed",
      condition: "args.id > 1",
      fallback: "match",
      effect: { kind: "deny", reason: "no id" },
    });
    expect(await call({})).toMatchObject({ error: "Denied by rule closed: no id" });
    expect((await rules.list()).map(({ unevaluable }) => unevaluable)).toEqual([2, 1]);
  });

  it("are denied where their size keeps a condition from being evaluated, by this rule and by those after it", async () => {
    const padded = `${"x".repeat(200_000)} DROP TABLE users`;
    await save({
      name: "seen",
      state: "record",
      condition: 'args.key.matches("drop (table|index)")',
      effect: { kind: "deny", reason: "no" },
    });
    await save({ name: "open", condition: 'args.key.matches("(?i)never")', effect: { kind: "allow" } });
    await save({
      name: "sql",
      condition: 'args.key.matches("(?i)drop (table|index|view)")',
      effect: { kind: "deny", reason: "no SQL" },
    });
    expect(await call({ key: padded, amount: 1 })).toMatchObject({ error: "Denied by rule sql: no SQL" });
    expect((await call({ key: "SELECT 1", amount: 1 })).success).toBe(true);
    expect((await rules.list()).map(({ unevaluable }) => unevaluable)).toEqual([1, 1, 1]);
  });

  it("run unasked for a user's id alone, since users choose their names", async () => {
    await save({ name: "ada", caller: { users: ["ada"] }, effect: { kind: "allow" } });
    await save({ name: "others", effect: { kind: "ask" } });
    await call({ amount: 1 }, { actor: { id: "eve", name: "ada" } });
    expect(asked).toHaveLength(1);
    await call({ amount: 1 }, { actor: { id: "ada", name: "Ada" } });
    expect(asked).toHaveLength(1);
  });

  it("that read a resource or prompt are denied by rules, and never held", async () => {
    const read = { kind: "resource" as const, provided: { definition: REFUND, run: async () => "text" } };
    await save({ name: "ask", effect: { kind: "ask" } });
    expect((await call({}, read)).success).toBe(true);
    await save({ name: "never", effect: { kind: "deny", reason: "no" } });
    expect(await call({}, read)).toMatchObject({ error: "Denied by rule never: no" });
    await executions.drain();
    const stored = await preview({ effect: { kind: "ask" } });
    expect(stored).toMatchObject({ calls: 2, matched: 0 });
  });

  it("are decided by integers beyond 2^53 digit for digit, and by the calls before them", async () => {
    await save({ name: "one", condition: "args.id == 9054686819491029395", effect: { kind: "deny", reason: "known" } });
    await save({ name: "often", condition: "count(5) >= 2", effect: { kind: "deny", reason: "slow down" } });
    const send = (text: string) => engine.executor.execute("refund", CallArguments.parse(text), { actor: EVE });
    expect(await send('{"id":9054686819491029395}')).toMatchObject({ error: "Denied by rule one: known" });
    expect((await send('{"id":9054686819491029396}')).success).toBe(true);
    expect(await send('{"id":9054686819491029396}')).toMatchObject({ error: "Denied by rule often: slow down" });
    expect((await engine.executor.execute("refund", {}, { actor: { id: "ada", name: "Ada" } })).success).toBe(true);
  });

  it("name the values of their arguments for the builder, without sensitive ones and those that the reader may not see", async () => {
    for (const amount of [7, 5, 7]) await call({ amount, key: "hunter22" });
    await executions.drain();
    expect(await rules.fields(["ref*"])).toEqual([
      { path: "args.amount", type: "number", values: [7, 5] },
      { path: "args.id", type: "integer", values: [] },
      { path: "args.key", type: "string", values: [] },
    ]);
    expect(await rules.fields(["other"])).toEqual([]);
    expect((await rules.fields(["refund"], async (ids) => new Set(ids)))[0]).toMatchObject({ values: [] });
  });

  it("lose their matches when they are deleted", async () => {
    const { id } = await save({ name: "all", state: "record", effect: { kind: "deny", reason: "no" } });
    const { execution_id: executionId } = await call({});
    await executions.drain();
    await executions.delete([executionId], { actor: "ada", at: Date.now(), includePinned: false });
    expect(await database().rows(`SELECT 1 AS found FROM "RuleMatch"`)).toEqual([]);
    expect(await rules.get(id)).toMatchObject({ matched: 0 });
  });

  const preview = (rule: object, more: object = {}) =>
    rules.preview(rulePreviewInputSchema.parse({ rule: { name: "draft", ...rule }, ...more }));

  it("are counted by a preview as the rule would have decided them, without saving it", async () => {
    for (const amount of [5, 50, 500, 5000]) await call({ amount });
    await call({ amount: 7000 }, { actor: { id: "ada", name: "Ada" } });
    await executions.drain();
    const deny = { condition: "args.amount > 100", effect: { kind: "deny", reason: "no" } };
    const result = await preview(deny);
    expect(result).toMatchObject({
      calls: 5,
      more: false,
      matched: 3,
      unknown: 0,
      changed: 3,
      before: { none: 5, deny: 0 },
      after: { none: 2, deny: 3 },
      groups: [
        { actor: EVE, toolName: "refund", count: 2 },
        { actor: { id: "ada" }, count: 1 },
      ],
    });
    expect(result.items.map(({ argumentsPreview }) => argumentsPreview)).toEqual([
      '{"amount":7000}',
      '{"amount":5000}',
      '{"amount":500}',
    ]);
    expect(await preview(deny, { filter: { actor: "eve" } })).toMatchObject({ calls: 4, matched: 2 });
    expect(await preview({ ...deny, caller: { roles: ["admin"] } })).toMatchObject({ matched: 1 });
    expect(await preview({ ...deny, scope: { tags: ["money"], tools: ["r*"] } })).toMatchObject({ matched: 3 });
    expect(await preview({ ...deny, scope: { tags: ["other"] } })).toMatchObject({ matched: 0 });
    expect(await rules.list()).toEqual([]);
  });

  it("are compared by a preview with what the saved rules do, in the place of the rule that is edited", async () => {
    for (const amount of [5, 50, 500]) await call({ amount });
    await executions.drain();
    const saved = await save({ name: "big", condition: "args.amount > 100", effect: { kind: "deny", reason: "no" } });
    await save({ name: "rest", state: "off", effect: { kind: "ask" } });
    const wider = { condition: "args.amount > 10", effect: { kind: "deny", reason: "no" } };
    const replaced = await preview(wider, { id: saved.id });
    expect(replaced).toMatchObject({
      matched: 2,
      changed: 1,
      before: { deny: 1, none: 2 },
      after: { deny: 2, none: 1 },
    });
    expect(await preview(wider)).toMatchObject({ matched: 1, changed: 1, after: { deny: 2 } });
    expect(await preview({ effect: { kind: "allow" } })).toMatchObject({ matched: 2, failedAllowed: 0 });
  });

  it("are unknown to a preview where a masked value decides, and where the reader may not see the arguments", async () => {
    await call({ key: "hunter22", amount: 5 });
    const { execution_id: hidden } = await call({ amount: 5 });
    await executions.drain();
    const byKey = { condition: 'has(args.key) && args.key == "hunter22"', effect: { kind: "deny", reason: "no" } };
    expect(await preview(byKey)).toMatchObject({ matched: 0, unknown: 1, after: { unknown: 1, none: 1 } });
    const input = { rule: { name: "a", condition: "args.amount == 5", effect: { kind: "deny", reason: "no" } } };
    const asReader = await rules.preview(rulePreviewInputSchema.parse(input), undefined, {
      findHidden: async () => new Set([hidden]),
    });
    expect(asReader).toMatchObject({ matched: 1, unknown: 1 });
    const all = { rule: { name: "a", effect: { kind: "deny", reason: "no" } } };
    const shown = await rules.preview(rulePreviewInputSchema.parse(all), undefined, {
      findHidden: async () => new Set([hidden]),
    });
    expect(shown.items.find(({ id }) => id === hidden)?.argumentsPreview).toMatch(/^Restricted/);
  });

  it("are counted by a preview with the calls before them, and not beyond the end of its request", async () => {
    for (let made = 0; made < 4; made += 1) await call({ amount: made });
    await executions.drain();
    const often = { condition: "count(5) >= 2", effect: { kind: "deny", reason: "slow" } };
    expect(await preview(often)).toMatchObject({ calls: 4, matched: 2 });
    const input = rulePreviewInputSchema.parse({ rule: { name: "a", ...often } });
    await expect(rules.preview(input, AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
  });
});
