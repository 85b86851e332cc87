import type { ApprovalMode } from "../../../lib/contract/approval";
import { joinModes } from "../../../lib/contract/approver";
import { isCounted } from "../../../lib/contract/call-class";
import { isDecision, isResultEffect, type RuleStep } from "../../../lib/contract/call-rule-words";
import type { JsonValue } from "../../../lib/contract/json";
import type { ExplainedLimit, ExplainedRule } from "../../../lib/contract/rule-explanation";
import type { CountCalls } from "./call-counts";
import {
  type CompiledRule,
  compileRules,
  type RuleDecision,
  type RuledCall,
  type RuleHit,
  type StoredCallRule,
  toFacts,
  toMatches,
} from "./decide-call";
import { ResultCandidates } from "./decide-result";
import { decideRouted, type RouteTarget, toRouted } from "./decide-route";
import { listMissingFacts } from "./explain-case";
import { describeRefusal } from "./limits/describe-limit";
import type { LimitSlot } from "./limits/limit-ports";
import { type CountedCall, type LimitRule, readKey, toAmount, toSlot } from "./limits/limit-slot";
import { countUsed, findFreeAt, type Usage } from "./limits/sliding-usage";
import { evaluatePrice } from "./prices/price-effects";
import { type ConditionFacts, type ConditionLanguage, NOT_RECORDED } from "./rule-ports";

export interface ExplainPorts {
  language: ConditionLanguage;
  /** Reads the use of a limit; counts nothing. */
  findUsage: (slot: LimitSlot) => Usage | Promise<Usage>;
  /** The calls before this one, for conditions that count; not read where `call.count` is given. */
  openCount: ((minutes: number) => CountCalls | Promise<CountCalls>) | null;
  /** The tool that a rule routes a call to; null where it does not exist. */
  findTool: (name: string) => RouteTarget | null;
  /** The run of an agent that makes the call; null without one. */
  runId: string | null;
  now: number;
  /** The arguments in stored form, from which values of conditions are read. */
  readMasked: () => unknown;
}

/** The explanation of what rules do with a call before it runs. */
export interface ExplainedDecision {
  outcome: "none" | "allow" | "ask" | "deny" | "unknown";
  /** The name of the rule that decides; null where none does. */
  rule: string | null;
  /** A limit that has no room, for which the call waits first; null where it does not. */
  waitsFor: string | null;
  message: string | null;
  /** The approver that rules and limits ask for. */
  approver: ApprovalMode | null;
  /** The tool that runs in place of the one that is called, and of which of both rules lift the settings. */
  route: { tool: string; lifted: { from: boolean; to: boolean } } | null;
  rules: Omit<ExplainedRule, "position">[];
}

/** The steps of `CallRules` and `LimitEffects`, which count nothing here. */
export async function explainCall(
  rules: readonly StoredCallRule[],
  given: RuledCall,
  ports: ExplainPorts,
): Promise<ExplainedDecision> {
  const unevaluable = new Set<string>();
  const compiled = compileRules(rules, { language: ports.language, onUnevaluable: (id) => unevaluable.add(id) });
  const routes = rules.flatMap(({ state, effect }) => (state === "on" && effect.kind === "route" ? effect.tool : []));
  const targets = routes.flatMap((name) => ports.findTool(name) ?? []);
  const possible = [given].concat(targets.map((target) => toRouted(given, target)));
  const minutes = Math.max(...possible.map((each) => compiled.findCountMinutes(each)));
  const count = minutes === 0 ? undefined : await ports.openCount?.(minutes);
  const call = count === undefined ? given : { ...given, count };
  const traced = new Map<string, Traced>();
  // Rules are read for both tools of a routed call: what a rule does about either counts.
  const trace = (each: CompiledRule, step: RuleStep): void => {
    const known = traced.get(each.rule.id);
    if (known === undefined || rankStep(step) > rankStep(known.step))
      traced.set(each.rule.id, { compiled: each, step });
  };
  const decision = decideRouted({ decide: (each) => compiled.decide(each, trace) }, call, ports.findTool);
  const route = readRoute(decision);
  // Only one of two tools has a price, and only the first route applies.
  const applied = new Set(toMatches(decision, () => ({})).map(({ ruleId }) => ruleId));
  for (const [id, { compiled: each, step }] of traced) {
    if (step === "match" && !applied.has(id)) traced.set(id, { compiled: each, step: "not_reached" });
  }
  const target = route === null ? null : ports.findTool(route.tool);
  const calls = target === null ? [call] : [call, toRouted(call, target)];
  // Checks and tests receive unchanged results.
  const isGuarded = call.source === NOT_RECORDED || isCounted(call.source);
  const ended = calls.map((each) => ({ ...each, readResult: () => NOT_RECORDED }));
  if (isGuarded) void new ResultCandidates(compiled, ended, trace);
  const notes = new Notes();
  const decided = await applyDecision(decision, call, ports, notes);
  const end = decided.outcome === "deny" ? decided : (findOpen(traced, call, ports) ?? decided);
  const hook = end.outcome === "deny" || end.outcome === "unknown" ? undefined : decision.added.find(isHook);
  const masked: ConditionFacts = toFacts({ ...call, readArguments: ports.readMasked });
  const isUnreached = ({ id, effect }: StoredCallRule): boolean =>
    notes.unreached.has(id) || (end.outcome === "deny" && isResultEffect(effect.kind));
  return {
    outcome: end.outcome,
    rule: end.rule,
    waitsFor: end.waitsFor,
    message: hook === undefined ? end.message : `The hook of rule ${hook.rule.name} is asked first, and may deny it`,
    approver: end.approver,
    route: end.outcome === "deny" ? null : route,
    rules: rules.map((rule) => {
      const { compiled: each, step } = traced.get(rule.id) ?? { step: rule.state === "off" ? "off" : "out_of_scope" };
      const isRead = step !== "off" && step !== "out_of_scope" && step !== "not_reached";
      const values = isRead ? each?.condition?.readValues(masked) : undefined;
      return {
        id: rule.id,
        name: rule.name,
        effect: rule.effect,
        recordOnly: rule.state === "record",
        step: isUnreached(rule) && step !== "off" ? "not_reached" : step,
        notEvaluated: unevaluable.has(rule.id),
        decides: end.deciders.includes(rule.id),
        values: (values ?? {}) as Record<string, JsonValue>,
        ...notes.facts.get(rule.id),
      };
    }),
  };
}

