import { afterEach, beforeEach, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../../lib/contract/access";
import { callRuleInputSchema, rulePreviewInputSchema } from "../../../lib/contract/call-rule";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ExecutionStore } from "../../calls/executions/execution-store";
import { findReceived } from "../../calls/executions/received-result";
import { createToolEngine, systemClock, type ToolEngine } from "../../create-tool-engine";
import type { ExecuteOptions } from "../../engine/executor/execute-options";
import type { ToolContext } from "../../engine/ports";
import { createCallCounts } from "../../engine/rules/call-counts";
import { CallRules } from "../../engine/rules/call-rules";
import { createConditionLanguage } from "../../platform/conditions/condition-language";
import { BoundedRedactor } from "../../platform/conditions/result-redactor";
import { useDatabase } from "../../platform/db/contract/store-database.test-support";
import { describeOnBoth } from "../../platform/db/store-databases.test-support";
import { createRuleService, type RuleService } from "./rule-service";

const CUSTOMERS: ToolDefinition = {
  name: "list_customers",
  description: "Lists customers",
  type: "function",
  handler: "list_customers",
  parameters: { type: "object", properties: {} },
  implementation: { type: "mock", mock_response: { items: [{ email: "ada@example.com", name: "Ada" }], total: 1 } },
};
const ADA: Principal = { ...LOCAL_PRINCIPAL, id: "ada", name: "Ada" };
const FOUND = { items: [{ email: "ada@example.com", name: "Ada" }], total: 1 };
const MARK = "[redacted by rule No emails]";

