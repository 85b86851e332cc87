import type { Permission } from "./access";
import { findApproverRule } from "./approver";
import type { CallRuleInput, RuleEffect } from "./call-rule";
import { isDecision } from "./call-rule-words";

type Placed = CallRuleInput & { id: string };

/** Rules of which an editor could take a right that only admins have: to let calls run unasked, to say who may approve, to send data out and to run another tool. */
function isGuarded({ state, effect }: CallRuleInput): boolean {
  if (effect.kind === "hook" || effect.kind === "route") return true;
  if (state !== "on") return false;
  return effect.kind === "allow" || namesApprover(effect);
}

function namesApprover(effect: RuleEffect): boolean {
  const asks = effect.kind === "ask" || (effect.kind === "limit" && effect.action === "ask");
  return asks && findApproverRule(effect.approver) !== null;
}

const toText = ({ id, scope, caller, condition, fallback, effect }: Placed): string =>
  JSON.stringify([id, scope, caller, condition, fallback, effect]);

/** Rules that any operator approves, before one that names who may: the calls that both match lose that approver. */
function listWeakened(rules: readonly Placed[]): string[] {
  return rules.flatMap((rule, index) =>
    rule.state === "on" && rule.effect.kind === "ask" && !isGuarded(rule)
      ? rules
          .slice(index + 1)
          .filter((later) => later.effect.kind === "ask" && isGuarded(later))
          .map((later) => `${toText(rule)} ${later.id}`)
      : [],
  );
}

/** Rules before one that lets calls run: without them it lets more calls run. */
function listBeforeAllowed(rules: readonly Placed[]): string[] {
  const isOn = ({ state }: Placed): boolean => state === "on";
  return rules.flatMap((rule, index) =>
    isOn(rule) && rule.effect.kind === "allow"
      ? rules
          .slice(0, index)
          .filter((earlier) => isOn(earlier) && isDecision(earlier.effect.kind) && earlier.effect.kind !== "allow")
          .map((earlier) => `${toText(earlier)} ${rule.id}`)
      : [],
  );
}

/**
 * The permission to replace the rules. A toolset that lets calls run without approval and a setting that names an
 * approver require the same one.
 */
export function permissionForRules(before: readonly Placed[], after: readonly Placed[]): Permission {
  const toGuarded = (rules: readonly Placed[]): string =>
    rules
      .filter(isGuarded)
      .map((rule) => `${rule.state} ${toText(rule)}`)
      .join("\n");
  if (toGuarded(before) !== toGuarded(after)) return "administer";
  const kept = new Set(listBeforeAllowed(after));
  if (!listBeforeAllowed(before).every((each) => kept.has(each))) return "administer";
  const known = new Set(listWeakened(before));
  return listWeakened(after).every((each) => known.has(each)) ? "edit" : "administer";
}
