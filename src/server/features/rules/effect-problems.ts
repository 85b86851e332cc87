import type { RuleEffect } from "../../../lib/contract/call-rule";
import type { Problem } from "../../../lib/contract/problem";
import type { ResultRedactor } from "../../engine/rules/rule-ports";

/** What is wrong with what a rule looks for in results. */
export function listEffectProblems(
  effect: RuleEffect,
  { checkPath, checkPattern }: Pick<ResultRedactor, "checkPath" | "checkPattern">,
): Problem[] {
  if (effect.kind !== "redact" && effect.kind !== "block") return [];
  const paths = effect.kind === "redact" ? effect.paths : [];
  const { presets, patterns } = effect;
  if (effect.kind === "redact" && paths.length + presets.length + patterns.length === 0) {
    return [{ path: "effect.paths", message: "name a path, a kind of text or a pattern to redact" }];
  }
  return [
    ...paths.map((path, index) => ({ path: `effect.paths[${index}]`, message: checkPath(path) })),
    ...patterns.map((pattern, index) => ({ path: `effect.patterns[${index}]`, message: checkPattern(pattern) })),
  ].flatMap(({ path, message }) => (message === null ? [] : { path, message }));
}
