import type { CallRuleInput } from "../../../lib/contract/call-rule";
import type {
  RuleCaseInput,
  RuleCaseResult,
  RuleTest,
  RuleTestInput,
  TestedCase,
} from "../../../lib/contract/rule-case";
import { toCaseInput } from "../../../lib/contract/rule-case";
import type { StoredCallRule } from "../../engine/rules/decide-call";
import type { CompileResult, ConditionLanguage } from "../../engine/rules/rule-ports";
import { type CaseTesterPorts, createCaseTester, type TestCase } from "../../engine/rules/test-case";
import { TimeSlice } from "../../engine/time-slice";

/** The id of a rule that is not saved yet. */
const DRAFT = "draft";
const MAX_KNOWN = 1_000;

/** Tests cases by rules, which compiles each rule once. */
export function createRuleTests({ language, findTool }: CaseTesterPorts) {
  const ports = { language: rememberConditions(language), findTool };
  let newest: { rules: readonly StoredCallRule[]; testCase: TestCase } | null = null;

  function openTester(rules: readonly StoredCallRule[]): TestCase {
    if (newest?.rules !== rules) newest = { rules, testCase: createCaseTester(rules, ports) };
    return newest.testCase;
  }

  async function testAll(
    cases: readonly RuleCaseInput[],
    testCase: TestCase,
    signal?: AbortSignal,
  ): Promise<RuleCaseResult[]> {
    const slice = new TimeSlice();
    const results: RuleCaseResult[] = [];
    for (const each of cases) {
      signal?.throwIfAborted();
      results.push(testCase(each));
      await slice.pause();
    }
    return results;
  }

  return {
    /** Runs the cases against saved rules. */
    test: (rules: readonly StoredCallRule[], cases: readonly RuleCaseInput[], signal?: AbortSignal) =>
      testAll(cases, openTester(rules), signal),

    /** Runs the cases against the rules with a change, and reports the differences. */
    async testChange(
      rules: readonly StoredCallRule[],
      cases: readonly RuleCaseInput[],
      { rule, id }: RuleTestInput,
      signal?: AbortSignal,
    ): Promise<RuleTest> {
      const before = await testAll(cases, openTester(rules), signal);
      if (rule === undefined && id === undefined) return toTest(cases, before, []);
      const renamed = { from: rules.find((each) => each.id === id)?.name, to: rule?.name };
      const following = cases.map((each) => followRule(each, renamed));
      const after = await testAll(following, createCaseTester(changeRules(rules, { rule, id }), ports), signal);
      const changed = cases.flatMap(({ name }, index) => {
        const was = before[index];
        const is = after[index];
        return was === undefined || is === undefined || isSame(was, is, renamed)
          ? []
          : [{ name, before: was, after: is }];
      });
      return toTest(following, after, changed);
    },
  };
}

type Renamed = { from: string | undefined; to: string | undefined };

/** A case that names a rule follows it to its new name, as when the rule is saved. */
function followRule(each: RuleCaseInput, { from, to }: Renamed): RuleCaseInput {
  if (from === undefined || to === undefined || each.expect.rule !== from) return each;
  return { ...each, expect: { ...each.expect, rule: to } };
}

function isSame(before: RuleCaseResult, after: RuleCaseResult, { from, to }: Renamed): boolean {
  const rule = before.rule === from && to !== undefined ? to : before.rule;
  return (
    before.status === after.status &&
    before.outcome === after.outcome &&
    rule === after.rule &&
    isSameEffects(before, after)
  );
}

const isSameEffects = (before: RuleCaseResult, after: RuleCaseResult): boolean =>
  before.effects.map(({ effect }) => effect).join() === after.effects.map(({ effect }) => effect).join();

function changeRules(rules: readonly StoredCallRule[], { rule, id }: RuleTestInput): StoredCallRule[] {
  if (rule === undefined) return rules.filter((each) => each.id !== id);
  const draft = (known?: StoredCallRule): StoredCallRule => toDraft(rule, known);
  if (id === undefined) return [...rules, draft()];
  return rules.map((each) => (each.id === id ? draft(each) : each));
}

const toDraft = (rule: CallRuleInput, known?: StoredCallRule): StoredCallRule => ({
  ...rule,
  id: known?.id ?? DRAFT,
  version: known?.version ?? 0,
});

function toTest(
  cases: readonly RuleCaseInput[],
  results: readonly RuleCaseResult[],
  changed: RuleTest["changed"],
): RuleTest {
  const tested = cases.flatMap((each, index): TestedCase[] => {
    const result = results[index];
    return result === undefined ? [] : [{ ...toCaseInput(each), result }];
  });
  const passed = tested.filter(({ result }) => result.status === "passed").length;
  return { passed, failed: tested.length - passed, cases: tested, changed };
}

/** Each draft of a rule is tested with all the other rules, whose conditions stay the same. */
export function rememberConditions(language: ConditionLanguage): ConditionLanguage {
  const known = new Map<string, CompileResult>();
  return {
    ...language,
    compile(text) {
      const result = known.get(text) ?? language.compile(text);
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(text, result);
      return result;
    },
  };
}
