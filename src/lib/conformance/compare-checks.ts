import type { ConformanceCheck, ConformanceComparison, ConformanceCounts } from "../contract/conformance";
import { CONFORMANCE_OUTCOMES } from "../contract/conformance-outcome";

type Outcome = Pick<ConformanceCheck, "id" | "outcome">;

/** A check that did not run in the later run is neither fixed nor failed. @param before null for the first run */
export function compareChecks(
  before: { id: string; checks: readonly Outcome[] } | null,
  now: readonly Outcome[],
): ConformanceComparison {
  const failedBefore = new Set(before?.checks.filter(({ outcome }) => outcome === "failed").map(({ id }) => id));
  const newFailures = now.filter(({ id, outcome }) => outcome === "failed" && !failedBefore.has(id));
  const fixed = now.filter(({ id, outcome }) => outcome === "passed" && failedBefore.has(id));
  return {
    before: before?.id ?? null,
    newFailures: newFailures.map(({ id }) => id),
    fixed: fixed.map(({ id }) => id),
  };
}

export function countOutcomes(checks: readonly Pick<ConformanceCheck, "outcome">[]): ConformanceCounts {
  const counts: ConformanceCounts = { failed: 0, warning: 0, passed: 0, skipped: 0 };
  for (const { outcome } of checks) counts[outcome] += 1;
  return counts;
}

/** Those that need attention first; within an outcome the order of the run. */
export function sortChecks<Check extends Pick<ConformanceCheck, "outcome">>(checks: readonly Check[]): Check[] {
  const rank = ({ outcome }: Check): number => CONFORMANCE_OUTCOMES.indexOf(outcome);
  return [...checks].sort((left, right) => rank(left) - rank(right));
}
