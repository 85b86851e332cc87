import { ChevronRight, X } from "lucide-react";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { toComparePath } from "@/app/_components/executions/summary/comparison";
import { describeCounts, RunBadge, TestResultBadge } from "@/app/_components/suites/summary/suite-badges";
import { type Column, DataTable, type Disclosure } from "@/app/_kit/data-table";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button, ButtonLink } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { PageHeader } from "@/app/_ui/page-header";
import { RelativeTime } from "@/app/_ui/relative-time";
import { Segmented } from "@/app/_ui/segmented";
import type { TestProblem, TestResult, TestRun, TestRunDetail } from "@/lib/contract/suite";
import { formatDuration } from "@/lib/format";

const SHOWN = ["all", "passed", "failed", "error", "skipped"] as const;
const WORDS: Record<TestRun["kind"], Record<(typeof SHOWN)[number], string>> = {
  tests: { all: "All", passed: "Passed", failed: "Failed", error: "Error", skipped: "Not run" },
  replay: { all: "All", passed: "Same", failed: "Different", error: "Failed", skipped: "Not called" },
};
const STEP = 100;

/** A run of a suite of tests or a replay: how far it is, and the result of each call. */
export function TestRunPage({ run }: { run: TestRunDetail }) {
  const [shown, setShown] = useQueryState("show", parseAsStringLiteral(SHOWN).withDefault("all"));
  const results = run.results.filter(({ status }) => shown === "all" || status === shown);
  const count = (each: (typeof SHOWN)[number]): number =>
    each === "all" ? run.results.length : run.results.filter(({ status }) => status === each).length;
  const options = SHOWN.filter((each) => each === "all" || each === shown || count(each) > 0).map((value) => ({
    value,
    label: `${WORDS[run.kind][value]} ${count(value)}`,
  }));
  return (
    <div className="flex min-h-full flex-col">
      <RunHeader run={run} />
      <div className="flex flex-col gap-3 p-4">
        {run.error !== null && <Alert tone={run.status === "cancelled" ? "warn" : "bad"} title={run.error} />}
        <Progress run={run} />
        <Segmented
          label="Results"
          value={shown}
          options={options}
          onChange={(next) => void setShown(next)}
          className="self-start"
        />
        <div className="overflow-x-auto rounded-lg border border-line bg-panel">
          {results.length === 0 ? (
            <EmptyState title={run.status === "running" ? "Results appear as calls end" : "No results"} />
          ) : (
            <DataTable
              look="panel"
              label="Results"
              columns={run.kind === "replay" ? REPLAY_COLUMNS : SUITE_COLUMNS}
              rows={results}
              toKey={({ position }) => String(position)}
              renderDetail={(result, disclosure) => <ResultDetail result={result} disclosure={disclosure} />}
              step={STEP}
            />
          )}
        </div>
      </div>
    </div>
  );
}

function RunHeader({ run }: { run: TestRunDetail }) {
  const { id, kind, name, actor, startedAt, finishedAt, trigger, status } = run;
  const cancelling = useAction(trpc.suites.cancelRun, {
    stale: [trpc.suites.getRun.queryKey({ id })],
    failed: "Couldn't cancel",
    report: "toast",
  });
  return (
    <PageHeader
      title={kind === "replay" ? `Replay: ${name}` : name}
      badges={<RunBadge run={run} />}
      actions={
        status === "running" && (
          <Button icon={X} needs="run" disabled={cancelling.isPending} onClick={() => cancelling.mutate({ id })}>
            {cancelling.isPending ? "Cancelling…" : "Cancel"}
          </Button>
        )
      }
    >
      <p className="border-line border-b px-4 pt-1 pb-2 text-mute text-xs">
        {describeCounts(run)} · {trigger === "schedule" ? "scheduled by" : "started by"} {actor?.name}{" "}
        <RelativeTime at={startedAt} />
        {finishedAt !== null && ` · took ${formatDuration(finishedAt - startedAt)}`}
      </p>
    </PageHeader>
  );
}

function Progress({ run: { status, total, results } }: { run: TestRunDetail }) {
  if (status !== "running") return null;
  return (
    <progress aria-label="Calls that ended" className="h-1.5 w-full accent-accent" value={results.length} max={total} />
  );
}

