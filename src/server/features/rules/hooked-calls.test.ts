import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { callRuleInputSchema, rulePreviewInputSchema } from "../../../lib/contract/call-rule";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { toMask } from "../../../lib/masked-value";
import { waitUntil } from "../../../lib/wait-until.test-support";
import type { ExecutionStore } from "../../calls/executions/execution-store";
import { createToolEngine, systemClock, type ToolEngine } from "../../create-tool-engine";
import type { ApprovalAsk, ApprovalResult } from "../../engine/approvals/approval-ports";
import { CallArguments } from "../../engine/executor/call-arguments";
import { UNKEYED } from "../../engine/masking/call-mask";
import { createCallCounts } from "../../engine/rules/call-counts";
import { CallRules } from "../../engine/rules/call-rules";
import { HookEffects } from "../../engine/rules/hooks/hook-effects";
import type { HookSender } from "../../engine/rules/hooks/hook-ports";
import { createSecretBox, type SecretBox } from "../../platform/auth/secret-box";
import { createConditionLanguage } from "../../platform/conditions/condition-language";
import { BoundedRedactor } from "../../platform/conditions/result-redactor";
import { useDatabase } from "../../platform/db/contract/store-database.test-support";
import { describeOnBoth } from "../../platform/db/store-databases.test-support";
import { createAddressPolicy } from "../../platform/outgoing/address-policy";
import { createOutgoingAgents } from "../../platform/outgoing/outgoing-agents";
import { createOutgoingFetch } from "../../platform/outgoing/outgoing-fetch";
import { createHookSecrets } from "./hook-secrets";
import { createHookSender } from "./hook-sender";
import { createRuleService, type RuleService } from "./rule-service";

/** Within it, a hook that never answers has failed. */
const SHORT_LIMIT_MS = 400;
/** So that no other hook fails on a busy machine. */
const LONG_LIMIT_MS = 60_000;
const PAY: ToolDefinition = {
  name: "pay",
  description: "Pays",
  type: "function",
  handler: "pay",
  parameters: {
    type: "object",
    properties: { amount: { type: "number" }, id: { type: "integer" }, key: { type: "string", format: "password" } },
  },
  implementation: { type: "mock", mock_response: "paid" },
};
const EVE = { id: "eve", name: "Eve" };

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

const NOTHING: Received = { headers: {}, body: "" };

