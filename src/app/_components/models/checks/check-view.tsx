"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { useLiveModels } from "@/app/_components/models/summary/use-live-models";
import { CancelButton } from "@/app/_kit/cancel-button";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { ButtonLink } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { PageHeader } from "@/app/_ui/page-header";
import { RelativeTime } from "@/app/_ui/relative-time";
import { describeStatus } from "@/app/_ui/status-badge";
import type { ModelCheckDetail } from "@/lib/contract/model";
import { formatDuration, formatPlural, formatRate } from "@/lib/format";
import { CheckBadge } from "./check-badge";
import { CheckMatrix } from "./check-matrix";
import { runningPollMs } from "./running-poll";

/** One check: what each attempt came to, and why some failed. */
export function CheckView({ id }: { id: string }) {
  const trpc = useTRPC();
  const { data: check } = useSuspenseQuery({
    ...trpc.modelChecks.get.queryOptions({ id }),
    refetchInterval: ({ state }) => runningPollMs(state.data?.status === "running"),
  });
  useLiveModels();
  return (
    <div className="flex flex-col">
      <PageHeader
        title={check.model}
        mono
        badges={<CheckBadge check={check} />}
        actions={
          check.status === "running" && (
            <CancelButton needs="run" mutation={trpc.modelChecks.cancel.mutationOptions()} id={id} label="Cancel" />
          )
        }
      >
        <CheckFacts check={check} />
      </PageHeader>
      <div className="flex max-w-5xl flex-col gap-4 p-4">
        {check.error !== null && (
          <Alert tone="bad" title="The check stopped">
            {check.error}
          </Alert>
        )}
        <CheckMatrix check={check} />
        <FailedAttempts check={check} />
      </div>
    </div>
  );
}

function CheckFacts({ check }: { check: ModelCheckDetail }) {
  const running = check.status === "running";
  return (
    <div className="flex flex-wrap items-center gap-x-2 border-line border-b px-4 pb-2.5 text-mute text-xs">
      <span>
        provider <span className="font-mono text-text">{check.provider}</span>
      </span>
      <span aria-hidden>·</span>
      <span className="text-text tabular-nums">
        {check.passed} of {check.total} passed{!running && ` (${formatRate(check.passed, check.total)})`}
      </span>
      <span aria-hidden>·</span>
      <span>{formatPlural(check.rounds, "round")}</span>
      <span aria-hidden>·</span>
      <span>
        started <RelativeTime at={check.startedAt} />
        {check.finishedAt !== null && `, took ${formatDuration(check.finishedAt - check.startedAt)}`}
      </span>
      {running && (
        <span className="ml-auto flex items-center gap-2">
          <progress
            aria-label="Attempts that ended"
            value={check.done}
            max={Math.max(check.total, 1)}
            className="h-1.5 w-32 appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent"
          />
          <span className="tabular-nums">
            {check.done} / {check.total}
          </span>
        </span>
      )}
    </div>
  );
}

/** Each attempt that failed, why, and the way to what was said. */
function FailedAttempts({ check }: { check: ModelCheckDetail }) {
  const failed = check.attempts.filter(({ passed }) => !passed);
  if (failed.length === 0) return null;
  const titles = new Map(check.scenarios.map(({ id, title }) => [id, title]));
  return (
    <Card title="What went wrong">
      <ul className="divide-y divide-line">
        {failed.map(({ scenario, round, reason, runId, runStatus, durationMs }) => (
          <li key={`${round} ${scenario}`} data-status="failed" className="flex items-start gap-3 px-3.5 py-2">
            <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              <p className="flex flex-wrap gap-x-2">
                <span className="font-medium">{titles.get(scenario) ?? scenario}</span>
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
                  of {titles.get(scenario) ?? scenario}, round {round}
                </span>
              </ButtonLink>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
