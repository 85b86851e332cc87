import type { CallRuleInput } from "../../../lib/contract/call-rule";
import { isContentName } from "../../../lib/contract/execution-kind";
import type { Problem } from "../../../lib/contract/problem";
import type { LimitEffect } from "../../../lib/contract/rule-limit";
import type { ResultRedactor } from "../../engine/rules/rule-ports";

/** What is wrong with what a rule looks for in results, with the tool that it routes to, and with what it counts. */
export function listEffectProblems(
  rule: Pick<CallRuleInput, "effect" | "scope" | "caller" | "condition">,
  { checkPath, checkPattern }: Pick<ResultRedactor, "checkPath" | "checkPattern">,
): Problem[] {
  const { effect, scope } = rule;
  if (effect.kind === "limit") return effect.models === true ? listModelProblems(rule, effect) : [];
  if (effect.kind === "route") return listRouteProblems(effect.tool, scope);
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

const NOT_ROUTED =
  "only calls of tools can be routed. To keep resources, prompts or Toolroom's own tools from being used, ask or deny";

function listRouteProblems(tool: string, { tools, kinds }: CallRuleInput["scope"]): Problem[] {
  const content = tools.findIndex(isContentName);
  const wrong: readonly [isWrong: boolean, path: string, message: string][] = [
    [
      tools.length > 0 && tools.every((name) => name === tool),
      "effect.tool",
      "is the tool that the rule is about: name another one",
    ],
    [isContentName(tool), "effect.tool", "must be a tool of the catalog"],
    [kinds.some((kind) => kind !== "tool"), "scope.kinds", `must name tool alone, or nothing: ${NOT_ROUTED}`],
    [content !== -1, `scope.tools[${content}]`, `names resources or prompts of a server: ${NOT_ROUTED}`],
  ];
  return wrong.flatMap(([isWrong, path, message]) => (isWrong ? { path, message } : []));
}

/** Requests of models have a user and a run, but no tool, arguments, token or client. */
function listModelProblems(
  { scope, caller, condition }: Pick<CallRuleInput, "scope" | "caller" | "condition">,
  { measure, action, per }: LimitEffect,
): Problem[] {
  const wrong: readonly [isWrong: boolean, path: string, message: string][] = [
    [measure !== "money", "effect.measure", "must be money, where models are counted"],
    [action !== "deny", "effect.action", "must be deny, where models are counted"],
    [
      per.some((key) => key !== "user" && key !== "run"),
      "effect.per",
      "must name user or run alone, where models are counted",
    ],
    [Object.values(scope).some(({ length }) => length > 0), "scope", "must be empty, where models are counted"],
    [
      caller.tokens.length + caller.clients.length > 0,
      "caller",
      "must name no token or client, where models are counted",
    ],
    [condition !== "", "condition", "must be empty, where models are counted"],
  ];
  return wrong.flatMap(([isWrong, path, message]) => (isWrong ? { path, message } : []));
}
