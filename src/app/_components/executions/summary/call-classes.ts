import { describeStatus } from "@/app/_ui/status-badge";
import type { CallFigures, WaitFigures } from "@/lib/contract/execution";
import { formatCount, formatDuration, formatRate } from "@/lib/format";

type Excluded = "invalid" | "rejected" | "cancelled" | "waiting";

const EXCLUDED: readonly Excluded[] = ["invalid", "rejected", "cancelled", "waiting"];

/** Classes of calls that are no part of a failure rate and have calls: `3 invalid`. */
export function listExcludedCalls(figures: Pick<CallFigures, Excluded>): { status: Excluded; text: string }[] {
  return EXCLUDED.filter((status) => figures[status] > 0).map((status) => {
    const count = figures[status];
    // The only word that has a plural.
    const word = status === "waiting" && count !== 1 ? "need approval" : describeStatus(status);
    return { status, text: `${formatCount(count)} ${word}` };
  });
}

/** `2 of 40 finished calls failed (5%). Not counted: 3 invalid. Wait for a person: p50 3 s, p95 9 s.` */
export function describeCalls({ waits, ...figures }: CallFigures & { waits: WaitFigures }): string {
  const { failed, finished } = figures;
  const excluded = listExcludedCalls(figures).map(({ text }) => text);
  return [
    `${formatCount(failed)} of ${formatCount(finished)} finished calls failed (${formatRate(failed, finished)}).`,
    excluded.length === 0 ? null : `Not counted: ${excluded.join(", ")}.`,
    waits.calls === 0
      ? null
      : `Wait for a person: p50 ${formatDuration(waits.p50Ms)}, p95 ${formatDuration(waits.p95Ms)}.`,
  ]
    .filter((part) => part !== null)
    .join(" ");
}
