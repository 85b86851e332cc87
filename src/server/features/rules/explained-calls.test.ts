import fc from "fast-check";
import { expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal, type Role } from "../../../lib/contract/access";
import type { ApprovalMode } from "../../../lib/contract/approval";
import { joinModes } from "../../../lib/contract/approver";
import { LIMIT_KEYS, RULE_DECISIONS } from "../../../lib/contract/call-rule-words";
import { type CaseCall, caseCallSchema } from "../../../lib/contract/rule-case";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { parseWithDigits } from "../../../lib/json/number-digits";
import { toMask } from "../../../lib/masked-value";
import { createToolEngine, systemClock } from "../../create-tool-engine";
import { checkApproval, listApprovalSettings } from "../../engine/approvals/approval-gate";
import { CallArguments } from "../../engine/executor/call-arguments";
import { CallMask, UNKEYED } from "../../engine/masking/call-mask";
import type { ExecutionEnd, ExecutionJournal, ExecutionStart } from "../../engine/ports";
import { createCallCounts } from "../../engine/rules/call-counts";
import { CallRules } from "../../engine/rules/call-rules";
import { compileRules, type StoredCallRule } from "../../engine/rules/decide-call";
import { LimitEffects } from "../../engine/rules/limits/limit-effects";
import { createMemoryLimits } from "../../engine/rules/limits/memory-limits";
import { PriceEffects } from "../../engine/rules/prices/price-effects";
import { createConditionLanguage } from "../../platform/conditions/condition-language";
import { argumentsText, buildRules, caller, readRules, rule } from "./rule-calls.test-support";
import { createRuleExplainer } from "./rule-explainer";
import type { StoredRule } from "./rule-store";

const language = createConditionLanguage();
const MASKING = { ...UNKEYED, getMask: () => toMask("0123456789ab") };
const TOOL: ToolDefinition = {
  name: "pay_invoice",
  description: "Pays",
  type: "function",
  handler: "pay",
  tags: ["money", "daily"],
  annotations: { destructiveHint: true },
  parameters: { type: "object", properties: { secret: { format: "password" } } },
  implementation: { type: "mock", mock_response: { tokens: 250 } },
};
/** Rules route calls to it. */
const DRAFT: ToolDefinition = {
  ...TOOL,
  name: "draft_invoice",
  tags: ["daily"],
  annotations: {},
  implementation: { type: "mock", mock_response: { tokens: 10 } },
};
const NOW = 1_800_000_000_000;

/** An engine with rules, limits and settings, and the explainer of the same rules. */
function open() {
  const state = {
    rules: [] as StoredCallRule[],
    compiled: compileRules([], { language }),
    role: "operator" as Role | null,
    mode: null as ApprovalMode | null,
    inToolset: null as "always" | "never" | null,
    asked: 0,
    starts: [] as ExecutionStart[],
    limits: createMemoryLimits(),
    counts: createCallCounts(),
    now: NOW,
  };
  const clock = { now: () => state.now, elapsed: systemClock.elapsed };
  const policies = { server: null, global: "destructive" as const };
  const check = (definition: ToolDefinition) => checkApproval(definition, state.mode, policies);
  const required = (definition: ToolDefinition, inToolset?: boolean) =>
    inToolset === undefined
      ? check(definition).required
      : inToolset || (state.mode !== null && !["always", "never"].includes(state.mode));
  const getMode = () => state.mode;
  const keep = async (start: ExecutionStart): Promise<void> => void state.starts.push(start);
  const journal: ExecutionJournal = {
    begin: keep,
    proceed: async () => true,
    finish: async () => undefined,
    record: async (start: ExecutionStart, _end: ExecutionEnd) => await keep(start),
  };
  const counter = {
    storesWithCalls: true,
    take: (...call: Parameters<typeof state.limits.take>) => state.limits.take(...call),
    add: (...call: Parameters<typeof state.limits.add>) => state.limits.add(...call),
  };
  const engine = createToolEngine({
    journal,
    masking: MASKING,
    rules: new CallRules({
      added: [new PriceEffects(language), new LimitEffects({ counter, clock })],
      current: () => state.compiled,
      accounts: true,
      readRole: () => state.role,
      counts: {
        open: (...call) => state.counts.open(...call),
        note: (...call) => state.counts.note(...call),
        forget: () => state.counts.forget(),
      },
    }),
    approvals: {
      required,
      getMode,
      expiryMs: 60_000,
      async ask() {
        state.asked += 1;
        return { approved: true, by: { id: "ada", name: "Ada" }, at: 0, reason: null };
      },
    },
  });
  for (const tool of [TOOL, DRAFT]) engine.registry.register(tool);
  const explainer = createRuleExplainer({
    rules: {
      all: () => state.rules as StoredRule[],
      findUsage: (slot) => state.limits.peek(slot),
    },
    language,
    counts: { open: (...call) => state.counts.open(...call) },
    getTool: () => TOOL,
    findTool: (name) => (name === DRAFT.name ? DRAFT : null),
    findHeldReason: () => null,
    findFaults: async () => [],
    getToolsetApproval: () => state.inToolset,
    approvals: {
      required,
      getMode,
      listSettings: (definition) => listApprovalSettings(definition, state.mode, policies),
    },
    maskArguments: (_tool, text) => new CallMask(TOOL, MASKING).argumentsText(text),
    readRole: () => state.role,
    now: () => state.now,
  });
  return { engine, explainer, state };
}

