import { describeStatus } from "@/app/_ui/status-badge";
import { CONSOLE_SOURCES } from "@/lib/contract/call-class";
import type { CallFigures, WaitFigures } from "@/lib/contract/execution";
import { formatCount, formatDuration, formatRate } from "@/lib/format";
import { type ClassCount, describeFailed } from "./failed-calls";

type Excluded = "consoleInvalid" | "rejected" | "cancelled" | "waiting";

const EXCLUDED_FILTERS: Readonly<Record<Excluded, ClassCount["filter"]>> = {
  consoleInvalid: { status: "invalid", source: CONSOLE_SOURCES.join(",") },
  rejected: { status: "rejected" },
  cancelled: { status: "cancelled" },
  waiting: { status: "waiting" },
};

/** Classes of calls that are no part of a failure rate and have calls: `3 invalid in the console`. */
export function listExcludedCalls(figures: Pick<CallFigures, Excluded>): ClassCount[] {
  const names = Object.keys(EXCLUDED_FILTERS) as Excluded[];
  return names
    .filter((name) => figures[name] > 0)
    .map((name) => {
      const filter = EXCLUDED_FILTERS[name];
      const count = figures[name];
      // The only word with a plural.
      const word = name === "waiting" && count !== 1 ? "need approval" : describeStatus(filter.status);
      const suffix = name === "consoleInvalid" ? " in the console" : "";
      return { key: name, filter, text: `${formatCount(count)} ${word}${suffix}` };
    });
}

/** `2 of 40 finished calls failed: 1 error, 1 invalid (5%). Not counted: 3 rejected. Wait for a user: p50 3 s, p95 9 s.` */
export function describeCalls({ waits, ...figures }: CallFigures & { waits: WaitFigures }): string {
  const { failed, finished } = figures;
  const excluded = listExcludedCalls(figures).map(({ text }) => text);
  return [
    `${describeFailed(figures)} (${formatRate(failed, finished)}).`,
    excluded.length === 0 ? null : `Not counted: ${excluded.join(", ")}.`,
    waits.calls === 0
      ? null
      : `Wait for a user: p50 ${formatDuration(waits.p50Ms)}, p95 ${formatDuration(waits.p95Ms)}.`,
  ]
    .filter((part) => part !== null)
    .join(" ");
}
