import type { Role } from "../../../lib/contract/access";
import type { CallRuleInput } from "../../../lib/contract/call-rule";
import {
  isDecision,
  isResultEffect,
  type RuledKind,
  type RuleOutcome,
  type RuleStep,
} from "../../../lib/contract/call-rule-words";
import type { ExecutionSource } from "../../../lib/contract/envelope";
import type { RuleMatch } from "../../../lib/contract/rule-match";
import { compilePatterns, type NameMatcher } from "./name-pattern";
import {
  type CompiledCondition,
  type ConditionFacts,
  type ConditionLanguage,
  type ConditionOutcome,
  NOT_RECORDED,
  type NotRecorded,
  type ResultFacts,
  type WorkBudget,
} from "./rule-ports";
import { splitClient } from "./split-client";

/** The work of one condition: about 20 ms. */
const MAX_WORK = 1_000_000;
/** The work of all conditions for one call: about 40 ms, and 10 ms for rules that only record. Nothing is evaluated beyond it. */
const MAX_CALL_WORK = 2_000_000;
const MAX_RECORD_WORK = 500_000;

/** A rule as it is stored. */
export interface StoredCallRule extends CallRuleInput {
  id: string;
  version: number;
}

/** The facts that rules read of one call, live or stored. A case gives a part of them: the others are `NOT_RECORDED`. */
export interface RuledCall {
  toolName: string;
  serverName: string | null | NotRecorded;
  toolset: string | null;
  tags: readonly string[] | NotRecorded;
  actor: { id: string | NotRecorded; name: string | NotRecorded };
  /** Null where it is not known. */
  role: Role | null;
  tokenId: string | null;
  client: string | null;
  source: ExecutionSource | NotRecorded;
  /** Whether the call is read from the execution log, where values may be masked. */
  stored: boolean;
  kind: RuledKind;
  /** Rules can hold it for approval, and route it where it is a tool's: not answers of a toolset, or requests of models. */
  canWait: boolean;
  /** When the call was received, in epoch milliseconds; null where it is not known. */
  at: number | null;
  /** Parsed on first use; `NOT_RECORDED` where the reader may not see them. */
  readArguments: () => unknown;
  /** The result of the tool; absent for a decision before the call ran. */
  readResult?: () => ResultFacts | typeof NOT_RECORDED | undefined;
  /** Calls of this caller and tool in the minutes before this one; null where that is not known. */
  count: (minutes: number) => number | null;
}

export interface RuleHit {
  rule: StoredCallRule;
  /** Whether the rule only records. */
  recordOnly: boolean;
  facts: ConditionFacts;
  condition: CompiledCondition | null;
}

export interface RuleDecision {
  /** The first rule with a decision that matches and is on; `unknown` where it depends on a masked value or a fact that was not recorded. */
  decisive: RuleHit | "unknown" | null;
  /** Rules with other effects that match and are on, in their order. */
  added: readonly RuleHit[];
  /** Rules that only record, and match. */
  recorded: readonly RuleHit[];
  /** The first rule for which it is unknown whether it matches; null if there is none. */
  unknown: StoredCallRule | null;
  /** Set where another tool runs the call; see `joinDecisions`. */
  routed?: RoutedDecision;
}

/** The decision about the tool to which a call is routed. */
interface RoutedDecision {
  route: RuleHit;
  /** The rule that decides about that tool, unless `decisive` already names it. */
  decisive: RuleDecision["decisive"];
  /** Whether a rule lets calls of the one tool run without approval, and of the other. */
  allows: { from: boolean; to: boolean };
}

export interface CompiledRule {
  rule: StoredCallRule;
  condition: CompiledCondition | null;
  /** The condition does not compile: a later version of the product stored it. */
  isBroken: boolean;
  /** Whether the rule decides if a call runs; it is skipped after another one decided. */
  decides: boolean;
  /** The largest window that it counts calls in; 0 without one. */
  countMinutes: number;
  applies: (call: RuledCall) => boolean | null;
}

