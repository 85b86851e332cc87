"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { ArrowLeftRight } from "lucide-react";
import type { ReactNode } from "react";
import { DiffView } from "@/app/_components/executions/diff/diff-view";
import { toComparePath } from "@/app/_components/executions/summary/comparison";
import { ExecutionBadge } from "@/app/_components/executions/summary/execution-badge";
import { useExecution } from "@/app/_components/executions/summary/use-execution";
import { CallQuestions } from "@/app/_components/interactions/call-questions";
import { useWaitsForInput } from "@/app/_components/interactions/summary/use-waits-for-input";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { ButtonLink } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { PageHeader } from "@/app/_ui/page-header";
import { RelativeTime } from "@/app/_ui/relative-time";
import { splitTotal } from "@/lib/contract/call-times";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { formatTitle, getKind } from "@/lib/contract/execution-kind";
import { formatDuration } from "@/lib/format";
import { compareDurations, SAME_DURATION } from "../result/time-ratio";
import { formatExecutionOrigin } from "../summary/execution-origin";
import { formatStoredSize } from "../summary/stored-size";

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
  { name: "Received", show: (execution) => <RelativeTime at={execution.queuedAt} /> },
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

/** Two calls side by side: what differs first, in results, arguments and duration; their other facts folded. */
export function CompareView({ leftId, rightId }: { leftId: string; rightId: string }) {
  const left = useWatched(leftId);
  const right = useWatched(rightId);
  const swapped = toComparePath([rightId, leftId]);
  const running = [left, right].filter(({ status }) => status === "running" || status === "waiting");
  return (
    <>
      <PageHeader
        title={left.toolName === right.toolName ? `Compare ${formatTitle(left)}` : "Compare two tools"}
        actions={
          swapped !== null && (
            <ButtonLink icon={ArrowLeftRight} href={swapped} replace>
              Swap
            </ButtonLink>
          )
        }
      />
      <div className="flex flex-col gap-6 p-4">
        {left.toolName !== right.toolName && (
          <Alert tone="warn" title="Two different tools">
            Differences may come from the tools alone.
          </Alert>
        )}
        {running.map((execution) => (
          <RunningNote key={execution.id} execution={execution} />
        ))}
        <Sides left={left} right={right} />
        {listCompared(left, right).map((compared) => (
          <DiffView key={compared.label} {...compared} />
        ))}
        <TimeComparison leftMs={left.durationMs} rightMs={right.durationMs} />
        <CompareFacts left={left} right={right} />
      </div>
    </>
  );
}

/** Links the call of each side and shows its status. */
function Sides({ left, right }: { left: ExecutionDetail; right: ExecutionDetail }) {
  return (
    <div className="grid gap-3 md:grid-cols-2">
      {[left, right].map((execution, at) => (
        <div key={execution.id} className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
          <h2 className="font-medium">{at === 0 ? "Before" : "After"}</h2>
          <Link href={`/executions/${execution.id}`} className="truncate font-mono text-xs underline max-sm:py-3">
            {execution.id}
          </Link>
          <ExecutionBadge execution={execution} />
          <RelativeTime at={execution.queuedAt} className="text-mute text-xs" />
        </div>
      ))}
    </div>
  );
}

/** Why there is nothing to compare yet; the form of a call that waits for input stands right here. */
function RunningNote({ execution }: { execution: ExecutionDetail }) {
  const { id, status } = execution;
  const waitsForInput = useWaitsForInput({ executionId: id }, status === "running");
  return (
    <>
      {status === "waiting" ? (
        <Alert tone="warn" title={`${id} needs approval`}>
          <Link href={`/approvals?id=${encodeURIComponent(id)}`} className="underline">
            Review the request
          </Link>
        </Alert>
      ) : (
        <Alert
          tone={waitsForInput ? "warn" : "accent"}
          title={waitsForInput ? `${id} is waiting for input` : `${id} is still running`}
        >
          The comparison appears when it ends.
        </Alert>
      )}
      {status === "running" && <CallQuestions execution={execution} />}
    </>
  );
}

function useWatched(id: string): ExecutionDetail {
  const first = useSuspenseQuery(trpc.executions.get.queryOptions({ id }));
  return useExecution(id).data ?? first.data;
}

interface Compared {
  label: string;
  left: string;
  right: string;
}

/** The texts of both calls, those that differ first. */
function listCompared(left: ExecutionDetail, right: ExecutionDetail): Compared[] {
  const outcome = { label: outcomeLabel(left, right), left: outcomeText(left), right: outcomeText(right) };
  const args = { label: "Arguments", left: left.argumentsText, right: right.argumentsText };
  const isSame = (compared: Compared): boolean => compared.left === compared.right;
  return isSame(outcome) && !isSame(args) ? [args, outcome] : [outcome, args];
}

function outcomeLabel(left: ExecutionDetail, right: ExecutionDetail): string {
  if (left.error === null && right.error === null) return "Result";
  return left.error !== null && right.error !== null ? "Error" : "Result and error";
}

/** Returns the outcome of a call: its stored result, or else its error. */
function outcomeText(execution: ExecutionDetail): string {
  if (execution.resultText !== null) return execution.resultText;
  return execution.error === null ? "" : JSON.stringify(execution.error);
}

interface Fact {
  name: string;
  show: (execution: ExecutionDetail) => ReactNode;
  /** The value that makes two of them equal; without it a difference is not marked. */
  same?: (execution: ExecutionDetail) => unknown;
}

/** The facts of both calls, folded. The summary names those that differ; the status of each call is in its heading. */
function CompareFacts({ left, right }: { left: ExecutionDetail; right: ExecutionDetail }) {
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
              Before
            </th>
            <th scope="col" className="py-1 font-medium">
              After
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

function describeRatio(verdict: string | null): string {
  if (verdict === null) return "Nothing to compare";
  return verdict === SAME_DURATION ? "About the same" : `After is ${verdict}`;
}

function TimeComparison({ leftMs, rightMs }: { leftMs: number | null; rightMs: number | null }) {
  const verdict = compareDurations(leftMs, rightMs);
  return (
    <section aria-label="Duration compared" className="flex flex-wrap items-baseline gap-x-3">
      <h2 className="font-medium">Duration</h2>
      <p className="text-mute text-xs">{describeRatio(verdict)}</p>
      <p className="font-mono text-xs tabular-nums">
        {formatDuration(leftMs)} → {formatDuration(rightMs)}
      </p>
    </section>
  );
}
