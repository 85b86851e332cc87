import type { ImportEntry } from "../../../lib/contract/catalog-file";
import { isPlainObject } from "../../../lib/contract/json";
import type { Problem } from "../../../lib/contract/problem";
import { type RuleCaseInput, toCaseInput } from "../../../lib/contract/rule-case";
import { equalDigits } from "../../../lib/json/number-digits";
import { changedKeys } from "./compare-entries";
import { freeName } from "./plan-servers";
import type { SharedRuleCases } from "./sharing-ports";
import type { BatchRuleCase } from "./sharing-store";

export interface PlannedRuleCase {
  entry: ImportEntry;
  /** Null for an invalid one. */
  case: RuleCaseInput | null;
  before: BatchRuleCase["before"];
}

/** Compares a case of a file with the known ones. */
export function planRuleCase(
  ruleCases: SharedRuleCases,
  candidate: unknown,
  position: number,
  isTaken: (name: string) => boolean,
): PlannedRuleCase {
  const given = isPlainObject(candidate) && Object.hasOwn(candidate, "name") ? candidate.name : null;
  const name = typeof given === "string" && given !== "" ? given : `ruleCases[${position}]`;
  const entry: ImportEntry = {
    kind: "case",
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
    freeName: freeName(name, "case", isTaken),
  };
  const read = ruleCases.read(candidate);
  if ("problems" in read) return { entry: { ...entry, problems: read.problems }, case: null, before: null };
  const known = ruleCases.findNamed(read.case.name);
  if (known === null) return { entry: { ...entry, status: "add" }, case: read.case, before: null };
  const details = listChanges(toCaseInput(known), read.case);
  const before = { id: known.id, revision: known.lastEdit.revision };
  return { entry: { ...entry, status: details.length === 0 ? "same" : "change", details }, case: read.case, before };
}

function listChanges(was: RuleCaseInput, is: RuleCaseInput): string[] {
  const keys = changedKeys(was, is);
  const isSameCall = keys.includes("call") || equalDigits(was.call.arguments, is.call.arguments);
  return [...keys, ...(isSameCall ? [] : ["call"])].map((key) => `${key} changed`);
}

/** The case that an import writes, under its new name and with the new name of the rule that it expects. */
export function toBatchRuleCase(
  ruleCases: SharedRuleCases,
  { case: planned, before }: PlannedRuleCase,
  { name, isNew, renamedRules }: { name: string; isNew: boolean; renamedRules: ReadonlyMap<string, string> },
): BatchRuleCase | { problems: Problem[] } {
  const { rule } = planned?.expect ?? {};
  const renamed = rule === undefined ? undefined : renamedRules.get(rule);
  const expect = renamed === undefined ? planned?.expect : { ...planned?.expect, rule: renamed };
  const read = ruleCases.read({ ...planned, name, expect });
  if ("problems" in read) return read;
  return { case: read.case, before: isNew ? null : before };
}
