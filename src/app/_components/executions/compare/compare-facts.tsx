import type { ReactNode } from "react";
import { compareDurations } from "@/app/_components/executions/result/time-ratio";
import { ExecutionBadge } from "@/app/_components/executions/summary/execution-badge";
import { formatExecutionOrigin } from "@/app/_components/executions/summary/execution-origin";
import { formatStoredSize } from "@/app/_components/executions/summary/stored-size";
import { AbsoluteTime } from "@/app/_ui/absolute-time";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { describeStatus } from "@/app/_ui/status-badge";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { formatTitle, getKind } from "@/lib/contract/execution-kind";
import { formatDuration } from "@/lib/format";

interface Fact {
  name: string;
  show: (execution: ExecutionDetail) => ReactNode;
  /** The value that makes two of them equal; without it a difference is not marked. */
  same?: (execution: ExecutionDetail) => unknown;
}

const FACTS: readonly Fact[] = [
  {
    name: "Execution",
    show: (execution) => (
      <Link href={`/executions/${execution.id}`} className="underline">
        {execution.id}
      </Link>
    ),
  },
  {
    name: "Tool",
    show: (execution) =>
      getKind(execution) === "tool" ? (
        <Link href={`/tools/${encodeURIComponent(execution.toolName)}`} className="underline">
          {execution.toolName}
        </Link>
      ) : (
        formatTitle(execution)
      ),
    same: formatTitle,
  },
  {
    name: "Status",
    show: (execution) => <ExecutionBadge execution={execution} />,
    same: ({ status, errorKind }) => describeStatus(status, errorKind),
  },
  { name: "Source", show: formatExecutionOrigin, same: (execution) => execution.source },
  { name: "Caller", show: (execution) => execution.actor.name, same: (execution) => execution.actor.id },
  { name: "Received", show: (execution) => <AbsoluteTime at={execution.queuedAt} /> },
  {
    name: "Definition",
    show: (execution) => execution.definitionHash ?? "none",
    same: (execution) => execution.definitionHash,
  },
  {
    name: "Validation",
    show: (execution) => (execution.validationSkipped ? "Skipped by user" : "Done"),
    same: (execution) => execution.validationSkipped,
  },
  { name: "Size", show: formatStoredSize, same: formatStoredSize },
];

export function CompareFacts({ left, right }: { left: ExecutionDetail; right: ExecutionDetail }) {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <table className="w-full table-fixed text-xs">
        <caption className="sr-only">The two executions</caption>
        <thead>
          <tr className="border-line border-b text-left text-faint">
            <th scope="col" className="w-24 py-1 pr-2 font-medium sm:w-36">
              <span className="sr-only">What</span>
            </th>
            <th scope="col" className="py-1 pr-2 font-medium">
              Left
            </th>
            <th scope="col" className="py-1 font-medium">
              Right
            </th>
          </tr>
        </thead>
        <tbody>
          {FACTS.map((fact) => (
            <FactRow key={fact.name} fact={fact} left={left} right={right} />
          ))}
        </tbody>
      </table>
      <TimeComparison leftMs={left.executionTimeMs} rightMs={right.executionTimeMs} />
    </div>
  );
}

function FactRow({ fact, left, right }: { fact: Fact; left: ExecutionDetail; right: ExecutionDetail }) {
  const differs = fact.same !== undefined && fact.same(left) !== fact.same(right);
  return (
    <tr className={cx("border-line border-b align-top", differs && "bg-warn-bg")}>
      <th scope="row" className={cx("py-1 pr-2 pl-1 text-left font-normal", differs ? "text-warn" : "text-mute")}>
        {fact.name}
        {fact.same !== undefined && <span className="sr-only">{differs ? " (differs)" : " (the same)"}</span>}
      </th>
      <td className="py-1 pr-2 font-mono [overflow-wrap:anywhere]">{fact.show(left)}</td>
      <td className="py-1 font-mono [overflow-wrap:anywhere]">{fact.show(right)}</td>
    </tr>
  );
}

const BAR_WIDTH = 1_000;

/** Both durations on one scale. */
function TimeComparison({ leftMs, rightMs }: { leftMs: number | null; rightMs: number | null }) {
  const longest = Math.max(leftMs ?? 0, rightMs ?? 0);
  const verdict = compareDurations(leftMs, rightMs);
  const bars = [
    { name: "Left", ms: leftMs, fill: "fill-faint" },
    { name: "Right", ms: rightMs, fill: "fill-accent" },
  ];
  return (
    <section aria-label="Duration compared" className="flex flex-col gap-1 text-xs">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 className="font-medium text-sm">Duration</h2>
        <p className="text-mute">{verdict === null ? "Nothing to compare" : `Right is ${verdict}`}</p>
      </div>
      {bars.map((bar) => (
        <div key={bar.name} className="grid grid-cols-[3rem_minmax(0,1fr)_4.5rem] items-center gap-2">
          <span className="text-mute">{bar.name}</span>
          <svg aria-hidden viewBox={`0 0 ${BAR_WIDTH} 6`} preserveAspectRatio="none" className="h-1.5 w-full">
            <rect width={BAR_WIDTH} height={6} className="fill-line" />
            <rect width={longest > 0 ? ((bar.ms ?? 0) / longest) * BAR_WIDTH : 0} height={6} className={bar.fill} />
          </svg>
          <span className="text-right font-mono tabular-nums">{formatDuration(bar.ms)}</span>
        </div>
      ))}
    </section>
  );
}
