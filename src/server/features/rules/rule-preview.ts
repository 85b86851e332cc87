import type { Role } from "../../../lib/contract/access";
import { classifyCall, isFailedClass } from "../../../lib/contract/call-class";
import type { RulePreview, RulePreviewInput } from "../../../lib/contract/call-rule";
import {
  isDecision,
  MAX_PREVIEWED_CALLS,
  RULE_OUTCOMES,
  type RuleOutcome,
} from "../../../lib/contract/call-rule-words";
import { getKind } from "../../../lib/contract/execution-kind";
import { parseExactParts } from "../../../lib/json/exact-text";
import { findFirstAfter } from "../../engine/rules/call-counts";
import { compileRules, type RuleDecision, type RuledCall, toOutcome } from "../../engine/rules/decide-call";
import type { ConditionLanguage } from "../../engine/rules/rule-ports";
import { NOT_RECORDED, type ResultRedactor } from "../../engine/rules/rule-ports";
import { TimeSlice } from "../../engine/time-slice";
import { createResultPreview, isAboutResults, type ResultOutcome } from "./result-preview";
import type { RecordedCall, RuleStore, SeqRange, StoredRule } from "./rule-store";
import { LimitSimulation } from "./simulate-limit";

interface PreviewPorts {
  store: RuleStore;
  language: ConditionLanguage;
  redactor: ResultRedactor;
  /** The role of a user now; null where it is not known. */
  readRole: (userId: string) => Role | null;
  now: () => number;
}

/** The ids of calls whose arguments a reader must not get. */
export type FindHidden = (ids: readonly string[]) => Promise<ReadonlySet<string>>;

const WEEK_MS = 7 * 86_400_000;
const MINUTE_MS = 60_000;
/** Numbers that are read at once: some milliseconds. */
const ROWS_AT_ONCE = 500;
/** Their results may be long. */
const RESULTS_AT_ONCE = 100;
const TIMES_AT_ONCE = 5_000;
/** Calls of everyone that are counted for `count`; where there are more, it is not known. */
const MAX_TIMES = 500_000;
/** Conditions that take long leave older calls out. */
const MAX_MS = 20_000;
const MAX_ITEMS = 100;
const MAX_GROUPS = 20;
/** Stands where arguments would be. */
const RESTRICTED = "Restricted: this call uses another user's own credential or rights";

/** The id that stands for the rule of the preview. */
const DRAFT = "draft";

/** The rules with the one of the preview, which is on whatever its state is. */
function putDraft(rules: readonly StoredRule[], { rule, id }: RulePreviewInput): StoredRule[] {
  const known = rules.find((each) => each.id === id);
  const draft = { ...(known ?? rules[0]), ...rule, id: DRAFT, state: "on", version: known?.version ?? 0 } as StoredRule;
  return known === undefined ? [...rules, draft] : rules.map((each) => (each === known ? draft : each));
}

