"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import {
  formatCost,
  formatInterval,
  formatModel,
  formatTokens,
  toSuitePath,
} from "@/app/_components/evals/summary/eval-words";
import { RunBadge } from "@/app/_components/evals/summary/run-badge";
import { runningPollMs } from "@/app/_components/evals/summary/running-poll";
import { useLiveEvals } from "@/app/_components/evals/summary/use-live-evals";
import { CancelButton } from "@/app/_kit/cancel-button";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Badge } from "@/app/_ui/badge";
import { ButtonLink } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { PageHeader } from "@/app/_ui/page-header";
import { RelativeTime } from "@/app/_ui/relative-time";
import { describeStatus } from "@/app/_ui/status-badge";
import type { EvalRunDetail } from "@/lib/contract/eval";
import { formatDuration, formatPlural } from "@/lib/format";
import { AttemptMatrix } from "./attempt-matrix";

/** One run of a suite: what each attempt came to, and why some failed. */
export function EvalRunView({ id }: { id: string }) {
  const trpc = useTRPC();
  const { data: run } = useSuspenseQuery({
    ...trpc.evals.run.queryOptions({ id }),
    refetchInterval: ({ state }) => runningPollMs(state.data?.status === "running"),
  });
  useLiveEvals();
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
              <CancelButton needs="run" mutation={trpc.evals.cancelRun.mutationOptions()} id={id} label="Cancel" />
            )}
          </>
        }
      >
        <RunFacts run={run} />
      </PageHeader>
      <div className="flex max-w-5xl flex-col gap-4 p-4">
        {run.error !== null && (
          <Alert tone="bad" title="The run stopped">
            {run.error}
          </Alert>
        )}
        <AttemptMatrix run={run} />
        <FailedAttempts run={run} />
      </div>
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
