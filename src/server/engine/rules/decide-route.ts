import type { CompiledRules, RuleDecision, RuledCall, RuleHit } from "./decide-call";
import type { NotRecorded } from "./rule-ports";

/** The facts that rules read of the tool that a route names. */
export interface RouteTarget {
  toolName: string;
  serverName: string | null | NotRecorded;
  tags: readonly string[] | NotRecorded;
}

/** The route that applies to a call: the first one. A call that is denied is not routed. */
export function findRoute({ decisive, added }: RuleDecision): RuleHit | null {
  if (getKind(decisive) === "deny") return null;
  return added.find(({ rule }) => rule.effect.kind === "route") ?? null;
}

/** The call as rules read it for the tool that it is routed to. */
export function toRouted(call: RuledCall, { toolName, serverName, tags }: RouteTarget): RuledCall {
  return { ...call, toolName, serverName, tags };
}

/**
 * The stricter decision of the rules about the called tool and about the tool that runs. The other effects of both
 * apply, each rule once, except that only the tool that runs has a price.
 */
export function joinDecisions(from: RuleDecision, to: RuleDecision, route: RuleHit): RuleDecision {
  const isOther = ({ rule }: RuleHit): boolean => rule.effect.kind === "route" && rule.id !== route.rule.id;
  const applied = new Set(to.added.map(({ rule }) => rule.id));
  const kept = from.added.filter((hit) => hit.rule.effect.kind !== "price" || applied.has(hit.rule.id));
  const added = join(kept, to.added).filter((hit) => !isOther(hit));
  const toRecorded = to.recorded.filter(({ rule }) => rule.effect.kind !== "route");
  const isStricter = rank(to.decisive) > rank(from.decisive);
  const [decisive, second] = isStricter ? [to.decisive, from.decisive] : [from.decisive, to.decisive];
  const allows = { from: getKind(from.decisive) === "allow", to: getKind(to.decisive) === "allow" };
  return {
    decisive,
    added,
    recorded: join(from.recorded, toRecorded),
    unknown: from.unknown ?? to.unknown,
    routed: { route, allows, decisive: getId(second) === getId(decisive) ? null : second },
  };
}

/** How much a decision keeps calls from running. A rule that lets calls of one of the tools run decides nothing about the other. */
function rank(decisive: RuleDecision["decisive"]): number {
  if (decisive === null) return 1;
  if (decisive === "unknown") return 3;
  return { allow: 0, ask: 2, deny: 4 }[getKind(decisive) as "allow" | "ask" | "deny"];
}

const getKind = (decisive: RuleDecision["decisive"]): string | null =>
  decisive === null || decisive === "unknown" ? null : decisive.rule.effect.kind;

const getId = (decisive: RuleDecision["decisive"]): string | null =>
  decisive === null || decisive === "unknown" ? decisive : decisive.rule.id;

function join(first: readonly RuleHit[], second: readonly RuleHit[]): RuleHit[] {
  const known = new Set(first.map(({ rule }) => rule.id));
  return first.concat(second.filter(({ rule }) => !known.has(rule.id)));
}

/** Decides about a recorded call or a case, as `CallRules` does about a live one. @param findTool null for a tool that does not exist: the route then denies the call */
export function decideRouted(
  rules: Pick<CompiledRules, "decide">,
  call: RuledCall,
  findTool: (name: string) => RouteTarget | null,
): RuleDecision {
  const decision = rules.decide(call);
  const route = decision.added.length === 0 ? null : findRoute(decision);
  if (route === null || route.rule.effect.kind !== "route") return decision;
  const target = findTool(route.rule.effect.tool);
  if (target === null) return { ...decision, decisive: route, added: decision.added.filter((hit) => hit !== route) };
  return joinDecisions(decision, rules.decide(toRouted(call, target)), route);
}
