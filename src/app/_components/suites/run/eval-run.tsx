import { Check, Minus, X } from "lucide-react";
import {
  formatCost,
  formatInterval,
  formatModel,
  formatTokens,
  toSuitePath,
} from "@/app/_components/suites/summary/run-words";
import { RunBadge } from "@/app/_components/suites/summary/suite-badges";
import { CancelButton } from "@/app/_kit/cancel-button";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Badge } from "@/app/_ui/badge";
import { ButtonLink } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { PageBody } from "@/app/_ui/page-body";
import { PageHeader } from "@/app/_ui/page-header";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import { describeStatus } from "@/app/_ui/status-badge";
import type { EvalAttempt, EvalRunDetail } from "@/lib/contract/eval";
import { formatDuration, formatPlural } from "@/lib/format";

const LOOK: Record<CellStatus, string> = {
  passed: "bg-ok-bg text-ok",
  failed: "bg-bad-bg text-bad",
  pending: "bg-line text-mute",
  skipped: "text-faint",
};

const MAX_TITLE_CHARS = 500;

/** One run of evals: the result of each attempt, and the reasons of failures. */
export function EvalRunPage({ run }: { run: EvalRunDetail }) {
  const { id } = run;
  return (
    <div className="flex flex-col">
      <PageHeader
        title={run.suite}
        mono
        badges={
          <>
            <RunBadge run={run} />
            {run.offering === "discovery" && <Badge title="The model gets search_tools and call_tool">discovery</Badge>}
            {run.edited !== null && <Badge title="With a definition that was not saved">{run.edited} edited</Badge>}
          </>
        }
        actions={
          <>
            <ButtonLink href={toSuitePath(run.suite)}>All runs</ButtonLink>
            {run.status === "running" && (
              <CancelButton needs="run" mutation={trpc.suites.cancelRun} id={id} label="Cancel" />
            )}
          </>
        }
      >
        <RunFacts run={run} />
      </PageHeader>
      <PageBody>
        {run.error !== null && (
          <Alert tone="bad" title="The run stopped">
            {run.error}
          </Alert>
        )}
        <AttemptMatrix run={run} />
        <FailedAttempts run={run} />
      </PageBody>
    </div>
  );
}

function RunFacts({ run }: { run: EvalRunDetail }) {
  const running = run.status === "running";
  return (
    <div className="flex flex-wrap items-center gap-x-2 border-line border-b px-4 pb-2.5 text-mute text-xs">
      <span>
        with <span className="font-mono text-text">{formatModel(run)}</span>
      </span>
      <span aria-hidden>·</span>
      <span className="text-text tabular-nums">
        {run.passed} of {run.total} passed
        {!running && (
          <span title="The rate, and where the true one lies with 95% confidence">
            , {formatInterval(run.passed, run.done)}
          </span>
        )}
      </span>
      <span aria-hidden>·</span>
      <span>{formatPlural(run.rounds, "round")}</span>
      <span aria-hidden>·</span>
      <span>
        {formatTokens(run)} tokens, {formatCost(run.cost)}
      </span>
      <span aria-hidden>·</span>
      <span>
        started <RelativeTime at={run.startedAt} />
        {run.finishedAt !== null && `, took ${formatDuration(run.finishedAt - run.startedAt)}`}
      </span>
      {running && (
        <span className="ml-auto flex items-center gap-2">
          <progress
            aria-label="Attempts that ended"
            value={run.done}
            max={Math.max(run.total, 1)}
            className="h-1.5 w-32 appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent"
          />
          <span className="tabular-nums">
            {run.done} / {run.total}
          </span>
        </span>
      )}
    </div>
  );
}

