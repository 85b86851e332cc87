import type { ReactNode } from "react";
import { TimeChart, type TimeChartProps } from "@/app/_kit/chart/time-chart";
import type { TimelinePoint } from "@/lib/contract/execution-facets";
import { formatCount, formatPlural, formatRate } from "@/lib/format";
import { listExcludedCalls } from "./call-classes";
import { listFailedParts } from "./failed-calls";

export interface CallChartProps {
  title: string;
  /** Oldest first, without gaps. */
  points: readonly TimelinePoint[];
  /** Exclusive end of the last step. */
  end: number;
  zone: string;
  toPath: TimeChartProps["toPath"];
  action?: ReactNode;
  note?: string | undefined;
  isPlain?: boolean;
}

export const toSteps = (points: readonly TimelinePoint[], end: number) =>
  points.map(({ at }, index) => ({ at, end: points[index + 1]?.at ?? end }));

const getFinished = ({ succeeded, failed }: TimelinePoint): number => succeeded + failed;
/** Calls that neither succeeded nor failed: rejected, cancelled, not ended, or invalid in the console. */
const getOthers = (point: TimelinePoint): number => point.calls - getFinished(point);

/** Calls as columns; failures, which are rare beside them, as a line on a scale of their own. */
export function CallsChart({ points, end, ...chart }: CallChartProps) {
  const sum = (read: (point: TimelinePoint) => number): number => points.reduce((all, each) => all + read(each), 0);
  const hasOthers = sum(getOthers) > 0;
  return (
    <TimeChart
      {...chart}
      summary={`${formatPlural(
        sum(({ calls }) => calls),
        "call",
      )}, ${formatCount(sum(({ failed }) => failed))} failed`}
      steps={toSteps(points, end)}
      formatAxis={(value) => (Number.isInteger(value) ? formatCount(value) : "")}
      describeStep={(step) => describeCalls(points[step])}
      listFigures={(step) => listCalls(points[step])}
      series={[
        { label: hasOthers ? "finished" : "calls", look: "bar", tone: "accent", values: points.map(getFinished) },
        ...(hasOthers
          ? [{ label: "invalid, rejected, waiting", look: "bar", tone: "mute", values: points.map(getOthers) } as const]
          : []),
        { label: "failed", look: "line", tone: "bad", values: points.map(({ failed }) => failed), onRight: true },
      ]}
    />
  );
}

const NO_CALL: TimelinePoint = {
  at: 0,
  calls: 0,
  succeeded: 0,
  failed: 0,
  error: 0,
  timedOut: 0,
  interrupted: 0,
  invalid: 0,
  consoleInvalid: 0,
  rejected: 0,
  cancelled: 0,
  open: 0,
  p50Ms: null,
  p95Ms: null,
  p99Ms: null,
};

function describeCalls(point: TimelinePoint = NO_CALL): string[] {
  return [
    formatPlural(point.calls, "call"),
    `${formatCount(point.failed)} failed (${formatRate(point.failed, getFinished(point))})`,
    ...[...listFailedParts(point), ...listExcludedCalls({ ...point, waiting: 0 })].map(({ text }) => text),
    ...(point.open > 0 ? [`${formatCount(point.open)} open`] : []),
  ];
}

function listCalls(point: TimelinePoint = NO_CALL): Record<string, string> {
  const { calls, succeeded, failed } = point;
  return {
    Calls: formatCount(calls),
    Succeeded: formatCount(succeeded),
    Failed: formatCount(failed),
    "Invalid, rejected, waiting": formatCount(getOthers(point)),
    "Failure rate": formatRate(failed, getFinished(point)),
  };
}

/** The note of a timeline that reached its limit. */
export const formatNote = (calls: number): string =>
  `The newest ${formatCount(calls)} calls are counted. A shorter time range shows all of its calls.`;