describeOnBoth("rules about results", (createDatabase) => {
  const database = useDatabase(createDatabase);
  let engine: ToolEngine;
  let executions: ExecutionStore;
  let rules: RuleService;
  const redactor = new BoundedRedactor({ home: process.cwd() });

  beforeEach(async () => {
    executions = database().executions({ instanceId: "one" });
    let lastId = 0;
    rules = createRuleService({
      store: database().rules(),
      limits: database().limits(systemClock),
      onUsage: () => undefined,
      language: createConditionLanguage(),
      redactor,
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
        added: [],
        redactor,
        current: rules.compiled,
        accounts: true,
        readRole: () => "operator",
        counts: createCallCounts(),
      }),
    });
    engine.registry.register(CUSTOMERS);
  });
  afterEach(async () => {
    await engine.close();
    await executions.close();
  });

  const save = (rule: object) => rules.create(ADA, callRuleInputSchema.parse(rule));
  const redactEmails = (more: object = {}) =>
    save({ name: "No emails", effect: { kind: "redact", paths: ["result.items[*].email"] }, ...more });
  const call = (options: ExecuteOptions = {}) =>
    engine.executor.execute("list_customers", {}, { actor: ADA, ...options });
  const run = (tool: (context: ToolContext) => unknown, options: ExecuteOptions = {}) =>
    call({ ...options, provided: { definition: CUSTOMERS, run: async (_args, context) => tool(context) } });
  async function read(id: string) {
    await executions.drain();
    const stored = await executions.find(id);
    if (stored === null) throw new Error(`no execution ${id}`);
    return stored;
  }

  it("redact what the caller receives, keep the whole in the execution, and say what they took", async () => {
    const { id } = await redactEmails();
    const answer = await call();
    expect(answer).toMatchObject({
      success: true,
      result: { items: [{ email: MARK, name: "Ada" }], total: 1 },
    });
    const stored = await read(answer.execution_id);
    expect(JSON.parse(stored.resultText ?? "")).toEqual(FOUND);
    expect(stored).toMatchObject({
      status: "succeeded",
      ruleMatches: [
        { ruleId: id, effect: "redact", recordOnly: false, values: { replaced: 1, paths: ["result.items[*].email"] } },
      ],
    });
    const received = await findReceived(stored, redactor);
    expect(JSON.parse(received?.resultText ?? "")).toEqual({ items: [{ email: MARK, name: "Ada" }], total: 1 });
    expect((await executions.list({ rule: id })).items).toHaveLength(1);
  });

  it("redact one after the other, and leave calls alone whose results have nothing of it", async () => {
    await redactEmails();
    await save({ name: "Names", effect: { kind: "redact", patterns: ["A[a-z]+"] } });
    expect(await call()).toMatchObject({
      result: { items: [{ email: MARK, name: "[redacted by rule Names]" }], total: 1 },
    });
    const other = await run(() => "nothing to see");
    expect(other).toMatchObject({ success: true, result: "nothing to see" });
    expect((await read(other.execution_id)).ruleMatches).toEqual([]);
  });

  it("block a result: the caller receives the reason, the execution keeps the result and is found by the rule", async () => {
    const { id } = await save({
      name: "No keys",
      effect: { kind: "block", reason: "It has a secret", presets: ["api_key"] },
    });
    const answer = await run(() => ({ key: "sk-abcdefghijklmnopqrst" }));
    expect(answer).toMatchObject({
      success: false,
      error_kind: "rule",
      error: "Result blocked by rule No keys: It has a secret",
    });
    expect(JSON.stringify(answer)).not.toContain("sk-");
    const stored = await read(answer.execution_id);
    expect(stored).toMatchObject({
      status: "failed",
      errorKind: "rule",
      ruleMatches: [{ ruleId: id, effect: "block" }],
    });
    expect(stored.resultText).toContain("sk-abcdefghijklmnopqrst");
    expect(stored.startedAt).not.toBeNull();
    expect(await findReceived(stored, redactor)).toEqual({ resultText: null });
    expect((await call()).success).toBe(true);
    expect((await executions.list({ rule: id })).items).toHaveLength(1);
  });

  it("read the result in their conditions, and what they read is recorded", async () => {
    await save({
      name: "Many",
      condition: "result.structured.total > 0 && !result.isError",
      effect: { kind: "block", reason: "Too many" },
    });
    const answer = await call();
    expect(answer).toMatchObject({ error: "Result blocked by rule Many: Too many" });
    expect((await read(answer.execution_id)).ruleMatches[0]?.values).toEqual({
      "result.structured.total": 1,
      "result.isError": false,
    });
    expect((await run(() => ({ total: 0 }))).success).toBe(true);
  });

  it("that only record change nothing and say what they would have done", async () => {
    await redactEmails({ state: "record" });
    await save({ name: "Block", state: "record", effect: { kind: "block", reason: "no" } });
    const answer = await call();
    expect(answer).toMatchObject({ success: true, result: FOUND });
    const stored = await read(answer.execution_id);
    expect(stored.ruleMatches).toMatchObject([
      { effect: "redact", recordOnly: true, values: { replaced: 1 } },
      { effect: "block", recordOnly: true },
    ]);
    expect(await findReceived(stored, redactor)).toBeNull();
  });

  it("redact the message of a failure, and keep that of a blocked one in its log", async () => {
    const redacting = await save({ name: "No emails", effect: { kind: "redact", presets: ["email"] } });
    const fail = () => {
      throw new Error("no such user: ada@example.com");
    };
    expect(await run(fail)).toMatchObject({ success: false, error: expect.stringContaining(`user: ${MARK}`) });
    await rules.delete(ADA, redacting.id);
    await save({ name: "Block", effect: { kind: "block", reason: "no", presets: ["email"] } });
    const blocked = await run(fail);
    expect(blocked).toMatchObject({ error_kind: "rule", error: "Result blocked by rule Block: no" });
    expect((await read(blocked.execution_id)).logs.map(({ message }) => message)).toEqual([
      expect.stringContaining("The tool failed: "),
    ]);
  });

  it("redact progress and log lines on their way to the caller, and withhold them where only the result can decide", async () => {
    const { id } = await save({ name: "No emails", effect: { kind: "redact", presets: ["email"] } });
    const received: (string | null)[] = [];
    const options: ExecuteOptions = {
      onProgress: (_progress, _total, message) => received.push(message),
      onLog: ({ message }) => received.push(message),
    };
    const report = ({ progress, logger }: ToolContext) => {
      progress(1, 2, "reading ada@example.com");
      logger.info("read ada@example.com");
      return "done";
    };
    const answer = await run(report, options);
    expect(received.splice(0)).toEqual([`reading ${MARK}`, `read ${MARK}`]);
    expect((await read(answer.execution_id)).logs.map(({ message }) => message)).toEqual(["read ada@example.com"]);
    await rules.delete(ADA, id);
    await redactEmails();
    await run(report, options);
    expect(received).toEqual(Array(2).fill("[withheld by rule No emails]"));
  });

  it("redact what the tool's server asks the caller", async () => {
    await save({ name: "No emails", effect: { kind: "redact", presets: ["email"] } });
    const asked: unknown[] = [];
    const ask = async ({ interact, signal }: ToolContext) => {
      await interact?.({ kind: "form", message: "Write to ada@example.com?", schema: {} }, signal);
      const paramsText = '{"messages":[{"content":{"text":"ada@example.com"}}]}';
      await interact?.({ kind: "sampling", message: "Summarize", paramsText }, signal);
      return "done";
    };
    const interact = async (request: unknown) => {
      asked.push(request);
      return null;
    };
    await run(ask, { interact });
    expect(asked).toEqual([
      { kind: "form", message: `Write to ${MARK}?`, schema: {} },
      { kind: "sampling", message: "Summarize", paramsText: `{"messages":[{"content":{"text":"${MARK}"}}]}` },
    ]);
  });

  it("hold for a call that was approved before, and for one whose rule the result decides", async () => {
    await redactEmails({ condition: 'result.text.contains("Ada")' });
    const approval = { approved: true as const, by: ADA, at: Date.now(), reason: null, definition: CUSTOMERS };
    expect(await call({ approval: approval as never })).toMatchObject({
      result: { items: [{ email: MARK, name: "Ada" }], total: 1 },
    });
  });

  it("withhold a result that is too large to search, and say so", async () => {
    await save({ name: "No emails", effect: { kind: "redact", presets: ["email"] } });
    const answer = await run(() => "x".repeat(8_000_001));
    expect(answer).toMatchObject({
      error_kind: "rule",
      error:
        "Withheld by rule No emails: the result could not be searched, since it has more than 8,000,000 characters",
    });
    expect("result" in answer).toBe(false);
    const stored = await read(answer.execution_id);
    expect(stored.ruleMatches[0]?.values).toMatchObject({ withheld: "it has more than 8,000,000 characters" });
  });

  it("are refused with the field where they read a result too early, look for nothing, or look for it wrongly", async () => {
    const refuse = (rule: object) =>
      save({ name: "a", ...rule }).then(
        () => null,
        (error: Error) => error.message,
      );
    expect(await refuse({ condition: "result.isError", effect: { kind: "deny", reason: "x" } })).toContain(
      "condition reads result, which is not known before the call runs",
    );
    expect(await refuse({ effect: { kind: "redact" } })).toContain("effect.paths name a path");
    expect(await refuse({ effect: { kind: "redact", paths: ["items[*]"] } })).toContain(
      "effect.paths[0] must be a path",
    );
    expect(await refuse({ effect: { kind: "block", reason: "x", patterns: ["("] } })).toContain("effect.patterns[0]");
    expect(await refuse({ condition: "result.other == 1", effect: { kind: "block", reason: "x" } })).toContain(
      "condition",
    );
    expect(rules.check("result.isError", "redact")).toEqual([]);
  });

  it("are previewed on recorded results: counted, and unknown where a result is not stored", async () => {
    await call();
    await run(() => "nothing");
    await run(() => "x".repeat(200_000));
    await executions.drain();
    const preview = (rule: object, hidden: string[] = []) =>
      rules.preview(
        rulePreviewInputSchema.parse({ rule: { name: "a", ...rule } }),
        undefined,
        hidden.length === 0 ? undefined : { findHidden: async () => new Set(hidden) },
      );
    expect(await preview({ effect: { kind: "redact", presets: ["email"] } })).toMatchObject({
      calls: 3,
      matched: 1,
      unknown: 1,
      changed: 1,
      items: [{ toolName: "list_customers" }],
    });
    expect(
      await preview({ condition: "result.structured.total > 0", effect: { kind: "block", reason: "x" } }),
    ).toMatchObject({ matched: 1, unknown: 1 });
    const [newest] = (await executions.list({})).items.slice(-1);
    expect(await preview({ effect: { kind: "redact", presets: ["email"] } }, [newest?.id ?? ""])).toMatchObject({
      matched: 0,
      unknown: 2,
    });
  });
});