const effect = fc.oneof(
  fc.constantFrom(...RULE_DECISIONS).map((kind) => (kind === "deny" ? { kind, reason: "no" } : { kind })),
  fc.constantFrom("editor", "other_admin").map((approver) => ({ kind: "ask", approver })),
  fc.record({
    kind: fc.constant("limit"),
    measure: fc.constantFrom("calls", "calls", "bytes", "money"),
    most: fc.integer({ min: 1, max: 3 }),
    minutes: fc.constant(60),
    per: fc.subarray([...LIMIT_KEYS]),
    action: fc.constantFrom("deny", "deny", "ask"),
    approver: fc.constantFrom("always", "admin"),
  }),
  fc.constantFrom("0.5", "args.a * 2.0", "result.structured.tokens * 0.01").map((price) => ({ kind: "price", price })),
  fc.constantFrom(DRAFT.name, DRAFT.name, "gone").map((tool) => ({ kind: "route", tool })),
);
const anyRule = fc.tuple(rule, effect).map(([each, its]) => ({ ...each, effect: its }));
const settings = fc.record({
  mode: fc.constantFrom(null, "always", "never", "admin", "other"),
  inToolset: fc.constantFrom(null, "always", "never"),
});

it("an explanation says what then happens to the call: refusal, approver, price and matches, over generated rules and calls", async () => {
  const { engine, explainer, state } = open();
  const seen = { runs: 0, asks: 0, denied: 0, limited: 0, routed: 0 };
  const readUsage = (): string =>
    JSON.stringify(state.rules.map(({ id }) => state.limits.list(id).map(([key, used]) => [key, ...used])));
  await fc.assert(
    fc.asyncProperty(
      buildRules(anyRule, 4),
      fc.array(argumentsText, { minLength: 1, maxLength: 4 }),
      caller,
      settings,
      async (rules, texts, { role, ...by }, { mode, inToolset }) => {
        state.rules = readRules(rules).map((each, index) => ({ ...each, name: `rule ${index}` }));
        state.compiled = compileRules(state.rules, { language });
        state.role = role;
        state.mode = mode as ApprovalMode | null;
        state.inToolset = by.toolset === undefined ? null : (inToolset as "always" | "never" | null);
        state.limits = createMemoryLimits();
        state.counts = createCallCounts();
        const reader: Principal = { ...LOCAL_PRINCIPAL, ...by.actor, role };
        for (const text of texts) {
          const call = caseCallSchema.parse({
            tool: TOOL.name,
            arguments: parseWithDigits(text),
            caller: { token: by.tokenId ?? null },
            client: by.client ?? null,
            source: by.source,
            toolset: by.toolset ?? null,
          });
          // Explanation and limits see one moment, after the calls before.
          state.now = systemClock.now();
          const before = readUsage();
          const said = await explainer.explain(reader, call);
          expect(readUsage()).toBe(before);
          state.asked = 0;
          state.starts.length = 0;
          const envelope = await engine.executor.execute(TOOL.name, CallArguments.parse(text), {
            ...by,
            ...(state.inToolset !== null && { approvalRequired: state.inToolset === "always" }),
          });
          if (!envelope.success && envelope.error_kind === "invalid_arguments") continue;
          const [start] = state.starts;
          const isDenied = !envelope.success && envelope.error_kind === "rule";
          expect(said.outcome).toBe(isDenied ? "denied" : state.asked > 0 ? "asks" : "runs");
          expect(said.message).toBe(envelope.success ? null : envelope.error);
          const asked = joinModes(start?.request?.mode ?? null, "always");
          expect(said.approver).toBe(state.asked > 0 ? asked : null);
          const matches = (start?.ruleMatches ?? []).map(({ ruleId }) => ruleId).sort();
          const told = said.rules.filter(({ step }) => step === "match").map(({ id }) => id);
          if (!isDenied) expect(told.sort()).toEqual(matches);
          const decided = said.rules.filter(({ decides }) => decides);
          for (const each of decided) expect(matches).toContain(each.id);
          // A setting decides where no rule does, and none beside a rule that refuses or asks.
          const deciding = said.settings.filter(({ decides }) => decides);
          if (decided.length === 0 && said.runs === null) expect(deciding).toHaveLength(1);
          if (decided.length === 0) expect(deciding.length).toBeGreaterThan(0);
          if (said.runs !== null) seen.routed += 1;
          if (envelope.success) expect(envelope.result).toMatchObject({ tokens: said.runs === null ? 250 : 10 });
          seen[isDenied ? "denied" : state.asked > 0 ? "asks" : "runs"] += 1;
          if (isDenied && said.rules.some(({ decides, limit }) => decides && limit !== undefined)) seen.limited += 1;
        }
      },
    ),
    { numRuns: 500 },
  );
  await engine.close();
  expect(Math.min(seen.runs, seen.asks, seen.denied)).toBeGreaterThan(30);
  expect(Math.min(seen.limited, seen.routed)).toBeGreaterThan(5);
}, 120_000);

