import { classifyCall, isFailedClass } from "../../../lib/contract/call-class";
import type { ResultCounts, RuleResults } from "../../../lib/contract/rule-insight";
import { TimeSlice } from "../../engine/time-slice";
import type { CallReader } from "./recorded-calls";
import type { MatchedCall, MatchPlace, RuleStore, StoredRule } from "./rule-store";

const DAY_MS = 86_400_000;
const MAX_MATCHES = 100_000;
const MAX_MS = 2_500;
const MAX_GROUPS = 20;

interface ResultsRequest {
  store: Pick<RuleStore, "readMatches">;
  now: number;
  reader: CallReader;
  signal?: AbortSignal | undefined;
}

/** Compares the matches of a rule with the outcomes of these calls. */
export async function readResults(rule: StoredRule, days: number, request: ResultsRequest): Promise<RuleResults> {
  const since = request.now - days * DAY_MS;
  const summary = new ResultSummary(rule.version);
  const more = await visitMatches(rule.id, since, request, (call, isHidden) => summary.add(call, isHidden));
  return { ruleId: rule.id, days, since, more, ...summary.toResult() };
}

/** Visits the matches of a rule, the newest first. @returns whether older ones were left out */
async function visitMatches(
  ruleId: string,
  since: number,
  { store, reader, signal }: ResultsRequest,
  visit: (call: MatchedCall, isHidden: boolean) => void,
): Promise<boolean> {
  const end = performance.now() + MAX_MS;
  const slice = new TimeSlice();
  let visited = 0;
  for (let after: MatchPlace | null = null; ; ) {
    signal?.throwIfAborted();
    const calls: MatchedCall[] = await store.readMatches(ruleId, since, after);
    const last = calls.at(-1);
    if (last === undefined) return false;
    const hidden = await reader.findHidden?.(calls.map(({ executionId }) => executionId));
    for (const call of calls) visit(call, hidden?.has(call.executionId) === true);
    visited += calls.length;
    if (visited >= MAX_MATCHES || performance.now() > end) return true;
    after = last;
    await slice.pause();
  }
}

class ResultSummary {
  readonly #result = { recorded: toZeros(), decided: toZeros(), earlier: 0, hidden: 0 };
  readonly #groups = new Map<string, RuleResults["groups"][number]>();

  constructor(private readonly version: number) {}

  add(call: MatchedCall, isHidden: boolean): void {
    const result = this.#result;
    if (isHidden) {
      result.hidden += 1;
      return;
    }
    if (call.version < this.version) result.earlier += 1;
    const actor = { id: call.actorId, name: call.actorName };
    const key = `${call.actorId}\n${call.toolName}`;
    const group = this.#groups.get(key) ?? { actor, toolName: call.toolName, ...toZeros() };
    this.#groups.set(key, group);
    addTo(call.recordOnly ? result.recorded : result.decided, call);
    addTo(group, call);
  }

  toResult() {
    const groups = [...this.#groups.values()].sort((left, right) => right.matched - left.matched);
    return { ...this.#result, groups: groups.slice(0, MAX_GROUPS) };
  }
}

function addTo(counts: ResultCounts, call: MatchedCall): void {
  counts.matched += 1;
  counts[toEnd(call)] += 1;
  if (call.approval === "approved") counts.approved += 1;
}

function toEnd(call: MatchedCall): "succeeded" | "failed" | "rejected" | "cancelled" | "open" {
  const its = classifyCall(call);
  if (its === "succeeded" || its === "rejected" || its === "cancelled") return its;
  return its === "running" || its === "waiting" ? "open" : isFailedClass(its) ? "failed" : "rejected";
}

const toZeros = (): ResultCounts => ({
  matched: 0,
  succeeded: 0,
  failed: 0,
  rejected: 0,
  cancelled: 0,
  open: 0,
  approved: 0,
});
