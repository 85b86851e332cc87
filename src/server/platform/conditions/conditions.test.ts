import { Environment } from "@marcbachmann/cel-js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactParts } from "../../../lib/json/exact-text";
import { type ConditionFacts, NOT_RECORDED, TOO_LARGE } from "../../engine/rules/rule-ports";
import { createConditionLanguage } from "./condition-language";

const language = createConditionLanguage();
const WORK = 1_000_000;

function compile(text: string) {
  const result = language.compile(text);
  if ("problems" in result) throw new Error(JSON.stringify(result.problems));
  return result.condition;
}

const toFacts = (args: string, more: Partial<ConditionFacts> = {}): ConditionFacts => ({
  tool: { name: "refund", server: "shop", toolset: null, tags: ["money"] },
  caller: { id: "ada", name: "Ada", role: "operator", token: null, source: "gateway" },
  client: { name: "claude-code", version: "2.1.0" },
  args: parseExactParts(args),
  at: Date.UTC(2026, 10, 30, 22, 15),
  count: () => 3,
  stored: false,
  ...more,
});

const evaluate = (text: string, args = "{}", more: Partial<ConditionFacts> = {}) =>
  compile(text).evaluate(toFacts(args, more), { left: WORK });

describe("a condition about a result", () => {
  const result = (structured: unknown) => ({ result: { isError: false, text: "Paid 12 EUR", structured } });

  it.each([
    ["!result.isError && result.text.contains('EUR')", { amount: 12 }, "match"],
    ["result.structured.amount >= 10", { amount: 12 }, "match"],
    ["has(result.structured.note)", { amount: 12 }, "miss"],
    ["result.structured.items.exists(i, i.secret == true)", { items: [{ secret: true }] }, "match"],
    ["result.structured.amount > 1", null, "unevaluable"],
    ["result.structured.amount > 1", TOO_LARGE, "exhausted"],
  ] as const)("%s of %j: %s", (text, structured, outcome) => {
    expect(evaluate(text, "{}", result(structured))).toBe(outcome);
  });

  it("cannot be evaluated before the call ran, and is unknown where the result was not recorded", () => {
    expect(compile("result.isError").readsResult).toBe(true);
    expect(compile("args.a == 1").readsResult).toBe(false);
    expect(evaluate("result.isError")).toBe("unevaluable");
    expect(evaluate("result.isError", "{}", { stored: true, result: NOT_RECORDED })).toBe("unknown");
    expect(language.compile("result.length > 1")).toHaveProperty("problems");
  });
});

