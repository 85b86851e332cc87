import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../lib/contract/access";
import { callRuleInputSchema } from "../../lib/contract/call-rule";
import { stringifyWithDigits } from "../../lib/json/number-digits";
import { callAs } from "./api/call-as";
import { type Container, createContainer } from "./container";
import { readEnv } from "./env";

let container: Container;
beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-rule-cases-"));
  container = await createContainer(readEnv({ DATABASE_URL: `file:${folder}/cases.db`, TOOLROOM_LOG_LEVEL: "silent" }));
  const api = callAs(container, ADA);
  await api.tools.create({ definition: JSON.stringify(TOOL) });
  for (const rule of RULES) await api.rules.create({ rule: callRuleInputSchema.parse(rule) });
});
afterAll(() => container.close());

const ADA: Principal = { ...LOCAL_PRINCIPAL, id: "ada", name: "Ada" };
const VIEWER: Principal = { id: "vi", name: "Vi", role: "viewer", token: null };
const EDITOR: Principal = { ...VIEWER, id: "eve", name: "Eve", role: "editor" };
const TOOL = {
  name: "pay",
  description: "Pays",
  type: "function",
  handler: "pay",
  parameters: {
    type: "object",
    properties: { id: { type: "integer" }, card: { type: "object", properties: { pin: { format: "password" } } } },
  },
  implementation: { type: "mock", mock_response: "paid" },
};
const RULES = [
  { name: "Bots", caller: { tokens: ["token_1"] }, effect: { kind: "deny", reason: "no" } },
  { name: "One id", condition: "args.id == 9054686819491029395", effect: { kind: "deny", reason: "no" } },
  { name: "Hours", condition: "time.getFullYear() > 2000", effect: { kind: "ask" }, scope: { tools: ["late"] } },
];

async function pay(argumentsText: string): Promise<string> {
  return (await container.services.executions.run(ADA, { tool: "pay", argumentsText })).id;
}

it("a case of a recorded call has its arguments with all digits, its caller, and the decision that rules make now", async () => {
  const id = await pay('{"id":9054686819491029395}');
  const { case: proposed, left, notes } = await callAs(container, EDITOR).ruleCases.propose({ executionId: id });
  expect(stringifyWithDigits(proposed.call.arguments)).toBe('{"id":9054686819491029395}');
  expect(proposed).toMatchObject({
    name: "pay 9054686819491029000",
    call: { tool: "pay", source: "console" },
    expect: { outcome: "deny", rule: "One id" },
  });
  expect(proposed.call.caller).toMatchObject({ id: "ada" });
  expect([left, notes]).toEqual([[], []]);
  const saved = await callAs(container, EDITOR).ruleCases.create({ case: proposed });
  expect(saved.result).toMatchObject({ status: "passed", rule: "One id" });
  const again = await callAs(container, EDITOR).ruleCases.propose({ executionId: id });
  expect(again.case.name).toBe(`${proposed.name} (2)`);
});

it("what is masked in a recorded call is left out of its case, and named", async () => {
  const id = await pay('{"id":1,"card":{"pin":"hunter22"}}');
  const { case: proposed, left } = await callAs(container, EDITOR).ruleCases.propose({ executionId: id });
  expect([proposed.call.arguments, left]).toEqual([{ id: 1, card: {} }, ["call.arguments.card.pin"]]);
  expect(proposed.expect).toEqual({ outcome: "none" });
  await expect(
    callAs(container, EDITOR).ruleCases.create({
      case: { ...proposed, call: { tool: "pay", arguments: { card: { pin: "hunter22" } } } },
    }),
  ).rejects.toThrow("call.arguments.card.pin is masked or a secret");
});

it("who may edit rules may write cases, others may read and test them, and the audit log has each change", async () => {
  const viewer = callAs(container, VIEWER);
  const input = { name: "By hand", call: { tool: "pay", arguments: {} }, expect: { outcome: "none" as const } };
  await expect(viewer.ruleCases.create({ case: input })).rejects.toMatchObject({ code: "FORBIDDEN" });
  const { id } = await callAs(container, EDITOR).ruleCases.create({ case: input });
  for (const write of [
    viewer.ruleCases.update({ id, case: input }),
    viewer.ruleCases.delete({ id }),
    viewer.ruleCases.propose({ executionId: "exec_aaaaaaaaa" }),
  ]) {
    await expect(write).rejects.toMatchObject({ code: "FORBIDDEN" });
  }
  expect((await viewer.ruleCases.list()).map(({ name }) => name)).toContain("By hand");
  expect(await viewer.ruleCases.test({})).toMatchObject({ failed: 0 });
  await callAs(container, EDITOR).ruleCases.delete({ id });
  const { items } = await container.services.auditLog.list(ADA, {}, undefined, 50);
  const entries = items.filter(({ target }) => target?.name === id);
  expect(entries.map(({ action, actor, outcome }) => [action, actor.id, outcome])).toEqual([
    ["ruleCases.delete", "eve", "done"],
    ["ruleCases.delete", "vi", "denied"],
    ["ruleCases.update", "vi", "denied"],
    ["ruleCases.create", "eve", "done"],
  ]);
  expect(JSON.parse(entries[0]?.before ?? "")).toEqual(input);
});

it("a rule is saved although it breaks a case, which the answer names", async () => {
  const api = callAs(container, ADA);
  const rule = callRuleInputSchema.parse({ name: "Nothing", effect: { kind: "ask" } });
  const { id } = await api.rules.create({ rule });
  expect(await api.rules.move({ id, position: 1 })).toMatchObject({ brokenCases: ["pay 9054686819491029000"] });
  expect((await api.ruleCases.list()).map(({ result }) => result.status)).toEqual(["failed"]);
});
