import { type CallRule, type CallRuleInput, toRuleInput } from "../../../lib/contract/call-rule";
import type { ImportEntry } from "../../../lib/contract/catalog-file";
import { isPlainObject } from "../../../lib/contract/json";
import type { Problem } from "../../../lib/contract/problem";
import { changedKeys } from "./compare-entries";
import { freeName } from "./plan-servers";
import type { SharedRules } from "./sharing-ports";
import type { BatchRule } from "./sharing-store";

export interface PlannedRule {
  entry: ImportEntry;
  /** Null for an invalid one. */
  rule: CallRuleInput | null;
  before: Pick<CallRule, "id" | "version"> | null;
}

/** Compares a rule of a file with the known ones. A new one becomes the last; one that is known keeps its position. */
export function planRule(
  rules: SharedRules,
  candidate: unknown,
  position: number,
  isTaken: (name: string) => boolean,
): PlannedRule {
  const given = isPlainObject(candidate) && Object.hasOwn(candidate, "name") ? candidate.name : null;
  const name = typeof given === "string" && given !== "" ? given : `rules[${position}]`;
  const entry: ImportEntry = {
    kind: "rule",
    position,
    name: name.slice(0, 200),
    status: "invalid",
    problems: [],
    notes: [],
    conflict: null,
    details: [],
    breaking: false,
    target: null,
    secrets: [],
    denied: null,
    needs: "edit",
    freeName: freeName(name, "rule", isTaken),
  };
  const read = rules.read(candidate);
  if ("problems" in read) return { entry: { ...entry, problems: read.problems }, rule: null, before: null };
  const { rule } = read;
  const known = rules.findNamed(rule.name);
  if (rule.effect.kind === "hook" && known?.effect.kind !== "hook") {
    entry.notes.push("effect: its hook gets a new signing secret, which is shown when it is replaced");
  }
  if (rule.state === "on" && rule.effect.kind === "allow") {
    entry.notes.push("effect: calls that it matches will not require approval");
  }
  entry.needs = rules.permissionFor(known === null ? { created: rule } : { id: known.id, input: rule });
  if (known === null) return { entry: { ...entry, status: "add" }, rule, before: null };
  const details = changedKeys(toRuleInput(known), rule).map((key) => `${key} changed`);
  const before = { id: known.id, version: known.version };
  return { entry: { ...entry, status: details.length === 0 ? "same" : "change", details }, rule, before };
}

/** The rule that an import writes, under its new name. */
export function toBatchRule(
  rules: SharedRules,
  { rule, before }: PlannedRule,
  { name, isNew }: { name: string; isNew: boolean },
): BatchRule | { problems: Problem[] } {
  const read = rules.read(rule === null ? null : { ...rule, name });
  if ("problems" in read) return read;
  return { rule: read.rule, before: isNew ? null : before };
}