export type TraceRule = (compiled: CompiledRule, step: RuleStep) => void;

export interface CompiledRules {
  /** Whether no rule is on or records. */
  readonly isEmpty: boolean;
  readonly readsArguments: boolean;
  /** The largest window that a condition or a price counts calls in; 0 without one. */
  readonly countMinutes: number;
  /** The largest window of the rules in whose scope a call may be. */
  findCountMinutes(call: RuledCall): number;
  /** @param trace for explanations: called once with each rule that is not about results, in their order */
  decide(call: RuledCall, trace?: TraceRule): RuleDecision;
  /** Rules about results, which are evaluated after the call ran. */
  readonly results: readonly CompiledRule[];
  readonly onUnevaluable: CompileOptions["onUnevaluable"];
}

export interface CompileOptions {
  language: ConditionLanguage;
  /** Called with the rule whose condition could not be evaluated. */
  onUnevaluable?: (ruleId: string) => void;
}

const NO_HITS: readonly RuleHit[] = [];
const NO_DECISION: RuleDecision = { decisive: null, added: NO_HITS, recorded: NO_HITS, unknown: null };

/** Compiles rules in their order: what a call does not meet is skipped before any condition is evaluated. */
export function compileRules(
  rules: readonly StoredCallRule[],
  { language, onUnevaluable }: CompileOptions,
): CompiledRules {
  const compiled = rules.filter(({ state }) => state !== "off").map((rule) => compileRule(rule, language));
  const deciding = compiled.filter(({ rule }) => !isResultEffect(rule.effect.kind));
  const counting = compiled.filter(({ countMinutes }) => countMinutes > 0);
  return {
    isEmpty: compiled.length === 0,
    readsArguments: compiled.some(({ condition }) => condition?.readsArguments === true),
    countMinutes: findMostMinutes(counting),
    findCountMinutes: (call) =>
      counting.length === 0 ? 0 : findMostMinutes(counting.filter(({ applies }) => applies(call) !== false)),
    decide: (call, trace) => (deciding.length === 0 ? NO_DECISION : decide(deciding, call, { onUnevaluable, trace })),
    results: compiled.filter(({ rule }) => isResultEffect(rule.effect.kind)),
    onUnevaluable,
  };
}

/** A resource or prompt has its own server alone, and no tool of the catalog has the rights of one of Toolroom's own. */
const allowsEffect = ({ canWait, kind }: RuledCall, { effect }: StoredCallRule): boolean =>
  effect.kind === "ask" ? canWait : effect.kind !== "route" || (canWait && kind === "tool");

const findMostMinutes = (counting: readonly CompiledRule[]): number =>
  Math.max(0, ...counting.map(({ countMinutes }) => countMinutes));

function compileRule(rule: StoredCallRule, language: ConditionLanguage): CompiledRule {
  const result = rule.condition === "" ? null : language.compile(rule.condition);
  const condition = result !== null && "condition" in result ? result.condition : null;
  return {
    rule,
    condition,
    countMinutes: Math.max(condition?.countMinutes ?? 0, findPriceMinutes(rule, language)),
    isBroken: result !== null && "problems" in result,
    decides: isDecision(rule.effect.kind),
    applies: compileScope(rule),
  };
}

/** Most prices are a figure, and are compiled when they are first used. */
function findPriceMinutes({ effect }: StoredCallRule, language: ConditionLanguage): number {
  if (effect.kind !== "price" || !effect.price.includes("count")) return 0;
  const result = language.compilePrice(effect.price);
  return "price" in result ? result.price.countMinutes : 0;
}

