import { isRecordedName } from "../../../lib/contract/agent-endpoint";
import { CASE_EFFECTS, type RuledKind } from "../../../lib/contract/call-rule-words";
import { readContentName } from "../../../lib/contract/execution-kind";
import type { CaseCall, RuleCaseInput, RuleCaseResult } from "../../../lib/contract/rule-case";
import { parseExactParts } from "../../../lib/json/exact-text";
import { stringifyWithDigits } from "../../../lib/json/number-digits";
import { compileRules, type RuleDecision, type RuledCall, type StoredCallRule, toOutcome } from "./decide-call";
import { decideRouted, type RouteTarget } from "./decide-route";
import { chooseExplained, explainUnevaluable, explainUnknown, readValues } from "./explain-case";
import { type ConditionLanguage, NOT_RECORDED, type NotRecorded } from "./rule-ports";

/** The known facts of a tool whose call is tested. */
export interface CaseTool {
  serverName: string | null | NotRecorded;
  tags: readonly string[] | NotRecorded;
}

interface KnownTool extends CaseTool {
  /** Absent for a tool of the catalog. */
  kind?: RuledKind;
}

/** What a call is about by its recorded name: a read, a prompt get, or a tool at `/mcp/toolroom`. */
function findUncataloged(name: string): KnownTool | null {
  const content = readContentName(name);
  if (content !== null) return { kind: content.kind, serverName: content.server, tags: [] };
  return isRecordedName(name, null) ? { kind: "agent", serverName: null, tags: NOT_RECORDED } : null;
}

export interface CaseTesterPorts {
  language: ConditionLanguage;
  /** Null for a tool that does not exist. */
  findTool: (name: string) => CaseTool | null;
}

export type TestCase = (each: Pick<RuleCaseInput, "call" | "expect">) => RuleCaseResult;

/** Tests cases by rules in their order, as `CallRules` decides live calls: what a case does not give is not known. */
export function createCaseTester(rules: readonly StoredCallRule[], { language, findTool }: CaseTesterPorts): TestCase {
  const unevaluable = new Set<string>();
  const compiled = compileRules(rules, { language, onUnevaluable: (id) => void unevaluable.add(id) });
  const findTarget = (name: string): RouteTarget | null => {
    const tool = findTool(name);
    return tool === null ? null : { toolName: name, serverName: tool.serverName, tags: tool.tags };
  };
  const find = (name: string) => rules.find((rule) => isSameName(rule.name, name));
  return ({ call, expect }) => {
    const tool = findTool(call.tool) ?? findUncataloged(call.tool);
    const ruled = toRuledCall(call, tool);
    unevaluable.clear();
    const decision = decideRouted(compiled, ruled, findTarget);
    const decisive = getRule(decision);
    const outcome = toOutcome(decision);
    const wanted = expect.rule === undefined ? undefined : (find(expect.rule) ?? null);
    const effects = listEffects(decision);
    const missing = (expect.effects ?? []).filter((kind) => !effects.some(({ effect }) => effect === kind));
    const isMet =
      missing.length === 0 && outcome === expect.outcome && (wanted === undefined || wanted?.id === decisive?.id);
    const isEffectUnknown = missing.some((kind) => decision.unknown?.effect.kind === kind);
    const cannotTell = tool === null || wanted === null || outcome === "unknown" || isEffectUnknown;
    const status = cannotTell ? "error" : isMet ? "passed" : "failed";
    const skipped = rules.filter(({ id }) => unevaluable.has(id));
    return {
      status,
      outcome,
      rule: decisive?.name ?? null,
      effects,
      notes: [
        ...(tool === null ? [`The tool '${call.tool}' does not exist: correct 'call.tool'`] : []),
        ...(wanted === null ? [`The rule '${expect.rule}' does not exist: correct 'expect.rule'`] : []),
        ...(wanted && status === "failed" && wanted.state !== "on"
          ? [`The rule '${wanted.name}' is ${STATES[wanted.state]}`]
          : []),
        ...missing.map((kind) => `No rule applies its effect '${kind}' to the call`),
        ...(isEffectUnknown && decision.unknown ? [explainUnknown(decision.unknown, ruled, language)] : []),
        ...(outcome === "unknown" && decisive ? [explainUnknown(decisive, ruled, language)] : []),
        ...skipped.map((rule) => explainUnevaluable(rule, rule.id === decisive?.id)),
      ],
      read:
        status === "passed" ? [] : readValues(chooseExplained(rules, { decisive, wanted, expect }), ruled, language),
    };
  };
}

const STATES = { on: "on", off: "off", record: "on record only" };

/** The effects beside the decision that a case may expect. A call that is denied has none. */
function listEffects(decision: RuleDecision): RuleCaseResult["effects"] {
  if (toOutcome(decision) === "deny") return [];
  return decision.added.flatMap(({ rule: { name, effect } }) => {
    const kind = CASE_EFFECTS.find((each) => each === effect.kind);
    return kind === undefined ? [] : [{ rule: name, effect: kind }];
  });
}

const isSameName = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

function getRule({ decisive, unknown }: RuleDecision): StoredCallRule | null {
  return decisive === "unknown" ? unknown : (decisive?.rule ?? null);
}

/** A call as rules read it. What a tool does not have, and a caller need not, is absent; who calls, from where and when is not known. */
function toRuledCall(call: CaseCall, tool: KnownTool | null): RuledCall {
  const { caller = {}, count } = call;
  const text = stringifyWithDigits(call.arguments);
  return {
    toolName: call.tool,
    serverName: call.server === undefined ? (tool?.serverName ?? null) : call.server,
    toolset: call.toolset ?? null,
    tags: call.tags ?? tool?.tags ?? [],
    actor: { id: caller.id ?? NOT_RECORDED, name: caller.name ?? NOT_RECORDED },
    role: caller.role ?? null,
    tokenId: caller.token ?? null,
    client: call.client ?? null,
    source: call.source ?? NOT_RECORDED,
    stored: true,
    kind: tool?.kind ?? "tool",
    canWait: true,
    at: call.time === undefined ? null : Date.parse(call.time),
    readArguments: () => parseExactParts(text),
    count: () => count ?? null,
  };
}
