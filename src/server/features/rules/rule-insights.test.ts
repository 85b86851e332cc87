import { afterEach, beforeEach, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { callRuleInputSchema, rulePreviewInputSchema } from "../../../lib/contract/call-rule";
import { ruleProposalsInputSchema } from "../../../lib/contract/rule-insight";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { toMask } from "../../../lib/masked-value";
import type { ExecutionStore } from "../../calls/executions/execution-store";
import { createToolEngine, type ToolEngine } from "../../create-tool-engine";
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
    properties: { amount: { type: "number" }, currency: {}, key: { type: "string", format: "password" } },
  },
  implementation: { type: "mock", mock_response: "paid" },
};
const BROKEN: ToolDefinition = { ...REFUND, implementation: { type: "mock", mock_response: null, mock_error_rate: 1 } };
const EVE = { id: "eve", name: "Eve" };
const ADA = { id: "ada", name: "Ada" };
const DAY_MS = 86_400_000;

describeOnBoth("rules that learn from recorded calls", (createDatabase) => {
  const database = useDatabase(createDatabase);
  let engine: ToolEngine;
  let executions: ExecutionStore;
  let rules: RuleService;
  let now: () => number = Date.now;

  beforeEach(async () => {
    now = Date.now;
    executions = database().executions({ instanceId: "one" });
    let lastId = 0;
    rules = createRuleService({
      store: database().rules(),
      limits: database().limits(),
      onUsage: () => undefined,
      language: createConditionLanguage(),
      redactor: new BoundedRedactor({ home: process.cwd() }),
      definitions: () => engine.registry.list(),
      readRole: () => null,
      newId() {
        lastId += 1;
        return `rule_${lastId}`;
      },
      now: () => now(),
      toStoredFilter: async ({ tag, ...filter }) => ({ ...filter, ...(tag && { taggedTools: ["refund"] }) }),
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
        readRole: () => null,
        counts: createCallCounts(),
      }),
    });
    engine.registry.register(REFUND);
  });
  afterEach(async () => {
    await engine.close();
    await executions.close();
  });

  const save = (rule: object, position?: number) =>
    rules.create(LOCAL_PRINCIPAL, callRuleInputSchema.parse(rule), position);
  async function call(args: object, actor = EVE): Promise<string> {
    const { execution_id: id } = await engine.executor.execute("refund", args, { actor });
    await executions.drain();
    return id;
  }
  async function fail(args: object): Promise<string> {
    engine.registry.replace("refund", BROKEN);
    const id = await call(args);
    engine.registry.replace("refund", REFUND);
    return id;
  }
  const propose = (execution: string, more: object = {}, hidden: string[] = []) =>
    rules.propose(ruleProposalsInputSchema.parse({ execution, ...more }), undefined, {
      findHidden: async () => new Set(hidden),
    });

  it("propose at most three conditions that set a call apart, with the calls that each would match", async () => {
    for (let amount = 1; amount <= 30; amount += 1) await call({ amount, currency: "EUR" });
    const id = await call({ amount: 900, currency: "USD" });
    const { proposals, ...totals } = await propose(id);
    expect(totals).toMatchObject({
      toolName: "refund",
      caller: null,
      calls: 31,
      failed: 0,
      succeeded: 31,
      more: false,
    });
    expect(proposals).toEqual([
      { condition: "args.amount > 30", matched: 1, failed: 0, succeeded: 1, unknown: 0 },
      { condition: 'args.currency == "USD"', matched: 1, failed: 0, succeeded: 1, unknown: 0 },
    ]);
    const allowed = await propose(id, { effect: "allow", field: "args.amount", callers: "same" });
    expect(allowed.caller).toEqual(EVE);
    expect(allowed.proposals[0]).toMatchObject({ condition: "args.amount <= 900", matched: 31 });
    expect(allowed.proposals.length).toBeLessThanOrEqual(3);
  });

  it("propose every call where a call has nothing to compare, and refuse what no rule is made from", async () => {
    const id = await call({});
    expect((await propose(id)).proposals).toEqual([{ condition: "", matched: 1, failed: 0, succeeded: 1, unknown: 0 }]);
    await expect(propose(id, { field: "args.amount" })).rejects.toMatchObject({
      code: "INVALID",
      problems: [{ path: "field" }],
    });
    await expect(propose("exec_nothing0")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(propose(id, {}, [id])).rejects.toMatchObject({ code: "DENIED" });
    const invalid = await call({ amount: "many" });
    await expect(propose(invalid)).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("leave out calls that the reader may not see, and cannot tell where a value is masked", async () => {
    const secret = await call({ amount: 5000, currency: "EUR" });
    for (const amount of [1, 2, 3]) await call({ amount, currency: "EUR" });
    const id = await call({ amount: 10, currency: "EUR", key: "hunter22" });
    const shown = await propose(id, {}, [secret]);
    expect(shown.proposals[0]).toMatchObject({ condition: "args.amount >= 10", matched: 1, unknown: 1 });
    expect(JSON.stringify(shown)).not.toMatch(/hunter22|masked/);
  });

  it("name the rules that are off or record and would have caught a failed call, with what else they would have caught", async () => {
    const off = await save({ name: "big", state: "off", condition: "args.amount > 100", effect: { kind: "ask" } });
    const all = await save({ name: "all", state: "record", effect: { kind: "deny", reason: "no" } });
    await save({ name: "allows", state: "off", effect: { kind: "allow" } });
    await save({ name: "other", state: "off", scope: { tools: ["pay"] }, effect: { kind: "ask" } });
    await save({ name: "on", condition: "args.amount < 0", effect: { kind: "ask" } });
    const masked = await save({ name: "key", state: "off", condition: 'args.key == "x"', effect: { kind: "ask" } });
    for (const amount of [5, 6, 7, 8, 150]) await call({ amount, currency: "EUR" });
    await fail({ amount: 500, currency: "EUR" });
    const id = await fail({ amount: 900, currency: "EUR", key: "hunter22" });
    const caught = await rules.caught(id);
    expect(caught).toMatchObject({ toolName: "refund", calls: 7, failed: 2, succeeded: 5, more: false });
    expect(caught.rules).toMatchObject([
      { id: off.id, state: "off", isCertain: true, failed: 2, succeeded: 1, matched: 3 },
      { id: all.id, state: "record", isCertain: true, failed: 2, succeeded: 5 },
      { id: masked.id, isCertain: false, matched: 0, unknown: 1 },
    ]);
    expect(caught.proposals[0]).toMatchObject({ failed: 2, succeeded: 0 });
    expect(caught.proposals[0]?.condition).toMatch(/^args\.amount > \d+$/);
    await expect(rules.caught(id, AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
    await expect(rules.caught(id, undefined, { findHidden: async () => new Set([id]) })).rejects.toMatchObject({
      code: "DENIED",
    });
  });

  it("compare what a rule recorded with what became of the calls, by caller and tool", async () => {
    const { id } = await save({
      name: "big",
      state: "record",
      condition: "args.amount > 100",
      effect: { kind: "deny", reason: "no" },
    });
    await call({ amount: 5 });
    for (const amount of [101, 102]) await call({ amount });
    const hidden = await call({ amount: 103 }, ADA);
    await fail({ amount: 104 });
    const results = await rules.results(id, 7);
    const counts = { matched: 4, succeeded: 3, failed: 1, rejected: 0, cancelled: 0, open: 0, approved: 0 };
    expect(results).toMatchObject({ days: 7, recorded: counts, decided: { matched: 0 }, earlier: 0, hidden: 0 });
    expect(results.groups).toMatchObject([
      { actor: EVE, toolName: "refund", matched: 3, succeeded: 2, failed: 1 },
      { actor: ADA, matched: 1, succeeded: 1 },
    ]);
    const asReader = await rules.results(id, 7, undefined, { findHidden: async () => new Set([hidden]) });
    expect(asReader).toMatchObject({ hidden: 1, recorded: { matched: 3 } });
    const rule = await rules.get(id);
    await rules.update(LOCAL_PRINCIPAL, id, { ...callRuleInputSchema.parse(toInput(rule)), state: "on" });
    await call({ amount: 900 });
    expect(await rules.results(id, 7)).toMatchObject({
      decided: { matched: 1, rejected: 1, succeeded: 0 },
      recorded: counts,
      earlier: 4,
    });
    now = () => Date.now() + 8 * DAY_MS;
    expect(await rules.results(id, 7)).toMatchObject({ recorded: { matched: 0 } });
    expect(await rules.results(id, 30)).toMatchObject({ recorded: { matched: 4 } });
    await expect(rules.results("rule_99", 7)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("count all matches of a rule that are more than one read of the database", async () => {
    const { id } = await save({ name: "all", state: "record", effect: { kind: "ask" } });
    const calls = Array.from({ length: 520 }, (_, amount) =>
      engine.executor.execute("refund", { amount }, { actor: EVE }),
    );
    await Promise.all(calls);
    await executions.drain();
    expect(await rules.results(id, 7)).toMatchObject({ recorded: { matched: 520, succeeded: 520 }, more: false });
  });

  it("keep when an editor looked at their results, which is no edit", async () => {
    const { id, version } = await save({ name: "all", state: "record", effect: { kind: "ask" } });
    expect(await rules.get(id)).toMatchObject({ reviewedAt: null });
    await rules.markReviewed(LOCAL_PRINCIPAL, id);
    const other = await rules.get(id);
    expect(other).toMatchObject({ version, reviewedAt: expect.any(Number) });
    await expect(rules.markReviewed(LOCAL_PRINCIPAL, "rule_99")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("are created at a position, and previewed there", async () => {
    await save({ name: "all", effect: { kind: "ask" } });
    await call({ amount: 5 });
    const draft = { rule: { name: "a", effect: { kind: "allow" } } };
    expect(await preview(draft)).toMatchObject({ matched: 0 });
    expect(await preview({ ...draft, position: 1 })).toMatchObject({ matched: 1, changed: 1 });
    expect(rules.permissionFor({ created: callRuleInputSchema.parse(draft.rule), position: 1 })).toBe("administer");
    expect(await save(draft.rule, 1)).toMatchObject({ position: 1 });
    expect((await rules.list()).map(({ name, position }) => `${position} ${name}`)).toEqual(["1 a", "2 all"]);
    expect(await save({ ...draft.rule, name: "last" }, 400)).toMatchObject({ position: 3 });
  });

  const preview = (input: object, reader: object = {}) =>
    rules.preview(rulePreviewInputSchema.parse(input), undefined, reader);

  it("are previewed over the calls that a text search, tags and other filters of the list find", async () => {
    const texts = ["Winter sale", "summer", "WINTER tyres"];
    const ids: string[] = [];
    for (const currency of texts) ids.push(await call({ amount: 5, currency }));
    await fail({ amount: 6, currency: "winter again" });
    const rule = { name: "a", condition: "args.amount > 4", effect: { kind: "ask" } };
    const found = await preview({ rule, filter: { q: "winter" } });
    expect(found).toMatchObject({ calls: 3, matched: 3, more: false });
    expect(await preview({ rule, filter: { q: "winter", status: ["succeeded"] } })).toMatchObject({ calls: 2 });
    expect(await preview({ rule, filter: { q: "nothing like it" } })).toMatchObject({ calls: 0 });
    expect(await preview({ rule, filter: { tag: ["money"], size: ["none"] } })).toMatchObject({ calls: 1 });
    expect(await preview({ rule, filter: { errorKind: ["tool_error"] } })).toMatchObject({ calls: 1 });
    const readableBy = { id: "bob", personal: [""], open: [] };
    expect(await preview({ rule, filter: { q: "winter" } }, { readableBy })).toMatchObject({ calls: 0 });
    expect(await preview({ rule }, { readableBy })).toMatchObject({ calls: 4 });
  });
});

const toInput = ({ name, condition, effect }: { name: string; condition: string; effect: object }) => ({
  name,
  condition,
  effect,
});
