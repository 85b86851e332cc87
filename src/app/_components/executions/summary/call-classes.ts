import { describeStatus } from "@/app/_ui/status-badge";
import { CONSOLE_SOURCES, FAILED_CLASSES, type FailedClass, PROGRAM_SOURCES } from "@/lib/contract/call-class";
import type { CallFigures, ExecutionOutcome, WaitFigures } from "@/lib/contract/execution";
import { formatCount, formatDuration, formatPlural, formatRate } from "@/lib/format";

/** A class of calls as the filters of its list, and its count with a word. */
export interface ClassCount {
  key: string;
  filter: { status: ExecutionOutcome; source?: string };
  text: string;
}

const PROGRAMS = PROGRAM_SOURCES.join(",");

/** The filters that list the calls of a class. */
export const FAILED_FILTERS: Readonly<Record<FailedClass, ClassCount["filter"]>> = {
  error: { status: "error" },
  timedOut: { status: "timed_out" },
  interrupted: { status: "interrupted" },
  invalid: { status: "invalid", source: PROGRAMS },
};

const formatPart = (part: FailedClass, count: number): string =>
  part === "error"
    ? formatPlural(count, "error")
    : `${formatCount(count)} ${describeStatus(FAILED_FILTERS[part].status)}`;

/** The parts of the failed calls that have some: `3 errors`, `7 invalid`. */
export function listFailedParts(figures: Readonly<Record<FailedClass, number>>): ClassCount[] {
  return FAILED_CLASSES.filter((part) => figures[part] > 0).map((part) => ({
    key: part,
    filter: FAILED_FILTERS[part],
    text: formatPart(part, figures[part]),
  }));
}

/** `3 of 40 finished calls: 1 error, 2 timed out` */
export function describeFailed(figures: Pick<CallFigures, "finished" | "failed" | FailedClass>): string {
  const parts = listFailedParts(figures).map(({ text }) => text);
  const total = `${formatCount(figures.failed)} of ${formatPlural(figures.finished, "finished call")} failed`;
  return parts.length === 0 ? total : `${total}: ${parts.join(", ")}`;
}

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
      // The only word that has a plural.
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