interface Traced {
  compiled?: CompiledRule;
  step: RuleStep;
}

const isHook = ({ rule }: RuleHit): boolean => rule.effect.kind === "hook";

const STEPS_BY_RANK: readonly RuleStep[] = ["off", "out_of_scope", "not_reached", "miss", "unknown", "result", "match"];
const rankStep = (step: RuleStep): number => STEPS_BY_RANK.indexOf(step);

function readRoute({ routed }: RuleDecision): ExplainedDecision["route"] {
  const effect = routed?.route.rule.effect;
  return routed === undefined || effect?.kind !== "route" ? null : { tool: effect.tool, lifted: routed.allows };
}

/** The findings about single rules. */
class Notes {
  readonly facts = new Map<string, { limit?: ExplainedLimit; price?: number | null }>();
  readonly unreached = new Set<string>();
}

type End = Omit<ExplainedDecision, "rules" | "route"> & { deciders: readonly string[] };

/** A limit of which it is not known whether the call meets it may refuse the call. */
function findOpen(traced: ReadonlyMap<string, Traced>, call: RuledCall, { language }: ExplainPorts): End | null {
  for (const { compiled, step } of traced.values()) {
    const rule = compiled?.rule;
    if (step === "unknown" && rule?.state === "on" && (rule.effect.kind === "limit" || isDecision(rule.effect.kind))) {
      return toUnknown(rule, call, language);
    }
  }
  return null;
}

const toUnknown = (rule: StoredCallRule, call: RuledCall, language: ConditionLanguage): End => ({
  outcome: "unknown",
  rule: rule.name,
  waitsFor: null,
  message: explainMissing(rule, call, language),
  approver: null,
  deciders: [rule.id],
});

const NOTHING: End = {
  outcome: "none",
  rule: null,
  waitsFor: null,
  message: null,
  approver: null,
  deciders: [],
};

