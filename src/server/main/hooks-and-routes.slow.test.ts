import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../lib/contract/access";
import { callRuleInputSchema } from "../../lib/contract/call-rule";
import { callAs } from "./api/call-as";
import { type Container, createContainer } from "./container";
import { readEnv } from "./env";

const ADA: Principal = { ...LOCAL_PRINCIPAL, id: "ada", name: "Ada" };
const EDITOR: Principal = { id: "eve", name: "Eve", role: "editor", token: null };
const TIMEOUT_MS = 240_000;

const toTool = (name: string, properties: object) => ({
  name,
  description: "Pays",
  type: "function",
  handler: name,
  parameters: { type: "object", properties },
  implementation: { type: "mock", mock_response: `ran ${name}` },
});
const TOOLS = [toTool("pay", { pin: { format: "password" } }), toTool("pay_mock", { pin: { type: "string" } })];

const received: string[] = [];
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += String(chunk);
  });
  request.on("end", () => {
    received.push(body);
    response.end('{"decision":"allow"}');
  });
});
let one: Container;
let two: Container;
let url = "";

async function open(name: string): Promise<Container> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-hooks-"));
  return await createContainer(readEnv({ DATABASE_URL: `file:${folder}/${name}.db`, TOOLROOM_LOG_LEVEL: "silent" }));
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ask`;
  one = await open("one");
  two = await open("two");
  for (const definition of TOOLS) await callAs(one, ADA).tools.create({ definition: JSON.stringify(definition) });
}, TIMEOUT_MS);
afterAll(async () => {
  await Promise.all([one?.close(), two?.close()]);
  server.closeAllConnections();
  server.close();
});

const toRules = () => [
  callRuleInputSchema.parse({ name: "Check", effect: { kind: "hook", url } }),
  callRuleInputSchema.parse({ name: "Mock", scope: { tools: ["pay"] }, effect: { kind: "route", tool: "pay_mock" } }),
];

it(
  "hooks and routes are saved by admins alone, ask and run, and an exported file has them without their secret",
  async () => {
    const api = callAs(one, ADA);
    for (const rule of toRules()) {
      const denied = callAs(one, EDITOR).rules.create({ rule: { ...rule, state: "off" } });
      await expect(denied).rejects.toMatchObject({ code: "FORBIDDEN" });
      const { id } = await api.rules.create({ rule });
      for (const change of [
        callAs(one, EDITOR).rules.testHook({ id }),
        callAs(one, EDITOR).rules.replaceSecret({ id }),
        callAs(one, EDITOR).rules.delete({ id }),
      ]) {
        await expect(change).rejects.toMatchObject({ code: "FORBIDDEN" });
      }
    }
    const { id } = await one.services.executions.run(ADA, { tool: "pay", argumentsText: '{"pin":"hunter22"}' });
    const found = await one.services.executions.get(id);
    expect(found).toMatchObject({ toolName: "pay", status: "succeeded", definition: { name: "pay_mock" } });
    expect(found.ruleMatches.map(({ effect, values }) => [effect, values])).toEqual([
      ["hook", { hook: { outcome: "allow", ms: expect.any(Number) } }],
      ["route", { routed_to: "pay_mock" }],
    ]);
    expect(JSON.parse(received[0] ?? "")).toMatchObject({ execution: id, tool: { name: "pay", runs: "pay_mock" } });
    expect(JSON.stringify([received, found])).not.toContain("hunter22");

    const { secret } = await api.rules.replaceSecret({ id: (await api.rules.list())[0]?.id ?? "" });
    const choice = {
      format: "catalogue",
      tools: null,
      servers: null,
      toolsets: null,
      rules: null,
      versions: true,
    } as const;
    const { text } = await one.services.sharing.export(ADA, choice);
    expect(text).toContain(url);
    expect(text).not.toMatch(/whsec_|hookSecret/);
    const { digest, entries } = await two.services.sharing.preview(ADA, text);
    const hook = entries.find(({ name }) => name === "Check");
    expect(hook).toMatchObject({ needs: "administer", status: "add" });
    expect(hook?.notes.join()).toContain("gets a new signing secret");
    await two.services.sharing.import(ADA, { text, digest, decisions: [] });
    const imported = (await callAs(two, ADA).rules.list()).find(({ name }) => name === "Check");
    expect(imported?.effect).toEqual(toRules()[0]?.effect);
    expect(await callAs(two, ADA).rules.testHook({ id: imported?.id ?? "" })).toMatchObject({ decision: "allow" });
    const again = await callAs(two, ADA).rules.replaceSecret({ id: imported?.id ?? "" });
    expect(again.secret).not.toBe(secret);
    const { items } = await one.services.auditLog.list(ADA, {}, undefined, 50);
    expect(JSON.stringify(items)).not.toMatch(/whsec_/);
  },
  TIMEOUT_MS,
);
