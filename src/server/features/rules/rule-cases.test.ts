import { beforeEach, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { callRuleInputSchema } from "../../../lib/contract/call-rule";
import { ruleCaseInputSchema } from "../../../lib/contract/rule-case";
import { parseWithDigits, stringifyWithDigits } from "../../../lib/json/number-digits";
import { toMask } from "../../../lib/masked-value";
import { CallMask, UNKEYED } from "../../engine/masking/call-mask";
import { createConditionLanguage } from "../../platform/conditions/condition-language";
import { BoundedRedactor } from "../../platform/conditions/result-redactor";
import { useDatabase } from "../../platform/db/contract/store-database.test-support";
import { describeOnBoth } from "../../platform/db/store-databases.test-support";
import type { ChangeOrigin } from "../../platform/shared/announced-edits";
import { createRuleCaseService, type RuleCaseService } from "./rule-case-service";
import { createRuleService, type RuleService } from "./rule-service";

const language = createConditionLanguage();
const MASKING = { ...UNKEYED, getMask: () => toMask("0123456789ab") };

describeOnBoth("cases of rules", (createDatabase) => {
  const database = useDatabase(createDatabase);
  let origins: ChangeOrigin[] = [];
  const redactor = new BoundedRedactor({ home: process.cwd() });
  let rules: RuleService;
  let cases: RuleCaseService;
  let lastId = 0;
  const newId = () => {
    lastId += 1;
    return `id_${lastId}`;
  };

  function openServices(): { rules: RuleService; cases: RuleCaseService } {
    const store = database().rules();
    const readRole = () => null;
    const openRules = createRuleService({
      store,
      limits: database().limits(),
      onUsage: () => undefined,
      language,
      redactor,
      definitions: () => [],
      readRole,
      newId,
      now: () => 1_000,
      onChange: () => undefined,
    });
    const openCases = createRuleCaseService({
      store: database().ruleCases(),
      rules: openRules,
      language,
      findTool: (name) => (name === "gone" ? null : { serverName: "shop", tags: ["money"] }),
      maskArguments: (_tool, text) => new CallMask(null, MASKING).argumentsText(text),
      executions: {
        readsFor: () => ({ assertReadable: async () => undefined, get: () => Promise.reject(new Error()) }),
      },
      findToken: store.findToken,
      readRole,
      newId,
      now: () => 1_000,
      onChange: (origin) => void origins.push(origin),
    });
    return { rules: openRules, cases: openCases };
  }

  beforeEach(async () => {
    lastId = 0;
    ({ rules, cases } = openServices());
    await rules.load();
    await cases.load();
    origins = [];
  });

  const saveRule = (rule: object) => rules.create(LOCAL_PRINCIPAL, callRuleInputSchema.parse(rule));
  const DENIAL = { name: "No large refunds", condition: "args.amount > 1000", effect: { kind: "deny", reason: "no" } };
  const save = (each: object) => cases.create(LOCAL_PRINCIPAL, ruleCaseInputSchema.parse(each));
  const refund = (amount: number, expected: object) => ({
    name: `Refund of ${amount}`,
    call: { tool: "refund", arguments: { amount } },
    expect: expected,
  });
  const listStatuses = async () => (await cases.list()).map(({ name, result }) => `${name}: ${result.status}`);

  it("survive a restart whole, with the digits of their numbers, and are followed by another instance", async () => {
    const other = openServices();
    await other.cases.load();
    const call = parseWithDigits(
      '{"tool":"refund","arguments":{"id":9054686819491029395,"list":[1.0]},"caller":{"id":"eve","role":"operator","token":null},"client":null,"source":"gateway","toolset":"desk","tags":[],"time":"2026-11-30T22:15:00+01:00","count":3}',
    );
    const made = await save({ name: "Whole", call, expect: { outcome: "none" } });
    expect(stringifyWithDigits(made.call)).toBe(stringifyWithDigits(call));
    expect(origins).toEqual(["stored"]);
    await other.cases.follow();
    expect(origins).toEqual(["stored", "followed"]);
    expect(await other.cases.list()).toEqual([made]);
    await database().restart();
    ({ rules, cases } = openServices());
    await cases.load();
    expect(stringifyWithDigits(await cases.list())).toBe(stringifyWithDigits([made]));
  });

  it("refuse a name that another case has in any case, an edit of an older version, and a case that is gone", async () => {
    const made = await save(refund(5, { outcome: "none" }));
    await expect(save({ ...refund(5, { outcome: "none" }), name: "REFUND OF 5" })).rejects.toMatchObject({
      code: "CONFLICT",
      problems: [{ path: "name", message: expect.stringContaining("edit the rule case") }],
    });
    const edited = ruleCaseInputSchema.parse(refund(6, { outcome: "ask" }));
    const { revision } = made.lastEdit;
    expect(await cases.update(LOCAL_PRINCIPAL, made.id, edited, revision)).toMatchObject({ name: "Refund of 6" });
    await expect(cases.update(LOCAL_PRINCIPAL, made.id, edited, revision)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(cases.delete(LOCAL_PRINCIPAL, made.id, revision)).rejects.toMatchObject({ code: "CONFLICT" });
    await cases.delete(LOCAL_PRINCIPAL, made.id);
    await expect(cases.get(made.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("hold no masks and no secrets: each is named with what to do", async () => {
    const secret = { to: ["a", "[masked:0123456789ab]"], login: { password: "hunter22" }, note: "hello" };
    await expect(
      save({ ...refund(5, { outcome: "none" }), call: { tool: "refund", arguments: secret } }),
    ).rejects.toMatchObject({
      code: "INVALID",
      problems: [
        { path: "call.arguments.to", message: expect.stringContaining("remove it") },
        { path: "call.arguments.login.password", message: expect.stringContaining("remove it") },
      ],
    });
    expect(await database().readContent()).not.toContain("hunter22");
    expect(cases.all()).toEqual([]);
  });

  it("pass and fail by the rules of now, with the rule that decides and what its condition read", async () => {
    await saveRule(DENIAL);
    await save(refund(2000, { outcome: "deny", rule: "no LARGE refunds" }));
    await save(refund(2001, { outcome: "ask" }));
    const [passed, failed] = (await cases.list()).map(({ result }) => result);
    expect(passed).toEqual({
      status: "passed",
      outcome: "deny",
      rule: "No large refunds",
      effects: [],
      notes: [],
      read: [],
    });
    expect(failed).toMatchObject({
      status: "failed",
      outcome: "deny",
      read: [{ rule: "No large refunds", values: { "args.amount": 2001 } }],
    });
  });

  it("say which fact they lack, which rule or tool does not exist, and which condition cannot be evaluated", async () => {
    await saveRule({ ...DENIAL, name: "Night", condition: "time.getHours() > 20 && count(5) > 2" });
    await saveRule({ ...DENIAL, name: "Operators", caller: { roles: ["operator"], sources: ["gateway"] } });
    await saveRule({ ...DENIAL, name: "Notes", condition: "args.note == 'x'", fallback: "match" });
    const call = { tool: "refund", arguments: { amount: 2000 } };
    const known = { ...call, time: "2026-11-30T12:00:00Z", count: 0 };
    const expectNone = { outcome: "none" };
    await save({ name: "1", call, expect: expectNone });
    await save({ name: "2", call: known, expect: expectNone });
    await save({
      name: "3",
      call: { ...known, caller: { role: "viewer" } },
      expect: { outcome: "deny", rule: "Notes" },
    });
    await save({
      name: "4",
      call: { ...known, tool: "gone", source: "api" },
      expect: { outcome: "deny", rule: "Old" },
    });
    const results = (await cases.list()).map(({ result }) => [result.status, ...result.notes]);
    expect(results).toEqual([
      ["error", "The rule 'Night' depends on 'call.time', 'call.count', which the case does not give: add it"],
      [
        "error",
        "The rule 'Operators' depends on 'call.caller.role', 'call.source', which the case does not give: add it",
      ],
      ["passed", expect.stringContaining("The condition of the rule 'Notes' cannot be evaluated")],
      [
        "error",
        "The tool 'gone' does not exist: correct 'call.tool'",
        "The rule 'Old' does not exist: correct 'expect.rule'",
        expect.stringContaining("The condition of the rule 'Notes' cannot be evaluated"),
      ],
    ]);
  });

  it("are tested with a rule that is not saved yet, which names the cases that it changes", async () => {
    const { id } = await saveRule(DENIAL);
    await save(refund(2000, { outcome: "deny", rule: DENIAL.name }));
    await save(refund(50, { outcome: "none" }));
    const draft = callRuleInputSchema.parse({ ...DENIAL, name: "No refunds", condition: "args.amount > 10" });
    const tested = await cases.test({ rule: draft, id });
    expect(tested).toMatchObject({ passed: 1, failed: 1 });
    expect(tested.changed.map(({ name, before, after }) => [name, before.outcome, after.outcome, after.rule])).toEqual([
      ["Refund of 50", "none", "deny", "No refunds"],
    ]);
    expect((await cases.test({ id })).changed.map(({ name }) => name)).toEqual(["Refund of 2000"]);
    expect(await cases.test({})).toMatchObject({ passed: 2, failed: 0, changed: [] });
    const extra = callRuleInputSchema.parse({ name: "Last", effect: { kind: "ask" } });
    expect((await cases.test({ rule: extra })).changed.map(({ name }) => name)).toEqual(["Refund of 50"]);
    await expect(cases.test({ id: "rule_none" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(rules.all()).toHaveLength(1);
  });

  it("are named where saving a rule breaks them, and follow a rule to its new name", async () => {
    const { id } = await saveRule(DENIAL);
    await save(refund(2000, { outcome: "deny", rule: DENIAL.name }));
    await save(refund(50, { outcome: "none" }));
    const renamed = callRuleInputSchema.parse({ ...DENIAL, name: "Refunds" });
    const saved = await cases.nameBroken(LOCAL_PRINCIPAL, () => rules.update(LOCAL_PRINCIPAL, id, renamed));
    expect(saved).toMatchObject({ name: "Refunds", brokenCases: [] });
    expect(await listStatuses()).toEqual(["Refund of 2000: passed", "Refund of 50: passed"]);
    expect(cases.findNamed("refund of 2000")?.expect).toEqual({ outcome: "deny", rule: "Refunds" });
    const off = callRuleInputSchema.parse({ ...renamed, state: "off" });
    expect(await cases.nameBroken(LOCAL_PRINCIPAL, () => rules.update(LOCAL_PRINCIPAL, id, off))).toMatchObject({
      state: "off",
      brokenCases: ["Refund of 2000"],
    });
    expect((await cases.list())[0]?.result.notes).toEqual(["The rule 'Refunds' is off"]);
  });

  it("a row that cannot be read hides no other, and is named", async () => {
    await save(refund(5, { outcome: "none" }));
    await save(refund(6, { outcome: "none" }));
    await database().execute(`UPDATE "RuleCase" SET "settings" = '{"outcome":"later"}' WHERE "name" = 'Refund of 5'`);
    await cases.follow();
    expect(await listStatuses()).toEqual(["Refund of 6: passed"]);
  });
});
