import type { JsonValue } from "../../../lib/contract/json";
import type { RuleCaseInput, RuleCaseResult } from "../../../lib/contract/rule-case";
import { compileScope, type RuledCall, type StoredCallRule, toFacts } from "./decide-call";
import { type ConditionFacts, type ConditionLanguage, NOT_RECORDED } from "./rule-ports";

/** Rules of which the values are shown where no rule decides a call that one should. */
const MAX_EXPLAINED = 3;

export function explainUnknown(rule: StoredCallRule, call: RuledCall, language: ConditionLanguage): string {
  const missing = listMissingFacts(rule, call, language);
  const facts = missing.length === 0 ? "a fact" : missing.map((name) => `'call.${name}'`).join(", ");
  return `The rule '${rule.name}' depends on ${facts}, which the case does not give: add it`;
}

/** The facts that a rule reads and a case does not give, as a case names them. */
export function listMissingFacts(
  { scope, caller, condition, effect }: StoredCallRule,
  call: RuledCall,
  language: ConditionLanguage,
): string[] {
  const result = condition === "" ? null : language.compile(condition);
  const paths =
    result !== null && "condition" in result
      ? Object.keys(result.condition.readValues(toReadFacts(toFacts(call))))
      : [];
  const reads = (path: string): boolean => paths.some((each) => each === path || each.startsWith(`${path}(`));
  // A rule that neither allows nor routes may also name users.
  const isNamed =
    effect.kind !== "allow" && effect.kind !== "route" && caller.users.length > 0 && call.actor.id !== NOT_RECORDED;
  const facts: [name: string, isMissing: boolean, isRead: boolean][] = [
    ["server", call.serverName === NOT_RECORDED, scope.servers.length > 0 || reads("tool.server")],
    ["tags", call.tags === NOT_RECORDED, scope.tags.length > 0 || reads("tool.tags")],
    ["caller.id", call.actor.id === NOT_RECORDED, caller.users.length > 0 || reads("caller.id")],
    ["caller.name", call.actor.name === NOT_RECORDED, isNamed || reads("caller.name")],
    ["caller.role", call.role === null, caller.roles.length > 0 || reads("caller.role")],
    ["source", call.source === NOT_RECORDED, caller.sources.length > 0 || reads("caller.source")],
    ["time", call.at === null, reads("time")],
    ["count", call.count(1) === null, reads("count")],
  ];
  return facts.flatMap(([name, isMissing, isRead]) => (isMissing && isRead ? [name] : []));
}

export function explainUnevaluable({ name, effect }: StoredCallRule, isDecisive: boolean): string {
  const then = isDecisive ? `it matches (${effect.kind})` : "it is skipped";
  return `The condition of the rule '${name}' cannot be evaluated, since a field is missing, types do not fit or it takes too much work: ${then}`;
}

export interface Explained {
  decisive: StoredCallRule | null;
  wanted: StoredCallRule | null | undefined;
  expect: RuleCaseInput["expect"];
}

/** The rule that decides and the one that should; where neither is known, the first that could. */
export function chooseExplained(
  rules: readonly StoredCallRule[],
  { decisive, wanted, expect }: Explained,
): StoredCallRule[] {
  const known = [decisive, wanted].filter((rule) => rule !== null && rule !== undefined);
  if (known.length > 0) return [...new Set(known)];
  return rules.filter(({ state, effect }) => state === "on" && effect.kind === expect.outcome);
}

export function readValues(
  rules: readonly StoredCallRule[],
  call: RuledCall,
  language: ConditionLanguage,
): RuleCaseResult["read"] {
  const facts = toFacts(call);
  const inScope = rules.filter((rule) => rule.condition !== "" && compileScope(rule)(call) !== false);
  return inScope.slice(0, MAX_EXPLAINED).flatMap((rule) => {
    const result = language.compile(rule.condition);
    if ("problems" in result) return [];
    return [{ rule: rule.name, values: result.condition.readValues(facts) as Record<string, JsonValue> }];
  });
}

/** Facts with a placeholder for each unknown value, so that a condition reads all the paths that it names. */
function toReadFacts({ tool, caller, client, stored, args }: ConditionFacts): ConditionFacts {
  return { tool: fill(tool), caller: fill(caller), client, stored, args, at: 0, count: () => 0 };
}

function fill(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, value === NOT_RECORDED ? null : value]),
  );
}
