import fc from "fast-check";
import { expect, it } from "vitest";
import type { ROLES } from "../../../lib/contract/access";
import { isDecision } from "../../../lib/contract/call-rule-words";
import { type CaseCall, ruleCaseInputSchema } from "../../../lib/contract/rule-case";
import { getServerName, type ToolDefinition } from "../../../lib/contract/tool-definition";
import { parseWithDigits } from "../../../lib/json/number-digits";
import { toMask } from "../../../lib/masked-value";
import { createToolEngine, systemClock } from "../../create-tool-engine";
import { CallArguments } from "../../engine/executor/call-arguments";
import { UNKEYED } from "../../engine/masking/call-mask";
import type { ExecutionEnd, ExecutionJournal, ExecutionStart } from "../../engine/ports";
import { CallRules } from "../../engine/rules/call-rules";
import { compileRules } from "../../engine/rules/decide-call";
import { createCaseTester } from "../../engine/rules/test-case";
import { createConditionLanguage } from "../../platform/conditions/condition-language";
import { toStoredCall } from "./recorded-calls";
import { argumentsText, caller, compilable, readRules } from "./rule-calls.test-support";
import type { RecordedCall } from "./rule-store";

const language = createConditionLanguage();
const TOOL: ToolDefinition = {
  name: "pay_invoice",
  description: "Pays",
  type: "function",
  handler: "pay",
  tags: ["money", "daily"],
  parameters: { type: "object", properties: { secret: { format: "password" } } },
  implementation: { type: "mock", mock_response: "ok" },
};

/** An engine that decides calls by rules, and keeps how it recorded them. */
function openEngine() {
  const state = {
    current: compileRules([], { language }),
    role: null as (typeof ROLES)[number] | null,
    recorded: [] as ExecutionStart[],
  };
  const keep = async (start: ExecutionStart): Promise<void> => void state.recorded.push(start);
  const journal: ExecutionJournal = {
    begin: keep,
    proceed: async () => true,
    finish: async () => undefined,
    record: async (start: ExecutionStart, _end: ExecutionEnd) => await keep(start),
  };
  const engine = createToolEngine({
    journal,
    masking: { ...UNKEYED, getMask: () => toMask("0123456789ab") },
    rules: new CallRules({
      added: [],
      current: () => state.current,
      accounts: true,
      readRole: () => state.role,
      counts: { open: () => () => 2, note: () => undefined, forget: () => undefined },
    }),
    approvals: {
      required: () => false,
      expiryMs: 1_000,
      ask: async () => ({ approved: true, by: { id: "ada", name: "Ada" }, at: 0, reason: null }),
    },
  });
  engine.registry.register(TOOL);
  return { engine, state };
}

it("a recorded call is decided as it was when it was made, unless something that was not recorded decides", async () => {
  const { engine, state } = openEngine();
  const seen = { decided: 0, unknown: 0, missed: 0 };
  await fc.assert(
    fc.asyncProperty(compilable, argumentsText, caller, async (rules, text, { role: own, ...by }) => {
      state.current = compileRules(readRules(rules), { language });
      state.role = own;
      state.recorded.length = 0;
      const at = systemClock.now();
      await engine.executor.execute(TOOL.name, CallArguments.parse(text), by);
      const start = state.recorded[0] as ExecutionStart;
      const stored = state.current.decide(
        toStoredCall(toRow(start), { tags: start.definition?.tags ?? [], role: own, count: () => 2, isHidden: false }),
      );
      expect(start.queuedAt).toBeGreaterThanOrEqual(at);
      const live = (start.ruleMatches ?? []).map(({ ruleId, recordOnly }) => `${ruleId} ${recordOnly}`).sort();
      const hits = [
        ...stored.recorded,
        ...(typeof stored.decisive === "object" && stored.decisive !== null ? [stored.decisive] : []),
      ];
      const again = hits.map(({ rule: each, recordOnly }) => `${each.id} ${recordOnly}`).sort();
      if (stored.unknown !== null) {
        // What is known of it agrees all the same: no rule before the unknown one decides otherwise.
        seen.unknown += 1;
        expect(text).toContain('"secret"');
        if (stored.decisive === "unknown") return;
        expect(again.every((hit) => live.includes(hit) || hit.endsWith("false"))).toBe(true);
        return;
      }
      if (live.length > 0) seen.decided += 1;
      else seen.missed += 1;
      expect(again).toEqual(live);
    }),
    { numRuns: 10_000 },
  );
  await engine.close();
  expect(Math.min(seen.decided, seen.missed)).toBeGreaterThan(1_000);
  expect(seen.unknown).toBeGreaterThan(50);
}, 120_000);

