import fc from "fast-check";
import { ROLES } from "../../../lib/contract/access";
import { callRuleInputSchema } from "../../../lib/contract/call-rule";
import { RULE_DECISIONS } from "../../../lib/contract/call-rule-words";
import type { StoredCallRule } from "../../engine/rules/decide-call";
import { createConditionLanguage } from "../../platform/conditions/condition-language";

/** JSON texts as programs send them: with digits, exponents, spaces and keys that need quotes. */
const scalarText = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map(String),
  fc.constantFrom("1.0", "1e0", "-0", "0.1", "9007199254740993", "9054686819491029395", "12345678901234567890123"),
  fc.constantFrom('"a"', '"ab"', '"ä"', '"[masked:x]"', "true", "false", "null", '"hunter22"'),
);
const valueText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: scalarText },
  { weight: 1, arbitrary: fc.array(scalarText, { maxLength: 4 }).map((items) => `[${items.join(", ")}]`) },
  { weight: 1, arbitrary: scalarText.map((text) => `{"x":${text}}`) },
);
export const argumentsText = fc
  .uniqueArray(fc.tuple(fc.constantFrom("a", "b", "l", "m", "secret", "d-e"), valueText), {
    selector: ([key]) => key,
    maxLength: 5,
  })
  .map((members) => `{${members.map(([key, text]) => `"${key}" : ${text}`).join(",")}}`);

const OPERANDS = [
  "args.a",
  "args.b",
  "args.l[0]",
  "args.m.x",
  'args["d-e"]',
  "args.secret",
  "1",
  "1.0",
  '"a"',
  "true",
  "count(5)",
  "9054686819491029395",
  "9007199254740993",
  "args.l.size()",
  "caller.role",
  "caller.id",
  "tool.name",
  "client.name",
] as const;
const operand = fc.constantFrom(...OPERANDS);
const test = fc.oneof(
  fc.tuple(operand, fc.constantFrom("==", "!=", "<", ">="), operand).map((parts) => parts.join(" ")),
  fc.constantFrom('"money" in tool.tags', "has(args.a)", "args.l.exists(x, x == 1)", "args.l.all(x, x > 0)"),
  fc.constantFrom('args.a.startsWith("a")', 'args.b.matches("^a+$")', "args.secret == args.a", "args.a in args.l"),
);
const condition = fc.oneof(
  fc.constant(""),
  test,
  fc.tuple(test, fc.constantFrom("&&", "||"), test).map(([left, op, right]) => `(${left}) ${op} (${right})`),
  test.map((text) => `!(${text})`),
);
/** Mostly no limit, so that many rules match. */
const some = <Value>(...values: Value[]): fc.Arbitrary<Value[]> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<Value[]>([]) },
    { weight: 1, arbitrary: fc.subarray(values, { minLength: 1, maxLength: 1 }) },
  );
export const rule = fc.record({
  name: fc.constant("r"),
  state: fc.constantFrom("on", "on", "record"),
  scope: fc.record({
    tools: some("pay_*", "refund", "*invoice"),
    servers: some("shop"),
    toolsets: some("desk", "d*k"),
    tags: some("daily", "none"),
    kinds: some("tool" as const, "resource" as const),
  }),
  caller: fc.record({
    users: some("ada", "Eve*"),
    roles: some("admin", "viewer"),
    tokens: some("token_1"),
    clients: some("claude*"),
    sources: some("gateway", "api"),
  }),
  condition,
  fallback: fc.constantFrom("skip", "match"),
  effect: fc.constantFrom(...RULE_DECISIONS).map((kind) => (kind === "deny" ? { kind, reason: "no" } : { kind })),
});
export const caller = fc.record({
  actor: fc.constantFrom({ id: "ada", name: "Ada" }, { id: "u2", name: "Eve Online" }),
  role: fc.constantFrom(...ROLES),
  client: fc.constantFrom(undefined, "claude-code/1.0", "curl"),
  source: fc.constantFrom("gateway" as const, "api" as const),
  toolset: fc.constantFrom(undefined, "desk"),
  tokenId: fc.constantFrom(undefined, "token_1"),
});

/** Rules as they are stored. */
export const readRules = (rules: readonly object[]): StoredCallRule[] =>
  rules.map((each, index) => ({ ...callRuleInputSchema.parse(each), id: `rule_${index}`, version: 1 }));

const language = createConditionLanguage();

/** @param each of a rule, with any effect */
export const buildRules = <Rule extends { condition: string }>(each: fc.Arbitrary<Rule>, maxLength: number) =>
  fc
    .array(each, { minLength: 1, maxLength })
    .filter((rules) => rules.every(({ condition }) => condition === "" || "condition" in language.compile(condition)));

export const compilable = buildRules(rule, 3);
