import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callRuleInputSchema } from "../../../lib/contract/call-rule";
import { RULE_DECISIONS, RULED_KINDS, type RuledKind } from "../../../lib/contract/call-rule-words";
import { ruleCaseInputSchema } from "../../../lib/contract/rule-case";
import { compileRules, type RuledCall, type StoredCallRule, toOutcome } from "../../engine/rules/decide-call";
import { findRoute } from "../../engine/rules/decide-route";
import { createCaseTester } from "../../engine/rules/test-case";
import { createConditionLanguage } from "../../platform/conditions/condition-language";
import { BoundedRedactor } from "../../platform/conditions/result-redactor";
import { listEffectProblems } from "./effect-problems";

const language = createConditionLanguage();
const PAY = { serverName: null, tags: [] };
const EFFECTS = [...RULE_DECISIONS, "route"] as const;
const NAMES: Readonly<Record<RuledKind, string>> = {
  tool: "pay",
  resource: "files resources/read",
  prompt: "files prompts/get",
  agent: "toolroom__list_servers",
};

const toEffect = (kind: (typeof EFFECTS)[number]): object =>
  kind === "deny" ? { kind, reason: "no" } : kind === "route" ? { kind, tool: "mock" } : { kind };

const drawnRule = fc.record({
  kinds: fc.subarray([...RULED_KINDS]),
  state: fc.constantFrom("on" as const, "record" as const, "off" as const),
  effect: fc.constantFrom(...EFFECTS),
});
type DrawnRule = typeof drawnRule extends fc.Arbitrary<infer Rule> ? Rule : never;

const toStored = ({ kinds, state, effect }: DrawnRule, at: number): StoredCallRule => ({
  ...callRuleInputSchema.parse({ name: `r${at}`, state, scope: { kinds }, effect: toEffect(effect) }),
  id: `rule_${at}`,
  version: 1,
});

const toCall = (kind: RuledKind, canWait: boolean): RuledCall => ({
  toolName: NAMES[kind],
  serverName: null,
  toolset: null,
  tags: [],
  actor: { id: "ada", name: "Ada" },
  role: "operator",
  tokenId: null,
  client: null,
  source: "gateway",
  stored: false,
  kind,
  canWait,
  at: 0,
  readArguments: () => ({}),
  count: () => null,
});

/** What rules do by their description: the first that is on, names the kind and can have its effect on the call. A denied call is not routed. */
function findExpected(rules: readonly DrawnRule[], kind: RuledKind, canWait: boolean) {
  const applying = rules.filter(
    ({ kinds, state, effect }) =>
      state === "on" &&
      (kinds.length === 0 || kinds.includes(kind)) &&
      (effect === "ask" ? canWait : effect !== "route" || (canWait && kind === "tool")),
  );
  const outcome = applying.find(({ effect }) => effect !== "route")?.effect ?? "none";
  return {
    outcome,
    routes: outcome !== "deny" && applying.some(({ effect }) => effect === "route"),
  };
}

describe("kinds of calls", () => {
  it("are asked for, denied and allowed alike, and only a tool is routed, by any rules in any order", () => {
    fc.assert(
      fc.property(
        fc.array(drawnRule, { maxLength: 6 }),
        fc.constantFrom(...RULED_KINDS),
        fc.boolean(),
        (rules, kind, canWait) => {
          const decision = compileRules(rules.map(toStored), { language }).decide(toCall(kind, canWait));
          const found = { outcome: toOutcome(decision), routes: findRoute(decision) !== null };
          expect(found).toEqual(findExpected(rules, kind, canWait));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("are found in a case by the name under which they are recorded", () => {
    const rules = [
      toStored({ kinds: ["resource"], state: "on", effect: "ask" }, 0),
      toStored({ kinds: ["agent"], state: "on", effect: "deny" }, 1),
    ];
    const test = createCaseTester(rules, { language, findTool: (name) => (name === "pay" ? PAY : null) });
    const decide = (tool: string, outcome: "ask" | "deny" | "none") =>
      test(ruleCaseInputSchema.parse({ name: tool, call: { tool, arguments: {} }, expect: { outcome } }));
    expect(decide(NAMES.resource, "ask")).toMatchObject({ status: "passed", rule: "r0" });
    expect(decide(NAMES.agent, "deny")).toMatchObject({ status: "passed", rule: "r1" });
    expect(decide(NAMES.prompt, "none")).toMatchObject({ status: "passed" });
    expect(decide(NAMES.tool, "none")).toMatchObject({ status: "passed" });
    expect(decide("gone", "none")).toMatchObject({ status: "error" });
  });

  it("other than tools are refused in a rule that routes, with the field and the way out", () => {
    const redactor = new BoundedRedactor({ home: process.cwd() });
    const check = (scope: object, tool = "mock") =>
      listEffectProblems(callRuleInputSchema.parse({ name: "r", scope, effect: { kind: "route", tool } }), redactor);
    fc.assert(
      fc.property(fc.subarray([...RULED_KINDS]), (kinds) => {
        const isWrong = kinds.some((kind) => kind !== "tool");
        expect(check({ kinds }).map(({ path }) => path)).toEqual(isWrong ? ["scope.kinds"] : []);
      }),
    );
    expect(check({ kinds: ["tool", "prompt"] })).toEqual([
      {
        path: "scope.kinds",
        message:
          "must name tool alone, or nothing: only calls of tools can be routed. To keep resources, prompts or Toolroom's own tools from being used, ask or deny",
      },
    ]);
    expect(check({ tools: ["pay", "files resources/read"] })).toMatchObject([{ path: "scope.tools[1]" }]);
    expect(check({}, "files prompts/get")).toMatchObject([
      { path: "effect.tool", message: "must be a tool of the catalog" },
    ]);
    expect(check({ tools: ["pay"] })).toEqual([]);
  });
});