it("a case is decided as the same call is live, and as unknown only where it does not give what decides", async () => {
  const { engine, state } = openEngine();
  const seen = { decided: 0, missed: 0, unknown: 0 };
  const facts = fc.subarray(["role", "id", "name", "source", "time", "count"] as const);
  await fc.assert(
    fc.asyncProperty(compilable, argumentsText, caller, facts, async (rules, text, { role, ...by }, left) => {
      const named = readRules(rules).map((each, index) => ({ ...each, name: `rule ${index}` }));
      state.current = compileRules(named, { language });
      state.role = role;
      state.recorded.length = 0;
      await engine.executor.execute(TOOL.name, CallArguments.parse(text), by);
      const start = state.recorded[0] as ExecutionStart;
      const live = (start.ruleMatches ?? []).find(({ recordOnly }) => !recordOnly);
      const testCase = createCaseTester(named, {
        language,
        findTool: () => ({ serverName: null, tags: TOOL.tags ?? [] }),
      });
      const call = ruleCaseInputSchema.shape.call.parse({
        tool: TOOL.name,
        arguments: parseWithDigits(text),
        caller: { ...by.actor, role, token: by.tokenId },
        client: by.client,
        source: by.source,
        toolset: by.toolset,
        time: new Date(start.queuedAt).toISOString(),
        count: 2,
      });
      const outcome = live !== undefined && isDecision(live.effect) ? live.effect : "none";
      const wanted = { outcome, ...(live && { rule: live.name }) } as const;
      expect(testCase({ call, expect: wanted })).toMatchObject({ status: "passed", rule: live?.name ?? null });
      seen[live === undefined ? "missed" : "decided"] += 1;
      // What is left out never decides otherwise: the case says that it cannot be told.
      const part = structuredClone(call);
      for (const name of left) leaveOut(part, name);
      const {
        status,
        outcome: found,
        notes,
      } = testCase({ call: { ...part, arguments: call.arguments }, expect: wanted });
      if (found !== "unknown") expect(status).toBe("passed");
      else {
        seen.unknown += 1;
        expect(notes[0]).toMatch(/^The rule 'rule \d' depends on 'call\.(?:caller\.(?:id|name|role)|source|count)'/);
      }
    }),
    { numRuns: 2_000 },
  );
  await engine.close();
  expect(Math.min(seen.decided, seen.missed)).toBeGreaterThan(200);
  expect(seen.unknown).toBeGreaterThan(20);
}, 120_000);

function leaveOut(call: CaseCall, name: "role" | "id" | "name" | "source" | "time" | "count"): void {
  if (name === "role" || name === "id" || name === "name") delete call.caller?.[name];
  else delete call[name];
}

function toRow(start: ExecutionStart): RecordedCall {
  return {
    seq: 1,
    id: start.id,
    toolName: start.toolName,
    implementationType: start.implementationType,
    serverName: start.definition === null ? null : getServerName(start.definition),
    toolset: start.toolset ?? null,
    actorId: start.actor.id,
    actorName: start.actor.name,
    client: start.client,
    source: start.source,
    tokenId: start.tokenId ?? null,
    runId: start.runId,
    bytes: 0,
    queuedAt: start.queuedAt,
    status: "running",
    resultText: null,
    error: null,
    errorKind: null,
    definitionHash: null,
    argumentsPreview: "",
    argumentsText: start.argumentsText,
  };
}