/** Applies a decision as `CallRules` does. */
async function applyDecision(
  { decisive, added, recorded, unknown, routed }: RuleDecision,
  call: RuledCall,
  ports: ExplainPorts,
  notes: Notes,
): Promise<End> {
  const rest = [...added, ...recorded.filter(({ rule }) => !isDecision(rule.effect.kind))];
  if (decisive === "unknown") {
    for (const hit of rest) await noteState(hit, call, ports, notes);
    return unknown === null ? NOTHING : toUnknown(unknown, call, ports.language);
  }
  const decided = decisive?.rule ?? null;
  const effect = decided?.effect ?? null;
  if (decided !== null && effect?.kind === "deny") {
    for (const hit of rest) notes.unreached.add(hit.rule.id);
    const message = `Denied by rule ${decided.name}: ${effect.reason}`;
    return { ...NOTHING, outcome: "deny", rule: decided.name, message, deciders: [decided.id] };
  }
  if (decided !== null && effect?.kind === "route") {
    const message = `Denied by rule ${decided.name}: it routes the call to '${effect.tool}', which does not exist`;
    return { ...NOTHING, outcome: "deny", rule: decided.name, message, deciders: [decided.id] };
  }
  const second = routed?.decisive == null || routed.decisive === "unknown" ? null : routed.decisive.rule;
  const secondEffect = second?.effect.kind === "ask" ? second.effect : null;
  const start: End = {
    ...NOTHING,
    outcome: effect?.kind === "allow" || effect?.kind === "ask" ? effect.kind : "none",
    rule: decided?.name ?? null,
    approver: effect?.kind === "ask" ? joinModes(effect.approver, secondEffect?.approver ?? null) : null,
    deciders: [decided, secondEffect === null ? null : second].flatMap((each) =>
      each === null ? [] : (each?.id ?? []),
    ),
  };
  for (const hit of rest) notePrice(hit, ports, notes);
  return await applyLimits(start, { added, recorded }, call, ports, notes);
}

/**
 * Applies limits like `LimitEffects`: limits that wait come last, and the first one that is full and refuses ends the
 * call.
 */
async function applyLimits(
  start: End,
  { added, recorded }: Pick<RuleDecision, "added" | "recorded">,
  call: RuledCall,
  ports: ExplainPorts,
  notes: Notes,
): Promise<End> {
  const limits = added.flatMap(toLimitRule);
  const ordered = [
    ...limits.filter(({ effect }) => effect.action !== "wait"),
    ...limits.filter(({ effect }) => effect.action === "wait"),
    ...recorded.flatMap(toLimitRule),
  ];
  let end = start;
  for (const [at, rule] of ordered.entries()) {
    const state = await readLimit(rule, call, ports);
    notes.facts.set(rule.id, { limit: state });
    if (state.freeAt === null || at >= limits.length) continue;
    const { action, approver } = rule.effect;
    if (action === "ask" && call.canWait) {
      const joined = joinModes(end.approver, approver);
      end = { ...end, outcome: "ask", approver: joined, rule: rule.name, deciders: [...end.deciders, rule.id] };
    } else if (action === "wait") {
      end = { ...end, waitsFor: end.waitsFor ?? rule.name, deciders: [...end.deciders, rule.id] };
    } else {
      for (const { id } of ordered.slice(at + 1)) notes.unreached.add(id);
      const message = describeRefusal(rule, state.used, state.freeAt, ports.now);
      return { ...NOTHING, outcome: "deny", rule: rule.name, message, deciders: [rule.id] };
    }
  }
  return end;
}

async function noteState(hit: RuleHit, call: RuledCall, ports: ExplainPorts, notes: Notes): Promise<void> {
  notePrice(hit, ports, notes);
  for (const rule of toLimitRule(hit)) notes.facts.set(rule.id, { limit: await readLimit(rule, call, ports) });
}

function notePrice({ rule, facts }: RuleHit, { language }: ExplainPorts, notes: Notes): void {
  if (rule.effect.kind !== "price") return;
  const compiled = language.compilePrice(rule.effect.price);
  const isKnown = "price" in compiled && !compiled.price.readsResult;
  notes.facts.set(rule.id, { price: isKnown ? evaluatePrice(compiled.price, facts) : null });
}

async function readLimit(
  rule: LimitRule,
  call: RuledCall,
  { findUsage, now, runId }: ExplainPorts,
): Promise<ExplainedLimit> {
  const slot = toSlot(rule, toCounted(call, runId));
  const usage = await findUsage(slot);
  const { measure, most, minutes } = rule.effect;
  const used = toAmount(measure, countUsed(usage, now, minutes));
  return {
    parts: readKey(rule, slot.key) ?? [],
    measure,
    used,
    most,
    left: Math.max(most - used, 0),
    minutes,
    freeAt: findFreeAt(usage, now, slot),
  };
}

function toCounted({ actor, tokenId, client, toolName }: RuledCall, runId: string | null): CountedCall {
  return { actorId: actor.id === NOT_RECORDED ? "" : actor.id, tokenId, client, toolName, runId };
}

function toLimitRule({ rule: { id, name, effect } }: RuleHit): LimitRule[] {
  return effect.kind === "limit" ? [{ id, name, effect }] : [];
}

function explainMissing(rule: StoredCallRule, call: RuledCall, language: ConditionLanguage): string {
  const missing = listMissingFacts(rule, call, language).map((name) => `'call.${name}'`);
  return `The rule '${rule.name}' depends on ${missing.join(", ") || "a fact"}, which is not given: add it`;
}
