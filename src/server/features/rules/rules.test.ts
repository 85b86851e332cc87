import { beforeEach, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { type CallRuleInput, callRuleInputSchema } from "../../../lib/contract/call-rule";
import { createConditionLanguage } from "../../platform/conditions/condition-language";
import { BoundedRedactor } from "../../platform/conditions/result-redactor";
import { useDatabase } from "../../platform/db/contract/store-database.test-support";
import { describeOnBoth } from "../../platform/db/store-databases.test-support";
import type { ChangeOrigin } from "../../platform/shared/announced-edits";
import { createRuleService, type RuleService } from "./rule-service";

const readRule = (rule: object): CallRuleInput => callRuleInputSchema.parse({ effect: { kind: "ask" }, ...rule });

describeOnBoth("rules for calls", (createDatabase) => {
  const database = useDatabase(createDatabase);
  let lastId = 0;
  let now = 1_000;
  let origins: ChangeOrigin[] = [];

  function openService(): RuleService {
    return createRuleService({
      store: database().rules(),
      limits: database().limits(),
      onUsage: () => undefined,
      language: createConditionLanguage(),
      redactor: new BoundedRedactor({ home: process.cwd() }),
      definitions: () => [],
      readRole: () => null,
      newId() {
        lastId += 1;
        return `rule_${lastId}`;
      },
      now() {
        now += 1;
        return now;
      },
      onChange: (origin) => void origins.push(origin),
    });
  }

  let rules: RuleService;
  beforeEach(async () => {
    lastId = 0;
    rules = openService();
    await rules.load();
    origins = [];
  });

  const create = (rule: object) => rules.create(LOCAL_PRINCIPAL, readRule(rule));
  const listNames = async () => (await rules.list()).map(({ name, position }) => `${position} ${name}`);

  it("survive a restart whole, in their order", async () => {
    const made = await create({
      name: "Large refunds",
      scope: { tools: ["refund_*"] },
      caller: { roles: ["operator"], sources: ["gateway"] },
      condition: "args.amount > 1000",
      fallback: "match",
      effect: { kind: "ask", approver: "admin" },
    });
    await create({ name: "No deletions", effect: { kind: "deny", reason: "Ask the team first" } });
    await database().restart();
    rules = openService();
    await rules.load();
    expect((await rules.list())[0]).toEqual(made);
    expect(await listNames()).toEqual(["1 Large refunds", "2 No deletions"]);
  });

  it("are followed by another instance, which announces nothing itself", async () => {
    const other = openService();
    await other.load();
    const { id } = await create({ name: "a", effect: { kind: "deny", reason: "no" } });
    expect(other.compiled().isEmpty).toBe(true);
    await other.follow();
    expect(other.compiled().isEmpty).toBe(false);
    await rules.delete(LOCAL_PRINCIPAL, id);
    await other.follow();
    expect([other.compiled().isEmpty, origins]).toEqual([true, ["stored", "followed", "stored", "followed"]]);
  });

  it("are numbered without gaps after a move and a deletion", async () => {
    for (const name of ["a", "b", "c", "d"]) await create({ name });
    await rules.move(LOCAL_PRINCIPAL, "rule_4", 2);
    expect(await listNames()).toEqual(["1 a", "2 d", "3 b", "4 c"]);
    await rules.move(LOCAL_PRINCIPAL, "rule_1", 400);
    await rules.delete(LOCAL_PRINCIPAL, "rule_4");
    expect(await listNames()).toEqual(["1 b", "2 c", "3 a"]);
    expect(origins).toHaveLength(7);
  });

  it("refuse a name that another rule has in any case, and an edit of an older version", async () => {
    const made = await create({ name: "Refunds" });
    await expect(create({ name: "REFUNDS" })).rejects.toMatchObject({ code: "CONFLICT" });
    const input = readRule({ name: "Refunds", state: "record" });
    expect(await rules.update(LOCAL_PRINCIPAL, made.id, input, made.version)).toMatchObject({ version: 2 });
    await expect(rules.update(LOCAL_PRINCIPAL, made.id, input, made.version)).rejects.toMatchObject({
      code: "CONFLICT",
    });
    await expect(rules.delete(LOCAL_PRINCIPAL, made.id, made.version)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(rules.get("rule_99")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("refuse a condition with the place of its problem", async () => {
    await expect(create({ name: "a", condition: "args.amount >" })).rejects.toMatchObject({
      code: "INVALID",
      problems: [{ path: "condition", message: expect.stringContaining("incomplete") }],
    });
    expect(rules.check("args.a == 1 && tool.nam == 'x'")).toEqual([{ message: "No such key: nam", from: 20, to: 23 }]);
  });

  it("take an admin where calls are allowed, or an approver is named or loses its calls", async () => {
    const { permissionFor } = rules;
    const save = (id: string | null, input: CallRuleInput) =>
      permissionFor(id === null ? { created: input } : { id, input });
    const move = (id: string, position: number) => permissionFor({ id, position });
    const remove = (id: string) => permissionFor({ id, deleted: true });
    expect(save(null, readRule({ name: "a" }))).toBe("edit");
    expect(save(null, readRule({ name: "a", effect: { kind: "allow" } }))).toBe("administer");
    expect(save(null, readRule({ name: "a", state: "record", effect: { kind: "allow" } }))).toBe("edit");
    await create({ name: "admins", effect: { kind: "ask", approver: "admin" } });
    await create({ name: "anyone" });
    await create({ name: "none", effect: { kind: "deny", reason: "No" } });
    expect(remove("rule_1")).toBe("administer");
    expect(remove("rule_2")).toBe("edit");
    expect(move("rule_2", 1)).toBe("administer");
    expect(move("rule_3", 1)).toBe("edit");
    expect(save("rule_2", readRule({ name: "anyone", condition: "args.a == 1" }))).toBe("edit");
    const denial = { name: "none", effect: { kind: "deny", reason: "No" } };
    await create({ name: "all", effect: { kind: "allow" } });
    expect(remove("rule_3")).toBe("administer");
    expect(move("rule_3", 4)).toBe("administer");
    expect(save("rule_3", readRule({ ...denial, state: "off" }))).toBe("administer");
    expect(save("rule_3", readRule({ ...denial, condition: "args.a == 1" }))).toBe("administer");
    expect(save(null, readRule({ ...denial, name: "more" }))).toBe("edit");
    await rules.move(LOCAL_PRINCIPAL, "rule_2", 1);
    expect(save("rule_2", readRule({ name: "anyone", condition: "args.a == 1" }))).toBe("administer");
  });
});
