import type { ReactNode } from "react";
import { compareDurations } from "@/app/_components/executions/result/time-ratio";
import { formatExecutionOrigin } from "@/app/_components/executions/summary/execution-origin";
import { formatStoredSize } from "@/app/_components/executions/summary/stored-size";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import { splitTotal } from "@/lib/contract/call-times";
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
  { name: "Source", show: formatExecutionOrigin, same: (execution) => execution.source },
  { name: "Caller", show: (execution) => execution.actor.name, same: (execution) => execution.actor.id },
  { name: "Received", show: (execution) => <RelativeTime at={execution.queuedAt} clock /> },
  { name: "Total", show: (execution) => formatDuration(splitTotal(execution).totalMs) },
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

/** The facts of both calls, folded. The summary names those that differ; the status of each call is in its heading. */
export function CompareFacts({ left, right }: { left: ExecutionDetail; right: ExecutionDetail }) {
  const differing = FACTS.filter(({ same }) => same !== undefined && same(left) !== same(right));
  return (
    <details className="min-w-0 text-xs">
      <summary className="w-fit rounded-xs text-mute hover:text-text">
        <span className="font-medium text-sm text-text">Details</span>{" "}
        {differing.length === 0 ? "Identical" : `Different: ${differing.map(({ name }) => name).join(", ")}`}
      </summary>
      <table aria-label="Details of the two executions" className="mt-1.5 w-full table-fixed">
        <thead>
          <tr className="border-line border-b text-left text-faint">
            <th scope="col" className="w-24 py-1 pr-2 font-medium sm:w-36">
              <span className="sr-only">Detail</span>
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
    </details>
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

export function TimeComparison({ leftMs, rightMs }: { leftMs: number | null; rightMs: number | null }) {
  const verdict = compareDurations(leftMs, rightMs);
  return (
    <section aria-label="Duration compared" className="flex flex-wrap items-baseline gap-x-3">
      <h2 className="font-medium">Duration</h2>
      <p className="text-mute text-xs">{verdict === null ? "Nothing to compare" : `Right is ${verdict}`}</p>
      <p className="font-mono text-xs tabular-nums">
        {formatDuration(leftMs)} → {formatDuration(rightMs)}
      </p>
    </section>
  );
}
