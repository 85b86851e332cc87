import { classifyCall, isFailedClass } from "../../../lib/contract/call-class";
import type { RulePreview, RulePreviewInput } from "../../../lib/contract/call-rule";
import { MAX_PREVIEWED_CALLS, RULE_OUTCOMES, type RuleOutcome } from "../../../lib/contract/call-rule-words";
import { RESTRICTED_ARGUMENTS } from "../../../lib/contract/execution";
import { getServerName, type ToolDefinition } from "../../../lib/contract/tool-definition";
import type { StoredFilter } from "../../calls/executions/execution-store";
import { compileRules, type RuleDecision, toOutcome } from "../../engine/rules/decide-call";
import { decideRouted, type RouteTarget } from "../../engine/rules/decide-route";
import type { ConditionLanguage, ResultRedactor } from "../../engine/rules/rule-ports";
import { type CallReader, type CallWalk, type RecordedCallPorts, walkCalls } from "./recorded-calls";
import { createResultPreview, isAboutResults, type ResultOutcome } from "./result-preview";
import { type CheckArguments, RoutePreview } from "./route-preview";
import type { RecordedCall, StoredRule } from "./rule-store";
import { LimitSimulation } from "./simulate-limit";

interface PreviewPorts extends RecordedCallPorts {
  language: ConditionLanguage;
  redactor: ResultRedactor;
  now: () => number;
  /** The tools of the catalog. */
  definitions: () => readonly ToolDefinition[];
  checkArguments?: CheckArguments | undefined;
}

const WEEK_MS = 7 * 86_400_000;
const MAX_MS = 20_000;
const MAX_ITEMS = 100;
const MAX_GROUPS = 20;

/** The id of the rule in the preview. */
const DRAFT = "draft";

/** The rules with the rule of the preview, which is on regardless of its state. */
function putDraft(rules: readonly StoredRule[], { rule, id, position }: RulePreviewInput): StoredRule[] {
  const known = rules.find((each) => each.id === id);
  const draft = { ...(known ?? rules[0]), ...rule, id: DRAFT, state: "on", version: known?.version ?? 0 } as StoredRule;
  if (known === undefined) return rules.toSpliced((position ?? rules.length + 1) - 1, 0, draft);
  return rules.map((each) => (each === known ? draft : each));
}

/** Evaluates recorded calls, the newest first, as `CallRules` would: by the rules of now, and with one of them replaced. */
export async function previewRules(
  rules: readonly StoredRule[],
  input: RulePreviewInput & { filter: StoredFilter },
  { language, redactor, now, definitions, checkArguments, ...ports }: PreviewPorts,
  { reader, signal }: { reader: CallReader; signal?: AbortSignal | undefined },
): Promise<RulePreview> {
  const { filter } = input;
  const until = filter.until ?? now();
  const since = filter.since ?? until - WEEK_MS;
  const drafted = putDraft(rules, input);
  const before = compileRules(rules, { language });
  const after = compileRules(drafted, { language });
  const ofResult = previewResults(rules, drafted, input, { language, redactor });
  const limit = createSimulation(input);
  const tools = new Map(definitions().map((definition) => [definition.name, definition]));
  const route =
    input.rule.effect.kind === "route"
      ? new RoutePreview(DRAFT, { findDefinition: (name) => tools.get(name) ?? null, checkArguments })
      : null;
  const findTool = (name: string): RouteTarget | null => toTarget(tools.get(name));
  const summary = new PreviewSummary();
  const walk: CallWalk = {
    filter,
    since,
    until,
    countMinutes: Math.max(before.countMinutes, after.countMinutes),
    parts: {
      arguments: before.readsArguments || after.readsArguments || route !== null,
      results: ofResult !== null,
      costs: limit?.measuresMoney === true,
    },
    maxCalls: MAX_PREVIEWED_CALLS,
    maxMs: MAX_MS,
    reader,
    signal,
  };
  const more = await walkCalls(ports, walk, (call, ruled, isHidden, cost) => {
    const decided = decideRouted(after, ruled, findTool);
    const add = (result: ResultChange | null): void =>
      summary.add(call, decideRouted(before, ruled, findTool), decided, { isHidden, ofResult: result });
    if (isLimited(decided)) limit?.add(call, cost);
    if (route !== null) return route.add(call, decided, isHidden).then(() => add(null));
    return ofResult === null ? add(null) : ofResult(call, ruled, isHidden).then(add);
  });
  const limited = (await limit?.run(signal)) ?? null;
  return { since, until, more, limited, routed: route?.counts ?? null, ...summary.toResult() };
}