/** Evaluates recorded calls, the newest first, as `CallRules` would: by the rules of now, and with one of them replaced. */
export async function previewRules(
  rules: readonly StoredRule[],
  input: RulePreviewInput,
  { store, language, redactor, readRole, now }: PreviewPorts,
  { findHidden, signal }: { findHidden?: FindHidden | undefined; signal?: AbortSignal | undefined },
): Promise<RulePreview> {
  const begun = performance.now();
  const { filter } = input;
  const until = filter.until ?? now();
  const since = filter.since ?? until - WEEK_MS;
  const drafted = putDraft(rules, input);
  const before = compileRules(rules, { language });
  const after = compileRules(drafted, { language });
  const ofResult = previewResults(rules, drafted, input, { language, redactor });
  const range = await store.findRange(since);
  const counts = await readCounts(store, since, Math.max(before.countMinutes, after.countMinutes));
  const parts = { arguments: before.readsArguments || after.readsArguments, results: ofResult !== null };
  const rowsAtOnce = parts.results ? RESULTS_AT_ONCE : ROWS_AT_ONCE;
  const tags = createTags(store);
  const slice = new TimeSlice();
  const summary = new PreviewSummary();
  const limit = createSimulation(input);
  const mayGoOn = (): boolean => summary.calls < MAX_PREVIEWED_CALLS && performance.now() - begun < MAX_MS;
  let { upTo } = range;
  let isCut = false;
  while (upTo > range.above && mayGoOn()) {
    signal?.throwIfAborted();
    const above = Math.max(upTo - rowsAtOnce, range.above);
    const calls = await store.readCalls({ ...filter, since, until }, { above, upTo }, parts);
    const hidden = await findHidden?.(calls.map(({ id }) => id));
    await tags.read(calls);
    const costs = limit?.measuresMoney === true ? await store.readCosts(calls.map(({ id }) => id)) : null;
    for (const call of calls) {
      signal?.throwIfAborted();
      isCut = !mayGoOn();
      if (isCut) break;
      const isHidden = hidden?.has(call.id) === true;
      const ruled = toStoredCall(call, {
        tags: tags.find(call),
        role: readRole(call.actorId),
        count: (minutes) => counts(call, minutes),
        isHidden,
      });
      const decided = after.decide(ruled);
      summary.add(call, before.decide(ruled), decided, {
        isHidden,
        ofResult: (await ofResult?.(call, ruled, isHidden)) ?? null,
      });
      if (isLimited(decided)) limit?.add(call, costs?.get(call.id) ?? 0);
      await slice.pause();
    }
    upTo = above;
    await slice.pause();
  }
  const limited = (await limit?.run(signal)) ?? null;
  return { since, until, more: isCut || upTo > range.above, limited, ...summary.toResult() };
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

/** A recorded call as rules read it. */
export function toStoredCall(
  call: RecordedCall,
  known: Pick<RuledCall, "tags" | "role" | "count"> & { isHidden: boolean },
): RuledCall {
  const { argumentsText } = call;
  let args: unknown = NOT_RECORDED;
  let isRead = known.isHidden || argumentsText === null;
  return {
    toolName: call.toolName,
    serverName: call.serverName,
    toolset: call.toolset,
    tags: known.tags,
    actor: { id: call.actorId, name: call.actorName },
    role: known.role,
    tokenId: call.tokenId,
    client: call.client,
    source: call.source,
    stored: true,
    canWait: getKind(call) === "tool",
    at: call.queuedAt,
    readArguments() {
      if (!isRead) {
        args = parseStored(argumentsText ?? "");
        isRead = true;
      }
      return args;
    },
    count: known.count,
  };
}

function parseStored(text: string): unknown {
  try {
    return parseExactParts(text);
  } catch {
    return NOT_RECORDED;
  }
}

function createTags(store: RuleStore) {
  const known = new Map<string, readonly string[]>();
  return {
    async read(calls: readonly RecordedCall[]): Promise<void> {
      const hashes = new Set(calls.flatMap(({ definitionHash }) => definitionHash ?? []));
      const missing = [...hashes].filter((hash) => !known.has(hash));
      if (missing.length === 0) return;
      for (const [hash, tags] of await store.readTags(missing)) known.set(hash, tags);
    },
    find: ({ definitionHash }: RecordedCall): readonly string[] => known.get(definitionHash ?? "") ?? [],
  };
}

type Count = (call: RecordedCall, minutes: number) => number | null;

/** The calls before each call, by caller and tool, from the execution log. */
async function readCounts(store: RuleStore, since: number, minutes: number): Promise<Count> {
  if (minutes === 0) return () => null;
  const range = await store.findRange(since - minutes * MINUTE_MS);
  if (range.upTo - range.above > MAX_TIMES) return () => null;
  const byKey = new Map<string, { seqs: number[]; times: number[] }>();
  const toKey = ({ actorId, toolName }: { actorId: string; toolName: string }) => `${actorId}\n${toolName}`;
  const slice = new TimeSlice();
  for (let { above } = range; above < range.upTo; above += TIMES_AT_ONCE) {
    const part: SeqRange = { above, upTo: Math.min(above + TIMES_AT_ONCE, range.upTo) };
    for (const call of await store.readTimes(part)) {
      const key = toKey(call);
      const known = byKey.get(key) ?? { seqs: [], times: [] };
      byKey.set(key, known);
      known.seqs.push(call.seq);
      known.times.push(call.queuedAt);
    }
    await slice.pause();
  }
  return (call, window) => {
    const { seqs, times } = byKey.get(toKey(call)) ?? { seqs: [], times: [] };
    const first = findFirstAfter(times, call.queuedAt - window * MINUTE_MS);
    return Math.max(findFirstAfter(seqs, call.seq - 1) - first, 0);
  };
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
    { isHidden, ofResult }: { isHidden: boolean; ofResult: { before: ResultOutcome; after: ResultOutcome } | null },
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
      argumentsPreview: isHidden ? RESTRICTED : call.argumentsPreview.slice(0, 200),
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

const toEffect = ({ decisive, added }: RuleDecision): string =>
  JSON.stringify([
    decisive === null || decisive === "unknown" ? null : decisive.rule.effect,
    added.map(({ rule }) => rule.effect),
  ]);