/** Each failed attempt with its reason and a link to its transcript. */
function FailedAttempts({ run }: { run: EvalRunDetail }) {
  const failed = run.attempts.filter(({ passed }) => !passed);
  if (failed.length === 0) return null;
  const titles = new Map(run.items.map(({ id, title }) => [id, title]));
  return (
    <Card title="What went wrong">
      <ul className="divide-y divide-line">
        {failed.map(({ item, round, reason, runId, runStatus, durationMs }) => (
          <li key={`${round} ${item}`} data-status="failed" className="flex items-start gap-3 px-3.5 py-2">
            <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              <p className="flex flex-wrap gap-x-2">
                <span className="font-medium">{titles.get(item) ?? item}</span>
                <span className="text-mute">
                  round {round} · {formatDuration(durationMs)}
                  {runStatus !== null && runStatus !== "succeeded" && ` · run ${describeStatus(runStatus)}`}
                </span>
              </p>
              <p className="line-clamp-4">{reason ?? "No reason was recorded."}</p>
            </div>
            {runId !== null && (
              <ButtonLink href={`/runs/${encodeURIComponent(runId)}`}>
                Transcript
                <span className="sr-only">
                  {" "}
                  of {titles.get(item) ?? item}, round {round}
                </span>
              </ButtonLink>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Evals down, rounds across; an attempt that is a run leads to its transcript. */
function AttemptMatrix({ run }: { run: EvalRunDetail }) {
  const rows = toRows(run);
  return (
    <Card title="Attempts">
      <ScrollRegion label="Attempts by eval and round">
        <table className="w-full text-left">
          <thead className="text-mute text-xs">
            <tr className="border-line border-b">
              <th scope="col" className="py-1.5 pr-3 pl-3.5 font-normal">
                Eval
              </th>
              {rows[0]?.cells.map(({ round }) => (
                <th key={round} scope="col" className="w-9 px-1 py-1.5 text-center font-normal">
                  <span className="sr-only">Round </span>
                  {round}
                </th>
              ))}
              <th scope="col" className="py-1.5 pr-3.5 pl-2 text-right font-normal">
                Passed
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id} className="border-line border-b last:border-b-0">
                <th scope="row" className="min-w-44 py-1.5 pr-3 pl-3.5 text-left font-normal">
                  <span className="line-clamp-3 block font-medium [overflow-wrap:anywhere]">{row.title}</span>
                  <span className="block text-mute text-xs [overflow-wrap:anywhere]">{row.description}</span>
                </th>
                {row.cells.map((cell) => (
                  <td key={cell.round} className="px-1 py-1.5 text-center">
                    <AttemptCell cell={cell} title={row.title} />
                  </td>
                ))}
                <td className="whitespace-nowrap py-1.5 pr-3.5 pl-2 text-right font-mono text-xs tabular-nums">
                  {row.passed} / {row.cells.length}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Card>
  );
}

function AttemptCell({ cell, title }: { cell: Cell; title: string }) {
  const { attempt, status, round } = cell;
  const look = cx("mx-auto grid size-7 place-items-center rounded-md", LOOK[status]);
  const facts = attempt && [status, formatDuration(attempt.durationMs), attempt.reason].filter(Boolean).join(" · ");
  if (attempt === null || attempt.runId === null) {
    return (
      <span data-status={status} title={facts?.slice(0, MAX_TITLE_CHARS) ?? status} className={look}>
        <Sign status={status} />
        <span className="sr-only">{status}</span>
      </span>
    );
  }
  return (
    <Link
      href={`/runs/${encodeURIComponent(attempt.runId)}`}
      data-status={status}
      title={facts?.slice(0, MAX_TITLE_CHARS)}
      aria-label={`${title}, round ${round}: ${status}, transcript`}
      className={cx(look, "hover:ring-1 hover:ring-current")}
    >
      <Sign status={status} />
    </Link>
  );
}

function Sign({ status }: { status: CellStatus }) {
  if (status === "passed") return <Check size={15} strokeWidth={1.8} />;
  if (status === "failed") return <X size={15} strokeWidth={1.8} />;
  return <Minus size={15} />;
}

/** The status of one attempt: `pending` has not started, `skipped` was not reached before the run ended. */
type CellStatus = "passed" | "failed" | "pending" | "skipped";

interface Cell {
  round: number;
  status: CellStatus;
  attempt: EvalAttempt | null;
}

interface Row {
  id: string;
  title: string;
  description: string;
  passed: number;
  cells: Cell[];
}

/** A run as a table: a row an eval, a column a round. */
function toRows({ items, attempts, rounds, status }: EvalRunDetail): Row[] {
  const known = new Map(attempts.map((attempt) => [`${attempt.round} ${attempt.item}`, attempt]));
  return items.map((item) => {
    const cells = Array.from({ length: rounds }, (_, at): Cell => {
      const round = at + 1;
      const attempt = known.get(`${round} ${item.id}`) ?? null;
      if (attempt === null) return { round, attempt, status: status === "running" ? "pending" : "skipped" };
      return { round, attempt, status: attempt.passed ? "passed" : "failed" };
    });
    return { ...item, cells, passed: cells.filter((cell) => cell.status === "passed").length };
  });
}