const STATUS_AND_NAME = (kind: TestRun["kind"]): Column<TestResult>[] => [
  {
    head: "Result",
    className: "pl-3.5",
    render: ({ status }) => <TestResultBadge status={status} kind={kind} />,
  },
  {
    head: kind === "tests" ? "Test" : "Recorded call",
    cellClass: "w-full max-w-0 truncate",
    render: (result, disclosure) => <Name result={result} disclosure={disclosure} isReplay={kind === "replay"} />,
  },
];

const REST: readonly Column<TestResult>[] = [
  {
    head: "Tool",
    className: "max-md:hidden",
    cellClass: "whitespace-nowrap font-mono text-xs",
    render: ({ tool }) => tool,
  },
  {
    head: "Duration",
    className: "max-md:hidden",
    cellClass: "whitespace-nowrap text-xs tabular-nums",
    render: ({ durationMs }) => formatDuration(durationMs),
  },
  {
    head: "Execution",
    className: "pr-3.5",
    cellClass: "whitespace-nowrap text-xs",
    render: ({ executionId, originalId }) => <ResultLinks executionId={executionId} originalId={originalId} />,
  },
];
const SUITE_COLUMNS: readonly Column<TestResult>[] = [...STATUS_AND_NAME("tests"), ...REST];
const REPLAY_COLUMNS: readonly Column<TestResult>[] = [...STATUS_AND_NAME("replay"), ...REST];

interface NameProps {
  result: TestResult;
  disclosure: Disclosure;
  isReplay: boolean;
}

function Name({ result: { name, reason, problems }, disclosure: { open, toggle, id }, isReplay }: NameProps) {
  const [first] = problems;
  const hint = reason ?? (first === undefined ? null : describeProblem(first));
  const text = <span className={cx("truncate", isReplay ? "font-mono text-xs" : "font-medium")}>{name}</span>;
  return (
    <>
      {problems.length === 0 ? (
        text
      ) : (
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={toggle}
          className="inline-flex max-w-full items-center gap-1 hover:underline"
        >
          <ChevronRight size={13} className={cx("shrink-0 transition-transform", open && "rotate-90")} />
          {text}
        </button>
      )}
      {hint !== null && !open && <p className="truncate text-mute text-xs">{hint}</p>}
    </>
  );
}

function ResultLinks({ executionId, originalId }: Pick<TestResult, "executionId" | "originalId">) {
  if (executionId === null) return <span className="text-faint">–</span>;
  const compare = originalId === null ? null : toComparePath([originalId, executionId]);
  return (
    <span className="inline-flex gap-2">
      <Link href={`/executions/${executionId}`} className="underline">
        Open
      </Link>
      {compare !== null && (
        <Link href={compare} className="underline">
          Compare
        </Link>
      )}
    </span>
  );
}

function ResultDetail({ result, disclosure: { open, id } }: { result: TestResult; disclosure: Disclosure }) {
  if (!open) return null;
  const { problems, executionId, originalId } = result;
  const compare = executionId === null || originalId === null ? null : toComparePath([originalId, executionId]);
  return (
    <tr id={id}>
      <td colSpan={5} className="px-3.5 pb-3">
        <ul className="flex flex-col gap-2">
          {problems.map((problem, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the problems of a result never change
            <li key={at} className="rounded-lg border border-line p-2.5 text-xs">
              <p>
                <span className="text-mute">{problem.assertion}</span>{" "}
                <span className="[overflow-wrap:anywhere]">{describeProblem(problem)}</span>
              </p>
              <Values problem={problem} />
            </li>
          ))}
        </ul>
        {compare !== null && (
          <ButtonLink href={compare} className="mt-2">
            Compare the whole result
          </ButtonLink>
        )}
      </td>
    </tr>
  );
}

function Values({ problem: { expected, actual } }: { problem: TestProblem }) {
  if (expected === null && actual === null) return null;
  return (
    <dl className="mt-1.5 grid gap-2 font-mono sm:grid-cols-2">
      {expected !== null && <Value label="Expected" text={expected} tone="bg-bad-bg" />}
      {actual !== null && <Value label="Actual" text={actual} tone="bg-ok-bg" />}
    </dl>
  );
}

function Value({ label, text, tone }: { label: string; text: string; tone: string }) {
  return (
    <div className={cx("min-w-0 rounded-md px-2 py-1", tone)}>
      <dt className="font-sans text-2xs text-mute">{label}</dt>
      <dd className="[overflow-wrap:anywhere]">{text}</dd>
    </div>
  );
}

function describeProblem({ path, message }: TestProblem): string {
  return path === "" ? message : `${path} ${message}`;
}
