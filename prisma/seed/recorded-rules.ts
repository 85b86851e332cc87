import type { RuleMatch } from "../../src/lib/contract/rule-match";
import { getServerName } from "../../src/lib/contract/tool-definition";
import type { ExecutionStart } from "../../src/server/engine/ports";
import { compileRules, type StoredCallRule, toMatches } from "../../src/server/engine/rules/decide-call";
import { createConditionLanguage } from "../../src/server/platform/conditions/condition-language";

/** Says of past calls which of the rules that only record would have matched them: these calls ran, so no other rule did. */
export function createRuleRecorder(rules: readonly StoredCallRule[]): (start: ExecutionStart) => ExecutionStart {
  const recording = compileRules(
    rules.filter(({ state }) => state === "record"),
    { language: createConditionLanguage() },
  );
  return (start) => {
    const { toolName, actor, source, client, definition, queuedAt, argumentsText } = start;
    if (recording.isEmpty || definition === null) return start;
    const decision = recording.decide({
      toolName,
      actor,
      source,
      client,
      serverName: getServerName(definition),
      toolset: null,
      tags: definition.tags ?? [],
      role: null,
      tokenId: null,
      stored: true,
      kind: "tool",
      canWait: true,
      at: queuedAt,
      readArguments: () => JSON.parse(argumentsText) as unknown,
      count: () => null,
    });
    const ruleMatches = toMatches(decision, ({ condition, facts }) =>
      condition === null ? {} : (condition.readValues(facts) as RuleMatch["values"]),
    );
    return ruleMatches.length === 0 ? start : { ...start, ruleMatches };
  };
}

/** US dollars a call by tool, of rules with a fixed price. */
export function readPrices(rules: readonly StoredCallRule[]): ReadonlyMap<string, number> {
  return new Map(
    rules.flatMap(({ effect, state, scope }) => {
      const price = effect.kind === "price" && state === "on" ? Number(effect.price) : Number.NaN;
      return Number.isNaN(price) ? [] : scope.tools.map((tool): [string, number] => [tool, price]);
    }),
  );
}
