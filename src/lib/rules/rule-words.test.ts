import { describe, expect, it } from "vitest";
import type { RuledKind } from "../contract/call-rule-words";
import { EMPTY_RULE, proposeRule } from "./propose-rule";
import { describeRule } from "./rule-words";

const NO_SCOPE = EMPTY_RULE.scope;
const ANY_CALLER = EMPTY_RULE.caller;

describe("the sentence of a rule", () => {
  it("names effect, scope, caller and condition", () => {
    const rule = {
      ...EMPTY_RULE,
      scope: { ...NO_SCOPE, tools: ["pay_*"] },
      caller: { ...ANY_CALLER, users: ["nightly-agent"] },
      condition: "args.amount > 500",
      effect: { kind: "ask" as const, approver: "editor" as const },
    };
    expect(describeRule(rule)).toBe("Asks an editor when pay_* is called by nightly-agent with amount > 500");
  });

  it("says any tool where nothing limits it", () => {
    expect(describeRule({ ...EMPTY_RULE, effect: { kind: "deny", reason: "no" } })).toBe(
      "Denies when any tool is called",
    );
  });

  it("lists many names by the first ones and quotes texts with spaces", () => {
    const rule = {
      ...EMPTY_RULE,
      scope: {
        tools: ["a", "b", "c", "d", "e"],
        servers: ["github"],
        toolsets: ["support"],
        tags: ["money"],
        kinds: [],
      },
      caller: { ...ANY_CALLER, roles: ["viewer" as const], clients: ["claude-*"], sources: ["gateway" as const] },
      condition: 'args.to in ["a b", "c"] || !has(args.note)',
      effect: { kind: "allow" as const },
    };
    expect(describeRule(rule)).toBe(
      'Allows without approval when a, b, c or 2 more tagged money of github is called through support by role viewer from claude-* (gateway) with to is one of "a b", c or note is missing',
    );
  });

  it("says what a rule takes from results", () => {
    const presets = ["email" as const, "api_key" as const];
    const redact = { kind: "redact" as const, presets, paths: ["result.items[*].phone"], patterns: ["a", "b"] };
    expect(describeRule({ ...EMPTY_RULE, effect: redact })).toBe(
      "Redacts email addresses, API keys, items[*].phone and 2 patterns when any tool is called",
    );
    const block = { kind: "block" as const, reason: "no", presets: [], patterns: [] };
    expect(describeRule({ ...EMPTY_RULE, condition: "result.isError == true", effect: block })).toBe(
      "Blocks the result when any tool is called with result.isError = true",
    );
    expect(describeRule({ ...EMPTY_RULE, effect: { ...block, patterns: ["a"] } })).toBe(
      "Blocks results with a pattern when any tool is called",
    );
  });

  it("names the kinds of calls that it is about", () => {
    const of = (...kinds: RuledKind[]) => describeRule({ ...EMPTY_RULE, scope: { ...NO_SCOPE, kinds } });
    expect(of("resource", "prompt")).toBe("Asks when any resource or prompt is used");
    expect(of("tool")).toBe("Asks when any tool is called");
    expect(of("agent")).toBe("Asks when any tool of Toolroom is called");
    const named = { ...NO_SCOPE, tools: ["files *"], kinds: ["resource" as const] };
    expect(describeRule({ ...EMPTY_RULE, scope: named })).toBe("Asks when files * (resource) is used");
  });

  it("shows a condition that only text can edit as it is", () => {
    expect(describeRule({ ...EMPTY_RULE, condition: "args.a + 1 > 5" })).toBe(
      "Asks when any tool is called where args.a + 1 > 5",
    );
  });
});

it("a rule made from a call is about its tool and, where it is for one caller, about that one's id", () => {
  const call = { toolName: "pay", condition: "args.amount > 5", reason: "By hand" };
  expect(proposeRule({ ...call, effect: "deny", caller: { id: "eve", name: "Eve" } })).toMatchObject({
    name: "Deny pay by Eve",
    scope: { tools: ["pay"] },
    caller: { users: ["eve"] },
    condition: "args.amount > 5",
    effect: { kind: "deny", reason: "By hand" },
  });
  expect(proposeRule({ ...call, effect: "ask", caller: null })).toMatchObject({
    name: "Ask for pay",
    caller: { users: [] },
    effect: { kind: "ask", approver: "always" },
  });
});