function decide(
  rules: readonly CompiledRule[],
  call: RuledCall,
  { onUnevaluable, trace }: Pick<CompileOptions, "onUnevaluable"> & { trace: TraceRule | undefined },
): RuleDecision {
  let facts: ConditionFacts | null = null;
  let decisive: RuleDecision["decisive"] = null;
  let added: RuleHit[] | null = null;
  let recorded: RuleHit[] | null = null;
  let unknown: StoredCallRule | null = null;
  const work: WorkBudget = { left: MAX_CALL_WORK };
  const recordWork: WorkBudget = { left: MAX_RECORD_WORK };
  for (const each of rules) {
    const { rule, condition, decides, applies } = each;
    if (decides && decisive !== null) {
      trace?.(each, "not_reached");
      continue;
    }
    const isInScope = applies(call);
    if (isInScope === false || !allowsEffect(call, rule)) {
      trace?.(each, "out_of_scope");
      continue;
    }
    facts ??= toFacts(call);
    const isRecordOnly = rule.state === "record";
    const settled = settle(each, facts, isRecordOnly ? recordWork : work, onUnevaluable);
    const outcome = settled === "match" && isInScope === null ? "unknown" : settled;
    trace?.(each, outcome);
    if (outcome === "miss") continue;
    if (outcome === "unknown") {
      unknown ??= rule;
      if (decides && !isRecordOnly) decisive = "unknown";
      continue;
    }
    const hit = { rule, recordOnly: isRecordOnly, facts, condition };
    if (isRecordOnly) {
      recorded ??= [];
      recorded.push(hit);
    } else if (decides) {
      decisive = hit;
    } else {
      added ??= [];
      added.push(hit);
    }
  }
  if (decisive === null && added === null && recorded === null && unknown === null) return NO_DECISION;
  return { decisive, added: added ?? NO_HITS, recorded: recorded ?? NO_HITS, unknown };
}

/** Whether a rule matches; one that cannot be evaluated follows its fallback. */
export function settle(
  { rule, condition, isBroken }: CompiledRule,
  facts: ConditionFacts,
  work: WorkBudget,
  onUnevaluable: CompileOptions["onUnevaluable"],
): "match" | "miss" | "unknown" {
  const outcome: ConditionOutcome = isBroken ? "exhausted" : evaluate(condition, facts, work);
  if (outcome === "exhausted") {
    onUnevaluable?.(rule.id);
    // Or arguments could switch a rule off by their size: what keeps calls from running applies, what lets them run does not.
    return rule.state === "record" || !isRestricting(rule) ? "miss" : "match";
  }
  // An unknown value of a live call is one that cannot be evaluated.
  if (outcome === "unevaluable" || (outcome === "unknown" && !facts.stored)) {
    onUnevaluable?.(rule.id);
    return rule.fallback === "match" ? "match" : "miss";
  }
  return outcome;
}

/** Whether a rule withholds calls, or parts of their results, from callers. */
const isRestricting = ({ effect }: StoredCallRule): boolean => effect.kind !== "allow";

function evaluate(condition: CompiledCondition | null, facts: ConditionFacts, total: WorkBudget): ConditionOutcome {
  if (condition === null) return "match";
  const given = Math.min(MAX_WORK, total.left);
  const budget = { left: given };
  const outcome = condition.evaluate(facts, budget);
  total.left -= given - Math.max(budget.left, 0);
  return outcome;
}

/** @returns what conditions read of the call */
export function toFacts(call: RuledCall): ConditionFacts {
  const [name, version] = splitClient(call.client);
  let args: unknown;
  let isRead = false;
  return {
    stored: call.stored,
    at: call.at,
    tool: { name: call.toolName, server: call.serverName, toolset: call.toolset, tags: call.tags },
    caller: {
      id: call.actor.id,
      name: call.actor.name,
      role: call.role ?? NOT_RECORDED,
      token: call.tokenId,
      source: call.source,
    },
    client: { name, version },
    count: call.count,
    get result() {
      return call.readResult?.();
    },
    get args() {
      if (!isRead) {
        args = call.readArguments();
        isRead = true;
      }
      return args;
    },
  };
}

type Check = (call: RuledCall) => boolean | null;

/** Whether a rule is about a call; null where a fact that was not recorded decides it. */
export function compileScope(rule: StoredCallRule): Check {
  const checks = listChecks(rule);
  return (call) => {
    let isKnown = true;
    for (const check of checks) {
      const met = check(call);
      if (met === false) return false;
      if (met === null) isKnown = false;
    }
    return isKnown ? true : null;
  };
}

