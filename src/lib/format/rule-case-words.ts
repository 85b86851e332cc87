import type { CaseCall } from "../contract/rule-case";
import { stringifyWithDigits } from "../json/number-digits";
import { formatPlural } from "./count";

const MAX_NAMES = 5;

/** Names the broken cases: `2 cases fail now: Large refunds, Small refunds`; empty for none. */
export function describeBrokenCases(names: readonly string[]): string {
  if (names.length === 0) return "";
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  const verb = names.length === 1 ? "fails" : "fail";
  return `${formatPlural(names.length, "case")} ${verb} now: ${names.slice(0, MAX_NAMES).join(", ")}${more}`;
}

interface DescribedOutcome {
  outcome: string;
  rule?: string | null | undefined;
  effects?: readonly (string | { effect: string })[] | undefined;
}

/** The expected and the actual outcome: `ask by Large refunds, with hook`. */
export function describeOutcome({ outcome, rule, effects = [] }: DescribedOutcome): string {
  const kinds = new Set(effects.map((each) => (typeof each === "string" ? each : each.effect)));
  const added = kinds.size === 0 ? "" : `, with ${[...kinds].join(" and ")}`;
  if (outcome === "unknown") return rule ? `cannot tell, because of ${rule}` : "cannot tell";
  return `${rule ? `${outcome} by ${rule}` : outcome}${added}`;
}

/** `pay {"amount":900} by operator, from claude-code, through desk`: a call in one line. */
export function describeCaseCall({ tool, arguments: args, caller, client, source, toolset }: CaseCall): string {
  const who = caller?.name ?? caller?.id ?? caller?.role;
  const parts = [
    who !== undefined && `by ${who}`,
    client && `from ${client}`,
    source !== undefined && `over ${source}`,
    toolset && `through ${toolset}`,
  ].filter(Boolean);
  return `${tool} ${stringifyWithDigits(args)} ${parts.join(", ")}`.trim();
}
