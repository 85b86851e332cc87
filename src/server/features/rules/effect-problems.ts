import type { CallRuleInput } from "../../../lib/contract/call-rule";
import type { Problem } from "../../../lib/contract/problem";
import type { ResultRedactor } from "../../engine/rules/rule-ports";

/** What is wrong with what a rule looks for in results, and with the tool that it routes to. */
export function listEffectProblems(
  { effect, scope }: Pick<CallRuleInput, "effect" | "scope">,
  { checkPath, checkPattern }: Pick<ResultRedactor, "checkPath" | "checkPattern">,
): Problem[] {
  if (effect.kind === "route" && scope.tools.length > 0 && scope.tools.every((name) => name === effect.tool)) {
    return [{ path: "effect.tool", message: "is the tool that the rule is about: name another one" }];
  }
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