function toTarget(definition: ToolDefinition | undefined): RouteTarget | null {
  if (definition === undefined) return null;
  return { toolName: definition.name, serverName: getServerName(definition), tags: definition.tags ?? [] };
}

const createSimulation = ({ rule: { name, effect } }: RulePreviewInput): LimitSimulation | null =>
  effect.kind === "limit" ? new LimitSimulation({ id: DRAFT, name, effect }) : null;

/** A call that a rule denies does not reach the limits. */
const isLimited = ({ decisive, added }: RuleDecision): boolean =>
  (decisive === null || decisive === "unknown" || decisive.rule.effect.kind !== "deny") &&
  added.some(({ rule }) => rule.id === DRAFT);

/** What the rule of the preview does to results, and what the rule that it replaces does; null for a rule about calls. */
function previewResults(
  rules: readonly StoredRule[],
  drafted: readonly StoredRule[],
  { rule, id }: RulePreviewInput,
  ports: Pick<PreviewPorts, "language" | "redactor">,
) {
  const draft = drafted.find((each) => each.id === DRAFT);
  if (draft === undefined || !isAboutResults(rule.effect)) return null;
  const known = rules.find((each) => each.id === id && each.state === "on" && isAboutResults(each.effect));
  const isAfter = createResultPreview(draft, ports);
  const isBefore = known === undefined ? null : createResultPreview(known, ports);
  return async (...call: Parameters<typeof isAfter>) => ({
    before: (await isBefore?.(...call)) ?? ("miss" as const),
    after: await isAfter(...call),
  });
}

/** What the rule of a preview does to a result, and what the one that it replaces does. */
interface ResultChange {
  before: ResultOutcome;
  after: ResultOutcome;
}

class PreviewSummary {
  calls = 0;
  readonly #result = {
    matched: 0,
    unknown: 0,
    changed: 0,
    failedAllowed: 0,
    before: toZeros(),
    after: toZeros(),
  };
  readonly #groups = new Map<string, RulePreview["groups"][number]>();
  readonly #items: RulePreview["items"] = [];

  /** @param ofResult what a rule about results does, before and with the rule of the preview; null for other rules */
  add(
    call: RecordedCall,
    before: RuleDecision,
    after: RuleDecision,
    { isHidden, ofResult }: { isHidden: boolean; ofResult: ResultChange | null },
  ): void {
    const result = this.#result;
    const was = toOutcome(before);
    const is = toOutcome(after);
    this.calls += 1;
    result.before[was] += 1;
    result.after[is] += 1;
    if (ofResult?.after === "unknown" || (is === "unknown" && after.unknown?.id === DRAFT)) result.unknown += 1;
    if (was !== "unknown" && is !== "unknown" && toEffect(before) !== toEffect(after)) result.changed += 1;
    else if (ofResult !== null && (ofResult.before === "match") !== (ofResult.after === "match")) result.changed += 1;
    if (!isMatched(after) && ofResult?.after !== "match") return;
    result.matched += 1;
    if (is === "allow" && isFailedClass(classifyCall(call))) result.failedAllowed += 1;
    const actor = { id: call.actorId, name: call.actorName };
    const key = `${call.actorId}\n${call.toolName}`;
    const group = this.#groups.get(key) ?? { actor, toolName: call.toolName, count: 0 };
    group.count += 1;
    this.#groups.set(key, group);
    if (this.#items.length >= MAX_ITEMS) return;
    this.#items.push({
      id: call.id,
      toolName: call.toolName,
      actor,
      client: call.client,
      queuedAt: call.queuedAt,
      status: call.status,
      errorKind: call.errorKind,
      argumentsPreview: isHidden ? RESTRICTED_ARGUMENTS : call.argumentsPreview.slice(0, 200),
      before: was,
      after: is,
    });
  }

  toResult() {
    const groups = [...this.#groups.values()].sort((left, right) => right.count - left.count).slice(0, MAX_GROUPS);
    return { calls: this.calls, ...this.#result, groups, items: this.#items };
  }
}

const toZeros = () => Object.fromEntries(RULE_OUTCOMES.map((outcome) => [outcome, 0])) as Record<RuleOutcome, number>;

/** Whether the rule of the preview decides a call, or adds its effect to it. */
const isMatched = ({ decisive, added }: RuleDecision): boolean =>
  (decisive !== null && decisive !== "unknown" && decisive.rule.id === DRAFT) ||
  added.some(({ rule }) => rule.id === DRAFT);

const toEffect = ({ decisive, added, routed }: RuleDecision): string =>
  JSON.stringify([
    decisive === null || decisive === "unknown" ? null : decisive.rule.effect,
    added.map(({ rule }) => rule.effect),
    routed === undefined,
  ]);