describeOnBoth("calls under hooks", (createDatabase) => {
  const database = useDatabase(createDatabase);
  let engine: ToolEngine;
  let executions: ExecutionStore;
  let rules: RuleService;
  let secretBox: SecretBox;
  let asked: ApprovalAsk[] = [];
  let decide: () => ApprovalResult;
  let received: Received[] = [];
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let isLocal = true;
  let isHasty = false;
  let url = "";
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += String(chunk);
    });
    request.on("end", () => {
      received.push({ headers: request.headers, body });
      answer(request, response);
    });
  });
  const reply =
    (text: string, status = 200, headers: Record<string, string> = {}) =>
    (_: unknown, response: ServerResponse) =>
      response.writeHead(status, headers).end(text);
  const say = (value: object) => reply(JSON.stringify(value));

  beforeEach(async () => {
    asked = [];
    received = [];
    isLocal = true;
    isHasty = false;
    answer = say({ decision: "allow" });
    decide = () => ({ approved: true, by: EVE, at: Date.now(), reason: null });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ask?token=in-the-address`;
    executions = database().executions({ instanceId: "one" });
    secretBox = await createSecretBox({ secretKey: "0".repeat(64), keyFile: "/nowhere" });
    const store = database().rules();
    const secrets = createHookSecrets({ store, secretBox });
    const open = createOutgoingFetch();
    const closed = createOutgoingFetch(
      createOutgoingAgents(createAddressPolicy({ privateAddresses: null, local: false })),
    );
    const openSender = (timeoutMs: number): HookSender =>
      createHookSender({
        timeoutMs,
        now: systemClock.now,
        elapsed: systemClock.elapsed,
        userAgent: "Toolroom-Hooks/test",
        readSecret: secrets.read,
        fetch: (to, init) => (isLocal ? open : closed)(to, init),
      });
    const hasty = openSender(SHORT_LIMIT_MS);
    const patient = openSender(LONG_LIMIT_MS);
    const sender: HookSender = { ask: (...question) => (isHasty ? hasty : patient).ask(...question) };
    let lastId = 0;
    rules = createRuleService({
      store,
      hooks: { secrets, sender },
      limits: database().limits(),
      onUsage: () => undefined,
      language: createConditionLanguage(),
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
      masking: { ...UNKEYED, getMask: () => toMask("0123456789ab") },
      rules: new CallRules({
        added: [new HookEffects({ sender, clock: systemClock, readRole: () => "operator" })],
        current: rules.compiled,
        accounts: true,
        readRole: () => "operator",
        counts: createCallCounts(),
      }),
      approvals: {
        required: (_, inToolset) => inToolset === true,
        expiryMs: 60_000,
        async ask(ask) {
          asked.push(ask);
          return decide();
        },
      },
    });
    engine.registry.register(PAY);
  });
  afterEach(async () => {
    await engine.close();
    await executions.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const save = (rule: object) => rules.create(LOCAL_PRINCIPAL, callRuleInputSchema.parse({ name: "hook", ...rule }));
  const hook = (more: object = {}) => ({ effect: { kind: "hook", url, ...more } });
  const call = (args: object, options: object = {}) =>
    engine.executor.execute("pay", args, { actor: EVE, source: "gateway", client: "desk/1.0", ...options });
  const readMatches = async (id: string) => {
    await executions.drain();
    return (await executions.find(id))?.ruleMatches ?? [];
  };

  it("are asked by a request that the receiver can verify, and say what it answered and how long it took", async () => {
    answer = say({ decision: "allow", reason: "known payee", arguments: { amount: 0 }, more: 1 });
    const { id } = await save(hook());
    const { secret } = await rules.replaceSecret(LOCAL_PRINCIPAL, id);
    const done = await call({ amount: 5, id: 7 });
    expect(done.success).toBe(true);
    const { headers, body } = received[0] ?? NOTHING;
    const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
    const sign = (key: string) =>
      `v1,${createHmac("sha256", Buffer.from(key.replace("whsec_", ""), "base64"))
        .update(signed)
        .digest("base64")}`;
    expect(headers["webhook-signature"]).toBe(sign(secret));
    expect(headers["webhook-signature"]).not.toBe(sign(`whsec_${"A".repeat(43)}=`));
    expect(JSON.parse(body)).toEqual({
      type: "call",
      execution: done.execution_id,
      tool: { name: "pay", server: null },
      caller: { id: "eve", name: "Eve", role: "operator", source: "gateway", client: "desk/1.0" },
      rule: { name: "hook", version: 1 },
      arguments: { amount: 5, id: 7 },
    });
    const [match] = await readMatches(done.execution_id);
    expect(match?.values.hook).toEqual({ outcome: "allow", reason: "known payee", ms: expect.any(Number) });
    expect((await executions.find(done.execution_id))?.argumentsText).toBe('{"amount":5,"id":7}');
  });

  it("send arguments only as the rule says, with all digits of their numbers", async () => {
    const { id } = await save(hook());
    const input = { key: "hunter22", id: 5 };
    for (const [chosen, sent] of [
      ["none", undefined],
      ["masked", { key: "[masked:0123456789ab]", id: 5 }],
      ["whole", input],
    ] as const) {
      await rules.update(
        LOCAL_PRINCIPAL,
        id,
        callRuleInputSchema.parse({ name: "hook", ...hook({ arguments: chosen }) }),
      );
      await call(input);
      expect((JSON.parse(received.at(-1)?.body ?? "") as { arguments?: unknown }).arguments).toEqual(sent);
    }
    await engine.executor.execute("pay", CallArguments.parse('{"id":9054686819491029395}'), { actor: EVE });
    expect(received.at(-1)?.body).toContain('"arguments":{"id":9054686819491029395}');
  });

  it("are denied with the hook's reason, cut and without control characters, and secrets that it repeats are masked", async () => {
    answer = say({ decision: "deny", reason: `no \u0007${"x".repeat(1_000)}` });
    await save(hook({ arguments: "whole" }));
    const denied = await call({ amount: 1 });
    expect(denied).toMatchObject({ success: false, error_kind: "rule" });
    expect(!denied.success && denied.error).toMatch(/^Denied by rule hook: no x{400,500}$/);
    answer = say({ decision: "deny", reason: "the key hunter22 is known" });
    const { execution_id: id } = await call({ key: "hunter22" });
    await executions.drain();
    expect(JSON.stringify(await executions.find(id))).not.toContain("hunter22");
  });

  const LONG = "x".repeat(100_000);
  const FAILURES: Record<string, [respond: typeof answer, why: string]> = {
    silence: [() => undefined, "it gave no answer within 0.4 s"],
    "a slow body": [
      (_, response) => void response.writeHead(200).write('{"decision":'),
      "it gave no answer within 0.4 s",
    ],
    "a redirect": [
      reply("", 307, { location: "/allow" }),
      "it answered with status 307, and redirects are not followed",
    ],
    "an error": [reply('{"decision":"allow"}', 500), "it answered with status 500"],
    "a huge answer": [say({ decision: "allow", reason: LONG }), "its answer is longer than 65536 bytes"],
    "no JSON": [reply("allow"), "its answer is no JSON"],
    "no decision": [say({ decision: "maybe" }), "its answer has no decision that is allow, deny or ask"],
    "a list": [reply("[]"), "its answer has no decision that is allow, deny or ask"],
    "a broken connection": [(request) => request.socket.destroy(), "it could not be reached, or its answer broke off"],
  };

  it("meet what the rule says for a hook that fails, whatever its fault is, and name neither its address nor its answer", async () => {
    const { id } = await save(hook());
    for (const onFailure of ["deny", "allow"]) {
      await rules.update(LOCAL_PRINCIPAL, id, callRuleInputSchema.parse({ name: "hook", ...hook({ onFailure }) }));
      for (const [fault, [respond, why]] of Object.entries(FAILURES)) {
        answer = respond;
        isHasty = why.startsWith("it gave no answer");
        const done = await call({ amount: 1 });
        expect([fault, done.success]).toEqual([fault, onFailure === "allow"]);
        if (!done.success) expect(done.error).toBe(`Denied by rule hook: its hook failed, since ${why}`);
        const [match] = await readMatches(done.execution_id);
        expect(match?.values.hook).toEqual({ failed: why, outcome: onFailure, ms: expect.any(Number) });
        expect(JSON.stringify([done, match])).not.toMatch(/in-the-address|127\.0\.0\.1|xxx|maybe/);
      }
    }
    expect(received.filter(({ body }) => body === "")).toEqual([]);
  });

  it("are not sent to an address that this Toolroom may not connect to", async () => {
    isLocal = false;
    await save(hook());
    expect(await call({})).toMatchObject({
      error: "Denied by rule hook: its hook failed, since this Toolroom may not connect to its address",
    });
    expect(received).toEqual([]);
  });

  it("go by the strictest answer of several hooks, which are asked at once", async () => {
    const waiting: (() => void)[] = [];
    const decisions = fc.array(fc.constantFrom("allow", "deny", "ask", "fail"), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(decisions, async (given) => {
        for (const { id } of await rules.list()) await rules.delete(LOCAL_PRINCIPAL, id);
        asked = [];
        for (const [at, each] of given.entries()) {
          const target = `${url}&say=${each}`;
          await save({
            name: `hook ${at}`,
            effect: { kind: "hook", url: target, onFailure: at % 2 ? "allow" : "deny" },
          });
        }
        // No hook is answered before all are asked.
        answer = (request, response) => {
          const decision = new URL(request.url ?? "", url).searchParams.get("say");
          waiting.push(() => response.end(JSON.stringify({ decision })));
          if (waiting.length === given.length) for (const send of waiting.splice(0)) send();
        };
        const said: string[] = given.map((each, at) => (each === "fail" ? (at % 2 ? "allow" : "deny") : each));
        const strictest = ["deny", "ask", "allow"].find((each) => said.includes(each));
        const done = await call({ amount: 1 });
        expect(done.success).toBe(strictest !== "deny");
        expect(asked).toHaveLength(strictest === "ask" ? 1 : 0);
      }),
      { numRuns: 12 },
    );
  });

  it("wait for approval where the hook asks, although a rule lets them run, and edited arguments are asked again", async () => {
    answer = say({ decision: "ask", reason: "unusual" });
    await save({ name: "all", effect: { kind: "allow" } });
    await save(hook());
    decide = () => ({ approved: true, by: EVE, at: Date.now(), reason: null, args: { amount: 2 } });
    expect((await call({ amount: 1 })).success).toBe(true);
    expect(asked).toHaveLength(1);
    expect(received.map(({ body }) => (JSON.parse(body) as { arguments: object }).arguments)).toEqual([
      { amount: 1 },
      { amount: 2 },
    ]);
    answer = (request, response) =>
      say({ decision: received.at(-1)?.body.includes('"amount":2') ? "deny" : "ask" })(request, response);
    expect(await call({ amount: 1 })).toMatchObject({ success: false, error_kind: "rule" });
  });

  it("keep the approval that a setting demands where the hook allows them", async () => {
    await save(hook());
    await call({ amount: 1 }, { approvalRequired: true });
    expect(asked).toHaveLength(1);
  });

  it("are not sent for a call that is denied or invalid, by a rule that only records, a preview or a test of a condition", async () => {
    await save({ name: "never", condition: "args.amount > 10", effect: { kind: "deny", reason: "no" } });
    await save({ name: "recorded", state: "record", ...hook() });
    expect((await call({ amount: 1 })).success).toBe(true);
    const { id } = await save(hook());
    await call({ amount: 11 });
    await call({ amount: "x" });
    await executions.drain();
    const preview = await rules.preview(rulePreviewInputSchema.parse({ id, rule: { name: "hook", ...hook() } }));
    expect(preview).toMatchObject({ matched: 2, routed: null });
    expect(received).toEqual([]);
    const { execution_id: last } = await call({ amount: 1 });
    expect(received).toHaveLength(1);
    expect((await readMatches(last)).map(({ name, recordOnly }) => [name, recordOnly])).toEqual([
      ["hook", false],
      ["recorded", true],
    ]);
  });

  it("end with their caller: the request to the hook is given up", async () => {
    const controller = new AbortController();
    let isClosed = false;
    answer = (request) => {
      request.socket.once("close", () => {
        isClosed = true;
      });
      controller.abort();
    };
    await save(hook());
    expect(await call({}, { signal: controller.signal })).toMatchObject({ status: "cancelled" });
    await waitUntil(() => isClosed);
  });

  it("that read a resource are denied where the hook asks for approval, since they cannot wait", async () => {
    answer = say({ decision: "ask" });
    await save(hook());
    const read = { kind: "resource" as const, provided: { definition: PAY, run: async () => "text" } };
    expect(await call({}, read)).toMatchObject({ success: false, error: expect.stringContaining("not possible here") });
  });

  it("are signed by a secret that is encrypted in the database, is replaced at once and ends with the hook", async () => {
    const { id } = await save(hook());
    const { secret } = await rules.replaceSecret(LOCAL_PRINCIPAL, id);
    const [row] = await database().rows<{ hookSecret: string }>(`SELECT "hookSecret" FROM "CallRule"`);
    expect(secretBox.open(row?.hookSecret ?? "", `rule hook:${id}`)).toBe(secret);
    expect(JSON.stringify([await rules.list(), await rules.toState(id)])).not.toMatch(/whsec_|v1\./);
    await rules.update(LOCAL_PRINCIPAL, id, callRuleInputSchema.parse({ name: "hook", effect: { kind: "ask" } }));
    expect(await database().rows(`SELECT 1 AS found FROM "CallRule" WHERE "hookSecret" IS NOT NULL`)).toEqual([]);
    await expect(rules.replaceSecret(LOCAL_PRINCIPAL, id)).rejects.toThrow("must be a rule that calls a hook");
    await rules.update(LOCAL_PRINCIPAL, id, callRuleInputSchema.parse({ name: "hook", ...hook() }));
    const [again] = await database().rows<{ hookSecret: string }>(`SELECT "hookSecret" FROM "CallRule"`);
    expect(secretBox.open(again?.hookSecret ?? "", `rule hook:${id}`)).not.toBe(secret);
  });

  it("can be tried by a test call, which says the answer, the status and the time", async () => {
    answer = reply('{"decision":"deny","reason":"no"}', 201);
    const { id } = await save({ scope: { tools: ["pay"] }, ...hook() });
    expect(await rules.testHook(LOCAL_PRINCIPAL, id)).toEqual({
      decision: "deny",
      reason: "no",
      failure: null,
      status: 201,
      ms: expect.any(Number),
    });
    expect(JSON.parse(received[0]?.body ?? "")).toMatchObject({ type: "test", execution: null, arguments: {} });
    answer = reply("", 503);
    expect(await rules.testHook(LOCAL_PRINCIPAL, id)).toMatchObject({
      decision: null,
      failure: "it answered with status 503",
      status: 503,
    });
  });
});