describe("a condition", () => {
  it.each([
    ["args.amount > 1000", '{"amount":1000.5}', "match"],
    ["args.amount > 1000.0", '{"amount":1001}', "match"],
    ["args.id == 9054686819491029395", '{"id":9054686819491029395}', "match"],
    ["args.id == 9054686819491029395", '{"id":9054686819491029396}', "miss"],
    ["args.ids[1] == 9007199254740993", '{"ids":[1,9007199254740993]}', "match"],
    ["args.price == 1", '{"price":1.0}', "match"],
    ["args.n / 2 == 1", '{"n":3}', "match"],
    ["args.n / 2.0 == 1.5", '{"n":3.0}', "match"],
    ['args.to.exists(x, !x.endsWith("@acme.com"))', '{"to":["a@acme.com","b@evil.com"]}', "match"],
    ['args.to.all(x, x.endsWith("@acme.com"))', '{"to":["a@acme.com","b@evil.com"]}', "miss"],
    ["args.items.map(i, i.price).filter(p, p > 2).size() == 1", '{"items":[{"price":1},{"price":3}]}', "match"],
    ["args.items.exists_one(i, i == 2)", '{"items":[2,2]}', "miss"],
    ['has(args.note) && args.note.contains("x")', "{}", "miss"],
    ['args.sql.matches("(?i)^drop +table")', '{"sql":"DROP  TABLE users"}', "match"],
    ['"money" in tool.tags && tool.server == "shop"', "{}", "match"],
    ['client.name == "claude-code" && caller.role == "operator"', "{}", "match"],
    ['time.getHours("Europe/Berlin") == 23 && time.getHours() == 22 && time.getDayOfWeek() == 1', "{}", "match"],
    ["count(5) >= 3", "{}", "match"],
    ["args.flag", '{"flag":true}', "match"],
    ["args == {'a': [1, 2.0]}", '{"a":[1.0,2]}', "match"],
    ["args.missing > 1", "{}", "unevaluable"],
    ["args.text > 1", '{"text":"a"}', "unevaluable"],
    ["args.text.startsWith(args.root)", '{"text":"a","root":null}', "unevaluable"],
    ["args.missing > 1 || args.a == 1", '{"a":1}', "match"],
    ["args.a == 1 || args.missing > 1", '{"a":1}', "match"],
    ["args.missing > 1 && args.a == 2", '{"a":1}', "miss"],
    ["args.list.exists(x, x.b > 1)", '{"list":[1,{"b":2}]}', "match"],
    ["args.n / 0 == 1", '{"n":1}', "unevaluable"],
    ["args.n * 9223372036854775807 > 0", '{"n":2}', "unevaluable"],
    ["args.__proto__ == 1", "{}", "unevaluable"],
    ['args["a-b"] == "ä".size()', '{"a-b":1}', "match"],
  ])("%s with %s: %s", (text, args, outcome) => {
    expect(evaluate(text, args)).toBe(outcome);
  });

  it.each([
    ["args.amount >", "incomplete", [13, 13]],
    ["tool.nam == 'x'", "No such key: nam", [5, 8]],
    ["args.amount + 1", "must be true or false", [0, 15]],
    ["args.list.map(a, a.map(b, b.map(c, c.map(d, d)))).size() > 1", "at most 3 levels", [35, 46]],
    ["args.a.matches(args.b)", "pattern in quotes", [0, 22]],
    ["args.a.matches('(')", "missing closing", [15, 18]],
    ["args.a.matches('(a{900}){900}')", "repeats too much", [15, 30]],
    ["cel.bind(x, 1, x == 1)", "not available", [0, 22]],
    ["args.a.split(',').size() > 1", "not available", [0, 17]],
    ["count(args.n) > 1", "number of minutes", [0, 13]],
    ["count(1441) > 1", "number of minutes", [0, 11]],
    ["time.getHours('Mars') > 1", "time zone", [14, 20]],
    ["b'a' == args.x", "not available", [0, 4]],
  ])("%s has a problem with its place", (text, message, [from, to]) => {
    const result = language.compile(text);
    expect(result).toMatchObject({ problems: [{ message: expect.stringContaining(message), from, to }] });
  });

  it("is unknown where a masked value or a fact that was not recorded decides, and only there", () => {
    const args = '{"key":"[masked:0123456789ab]","amount":5}';
    expect(evaluate('args.key == "a"', args, { stored: true })).toBe("unknown");
    expect(evaluate('args.key == "a" || args.amount == 5', args, { stored: true })).toBe("match");
    expect(evaluate('args.amount == 6 && args.key == "a"', args, { stored: true })).toBe("miss");
    expect(evaluate("has(args.key)", args, { stored: true })).toBe("match");
    expect(evaluate("args.amount == 5", "{}", { stored: true, args: NOT_RECORDED })).toBe("unknown");
    expect(evaluate('caller.role == "admin"', "{}", { caller: { role: NOT_RECORDED } })).toBe("unknown");
    expect(evaluate("count(5) > 1", "{}", { count: () => null })).toBe("unknown");
  });

  it("says what it read by its path, without what is an item of a list", () => {
    const { readValues } = compile('args.a.b > 1 && args.list.exists(x, x.c == args["d e"]) && count(5) > 1');
    expect(readValues(toFacts('{"a":{"b":9007199254740993},"list":[1],"d e":"x"}'))).toEqual({
      "args.a.b": "9007199254740993",
      "args.list": [1],
      'args["d e"]': "x",
      "count(5)": 3,
    });
  });

  const many = JSON.stringify({ l: Array.from({ length: 5_000 }, () => "a".repeat(20)) });
  it.each([
    ["nested lists", "args.l.all(a, args.l.all(b, args.l.all(c, a == b && b == c)))", many],
    [
      "lists in the condition",
      `[${"1,".repeat(120)}1].all(a, [${"1,".repeat(120)}1].all(b, [${"1,".repeat(120)}1].all(c, a == c)))`,
      "{}",
    ],
    [
      "a pattern of nested repetitions",
      'args.s.matches("^(a+)+$")',
      JSON.stringify({ s: `${"a".repeat(1_000_000)}!` }),
    ],
    ["a large pattern", `args.s.matches("(x?){200}x{200}")`, JSON.stringify({ s: "x".repeat(5_000) })],
    ["long texts in a list", "args.l.all(a, args.l.all(b, (a + b).contains(b + a)))", many],
    [
      "sums of texts",
      `args.l.all(a, ${"args.s + ".repeat(60)}a != a)`,
      JSON.stringify({ s: "a".repeat(100_000), l: [1, 2, 3] }),
    ],
  ])("ends where it takes too much work: %s", (_, text, args) => {
    const budget = { left: WORK };
    expect(compile(text).evaluate(toFacts(args), budget)).toBe("exhausted");
  });

  it("agrees with the library that parses it, on random conditions and arguments", () => {
    const peer = new Environment({ homogeneousAggregateLiterals: false, unlistedVariablesAreDyn: true });
    const integer = fc.integer({ min: -5, max: 5 }).map(String);
    const operand = fc.oneof(
      integer,
      fc.constantFrom(
        "args.a",
        "args.b",
        "args.c",
        "args.l[0]",
        "args.m.x",
        '"a"',
        '"b"',
        "1.5",
        "true",
        "args.l.size()",
      ),
    );
    const comparison = fc
      .tuple(operand, fc.constantFrom("==", "!=", "<", "<=", ">", ">="), operand)
      .map((parts) => parts.join(" "));
    const simple = fc.oneof(
      comparison,
      fc.constantFrom(
        "has(args.c)",
        'args.c.startsWith("a")',
        "args.a in args.l",
        "args.l.exists(x, x > 1)",
        "args.l.all(x, x < 3)",
      ),
    );
    const condition = fc
      .tuple(simple, fc.constantFrom("&&", "||"), simple, fc.boolean())
      .map(([left, op, right, not]) => `${not ? "!" : ""}(${left}) ${op} (${right})`);
    const value = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.constantFrom("a", "b", true, null));
    const args = fc.record(
      {
        a: value,
        b: value,
        c: value,
        l: fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 3 }),
        m: fc.record({ x: value }),
      },
      { requiredKeys: [] },
    );
    let decided = 0;
    fc.assert(
      fc.property(condition, args, (text, given) => {
        const result = language.compile(text);
        if ("problems" in result) return;
        let expected: unknown;
        try {
          expected = peer.evaluate(text, { args: toBigInts(given) });
        } catch {
          // Equality of values of two types is false by the specification, and an error in the library.
          return;
        }
        decided += 1;
        expect([text, result.condition.evaluate(toFacts(JSON.stringify(given)), { left: WORK })]).toEqual([
          text,
          expected === true ? "match" : "miss",
        ]);
      }),
      { numRuns: 3_000 },
    );
    expect(decided).toBeGreaterThan(300);
  });
});

const toBigInts = (value: unknown): unknown => {
  if (typeof value === "number") return BigInt(value);
  if (Array.isArray(value)) return value.map(toBigInts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toBigInts(each)]));
};