const PAY: CaseCall = { tool: TOOL.name, arguments: {} };
const VIEWER: Principal = { id: "vi", name: "Vi", role: "viewer", token: null };

it("the role of another user is read only for editors of rules; other users get a message that asks for it, and their own role is known", async () => {
  const { engine, explainer, state } = open();
  state.role = "admin";
  state.mode = "never";
  state.rules = readRules([
    { name: "Admins", caller: { roles: ["admin"] }, effect: { kind: "deny", reason: "no" } },
    { name: "Reads it", condition: 'caller.role == "operator"', effect: { kind: "ask" } },
  ]);
  const other = { ...PAY, caller: { id: "eve", name: "Eve" } };
  const hidden = await explainer.explain(VIEWER, other);
  expect(hidden).toMatchObject({ outcome: "unknown", by: "Admins", caller: { role: null }, approver: null });
  expect(hidden.message).toBe("The rule 'Admins' depends on 'call.caller.role', which is not given: add it");
  expect(JSON.stringify(hidden.rules.map(({ values }) => values))).not.toContain("admin");
  expect(await explainer.explain({ ...VIEWER, role: "editor" }, other)).toMatchObject({ outcome: "denied" });
  expect(await explainer.explain(VIEWER, PAY)).toMatchObject({ outcome: "denied", caller: { role: "admin" } });
  const told = await explainer.explain(VIEWER, { ...PAY, caller: { id: "eve", name: "Eve", role: "viewer" } });
  expect(told).toMatchObject({ outcome: "runs", by: null });
  await engine.close();
});

it("a limit that waits, a masked value, rules about results and settings say what they would do", async () => {
  const { engine, explainer, state } = open();
  state.mode = "always";
  state.rules = readRules([
    { name: "Wait", effect: { kind: "limit", most: 1, minutes: 10, action: "wait" } },
    { name: "Off", state: "off", effect: { kind: "deny", reason: "no" } },
    { name: "Secret", condition: 'args.secret == "hunter22"', effect: { kind: "allow" } },
    { name: "Later", condition: "result.isError", effect: { kind: "block", reason: "no" } },
    { name: "Mails", effect: { kind: "redact", presets: ["email"] } },
    { name: "Fee", effect: { kind: "price", price: "0.25" } },
  ]);
  const call = { ...PAY, arguments: { secret: "hunter22" } };
  const first = await explainer.explain(LOCAL_PRINCIPAL, call);
  expect(first).toMatchObject({ outcome: "runs", by: "Secret", approver: null });
  expect(JSON.stringify(first)).not.toContain("hunter22");
  expect(first.rules.map(({ step }) => step)).toEqual(["match", "off", "match", "result", "match", "match"]);
  expect(first.rules[0]?.limit).toMatchObject({ used: 0, left: 1, most: 1, freeAt: null });
  expect(first.rules[5]?.price).toBe(0.25);
  const slot = { ruleId: "rule_0", key: JSON.stringify(["calls", 10, "", []]), minutes: 10, most: 1 };
  const part = Math.floor(NOW / 10_000);
  state.limits.take(slot, { ruleId: "rule_0", key: slot.key, part, units: 1, expiresAt: NOW + 700_000 }, NOW, false);
  const second = await explainer.explain(LOCAL_PRINCIPAL, PAY);
  expect(second).toMatchObject({ outcome: "waits", by: "Wait", approver: "always" });
  expect(second.rules[0]?.limit).toMatchObject({ used: 1, left: 0, freeAt: expect.any(Number) });
  expect(second.settings.find(({ decides }) => decides)).toEqual({
    tool: TOOL.name,
    of: "person",
    says: "ask",
    decides: true,
  });
  await engine.close();
});
