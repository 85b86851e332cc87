import type { CaseCall } from "../contract/rule-case";
import { stringifyWithDigits } from "../json/number-digits";
import { formatPlural } from "./count";

const MAX_NAMES = 5;

/** `2 cases fail now: Large refunds, Small refunds`; empty for none. */
export function describeBrokenCases(names: readonly string[]): string {
  if (names.length === 0) return "";
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  const verb = names.length === 1 ? "fails" : "fail";
  return `${formatPlural(names.length, "case")} ${verb} now: ${names.slice(0, MAX_NAMES).join(", ")}${more}`;
}

/** `ask by Large refunds`: what a case expects, and what the rules do. */
export function describeOutcome({ outcome, rule }: { outcome: string; rule?: string | null | undefined }): string {
  if (outcome === "unknown") return rule ? `cannot tell, because of ${rule}` : "cannot tell";
  return rule ? `${outcome} by ${rule}` : outcome;
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