/** Lists one check for each limit of the rule. */
function listChecks(rule: StoredCallRule): Check[] {
  const { scope, caller } = rule;
  // A route takes a call to another tool, which the caller may have no right to otherwise.
  const restricts = isRestricting(rule) && rule.effect.kind !== "route";
  const users = compilePatterns(caller.users);
  const tags = new Set(scope.tags);
  const kinds = new Set(scope.kinds);
  const tokens = new Set(caller.tokens);
  const sources = new Set<string>(caller.sources);
  const roles = new Set<string>(caller.roles);
  // Users choose their own names, which must not let their calls run, or run another tool.
  const isNamed: Check = ({ actor }) => {
    const isMet = meets(users, actor.id);
    return isMet === true || !restricts ? isMet : either(isMet, meets(users, actor.name));
  };
  const { effect } = rule;
  const checks: [isLimit: boolean, Check][] = [
    ...listNameChecks(scope, caller),
    [effect.kind === "route", ({ toolName }) => effect.kind !== "route" || effect.tool !== toolName],
    [tags.size > 0, (call) => (call.tags === NOT_RECORDED ? null : call.tags.some((tag) => tags.has(tag)))],
    [kinds.size > 0, ({ kind }) => kinds.has(kind)],
    [users !== null, isNamed],
    [tokens.size > 0, ({ tokenId }) => tokenId !== null && tokens.has(tokenId)],
    [sources.size > 0, ({ source }) => (source === NOT_RECORDED ? null : sources.has(source))],
    // A rule that keeps calls from running applies to a caller whose role is not known; a rule that lets them run does not.
    [roles.size > 0, ({ role, stored }) => (role !== null ? roles.has(role) : stored ? null : restricts)],
  ];
  return checks.flatMap(([isLimit, check]) => (isLimit ? [check] : []));
}

function listNameChecks(scope: StoredCallRule["scope"], caller: StoredCallRule["caller"]): [isLimit: boolean, Check][] {
  const tools = compilePatterns(scope.tools);
  const servers = compilePatterns(scope.servers);
  const toolsets = compilePatterns(scope.toolsets);
  const clients = compilePatterns(caller.clients);
  return [
    [tools !== null, ({ toolName }) => meets(tools, toolName)],
    [servers !== null, ({ serverName }) => meets(servers, serverName)],
    [toolsets !== null, ({ toolset }) => meets(toolsets, toolset)],
    [clients !== null, ({ client }) => meets(clients, splitClient(client)[0])],
  ];
}

function meets(matches: NameMatcher | null, name: string | null | NotRecorded): boolean | null {
  if (name === NOT_RECORDED) return null;
  return matches === null || (name !== null && matches(name));
}

function either(left: boolean | null, right: boolean | null): boolean | null {
  if (left === true || right === true) return true;
  return left === null || right === null ? null : false;
}

/** A route decides where the tool that it names does not exist. */
export function toOutcome({ decisive }: RuleDecision): RuleOutcome {
  if (decisive === null) return "none";
  if (decisive === "unknown") return "unknown";
  const { kind } = decisive.rule.effect;
  if (kind === "route") return "deny";
  return isDecision(kind) ? kind : "none";
}

/** The stored form of the rules that matched a call, those that only recorded included. */
export function toMatches(
  { decisive, added, recorded, routed }: RuleDecision,
  readValues: (hit: RuleHit) => RuleMatch["values"],
): RuleMatch[] {
  const hits = [decisive, routed?.decisive ?? null].flatMap((hit) => (hit === null || hit === "unknown" ? [] : hit));
  return hits.concat(added, recorded).map((hit) => ({
    ruleId: hit.rule.id,
    name: hit.rule.name,
    version: hit.rule.version,
    effect: hit.rule.effect.kind,
    recordOnly: hit.recordOnly,
    values: readValues(hit),
  }));
}
