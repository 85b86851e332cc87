import type { ResultCounts, RuleProposal } from "../contract/rule-insight";
import { formatCount, formatPlural } from "../format/count";

/** `9 of 11 failed calls and 2 of 1,204 good ones`: what a condition would have caught. */
export function describeCaught(
  { failed, succeeded }: Pick<RuleProposal, "failed" | "succeeded">,
  totals: { failed: number; succeeded: number },
): string {
  return `${formatCount(failed)} of ${formatPlural(totals.failed, "failed call")} and ${formatCount(succeeded)} of ${formatCount(totals.succeeded)} good ones`;
}

/** `14 calls: 11 succeeded, 3 failed`: what became of calls. */
export function describeResults(counts: ResultCounts): string {
  const { matched, succeeded, failed, rejected, cancelled, open } = counts;
  const ends = [
    [succeeded, "succeeded"],
    [failed, "failed"],
    [rejected, "rejected"],
    [cancelled, "cancelled"],
    [open, "not ended"],
  ] as const;
  const parts = ends.filter(([count]) => count > 0).map(([count, word]) => `${formatCount(count)} ${word}`);
  return `${formatPlural(matched, "call")}${parts.length > 0 ? `: ${parts.join(", ")}` : ""}`;
}
