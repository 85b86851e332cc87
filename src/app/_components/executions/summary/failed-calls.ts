import { describeStatus } from "@/app/_ui/status-badge";
import { FAILED_CLASSES, type FailedClass, PROGRAM_SOURCES } from "@/lib/contract/call-class";
import type { CallFigures, ExecutionOutcome } from "@/lib/contract/execution";
import { formatCount, formatPlural } from "@/lib/format";

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
