"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { DueIn } from "@/app/_kit/due-in";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { Alert } from "@/app/_ui/alert";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { EmptyState } from "@/app/_ui/empty-state";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { JobFailure, JobQueue } from "@/lib/contract/job";
import { formatCount, formatDuration } from "@/lib/format";

const READ_MS = 5_000;

/** Jobs of a later version are shown by their kind. */
const TITLES: Readonly<Record<string, string>> = {
  "accounts.sweep": "End expired sessions and links",
  "alerts.evaluate": "Judge alert rules",
  "alerts.prune": "Delete alerts of 30 days ago",
  "approvals.expire": "Expire approvals",
  "approvals.recheck": "Retry decided calls",
  "clock.watch": "Check that the clock was not put back",
  "clients.sweep": "Delete what clients were given 30 days ago",
  "executions.digest": "Seal executions of past hours",
  "retention.sweep": "Delete by retention rules",
  "runs.sweep": "Resume interrupted runs",
  "tests.schedule": "Run scheduled suites",
  "webhooks.deliver": "Deliver webhooks",
  "webhooks.prune": "Delete events that no webhook waits for",
};

/** Background work: what waits, what failed, and a button for each; for admins. */
export function JobsView() {
  const denial = useDenial("administer");
  if (denial !== null) return <EmptyState title="Only admins can see jobs">{denial}.</EmptyState>;
  return <Queues />;
}

interface FailedJob extends JobFailure {
  kind: string;
}

function Queues() {
  const trpc = useTRPC();
  const { data: queues } = useSuspenseQuery(trpc.jobs.list.queryOptions(undefined, { refetchInterval: READ_MS }));
  const run = useAction(trpc.jobs.runNow.mutationOptions(), {
    stale: [trpc.jobs.list.queryKey()],
    done: ({ started }, { kind }) =>
      started === 1 ? `${toTitle(kind)}: started` : `${formatCount(started)} jobs started`,
    failed: ({ kind }) => `Couldn't run ${toTitle(kind)}`,
  });
  const failures = queues.flatMap((queue) => queue.failures.map((failure) => ({ ...failure, kind: queue.kind })));
  const columns: readonly Column<JobQueue>[] = [
    {
      head: "Job",
      className: "pl-3.5",
      render: ({ kind }) => (
        <>
          {toTitle(kind)} <span className="block font-mono text-mute text-xs">{kind}</span>
        </>
      ),
    },
    {
      head: "State",
      className: "w-28",
      render: ({ running, waiting, failures: { length } }) => {
        if (running > 0) return <Badge tone="accent">running</Badge>;
        if (length > 0) return <Badge tone="bad">failed</Badge>;
        if (waiting === 1) return <Badge>scheduled</Badge>;
        return <Badge>{waiting > 0 ? `${formatCount(waiting)} waiting` : "idle"}</Badge>;
      },
    },
    {
      head: "Last run",
      className: "max-sm:hidden",
      render: ({ lastRunAt, lastMs }) =>
        lastRunAt === null ? (
          "–"
        ) : (
          <>
            <RelativeTime at={lastRunAt} />, {formatDuration(lastMs)}
          </>
        ),
    },
    {
      head: "Next run",
      className: "max-sm:hidden",
      render: ({ nextRunAt }) => <DueIn at={nextRunAt} />,
    },
    {
      head: "Every",
      className: "max-md:hidden",
      render: ({ everyMs }) => (everyMs === null ? "–" : formatDuration(everyMs)),
    },
    {
      head: "Succeeded / failed",
      headTitle: "Since the start of the server; with PostgreSQL in the last 24 hours",
      className: "text-right max-md:hidden",
      render: ({ succeeded, failed }) => `${formatCount(succeeded)} / ${formatCount(failed)}`,
    },
    {
      head: "Run",
      headHidden: true,
      className: "pr-3.5 pl-3 text-right",
      render: ({ kind, waiting }) => (
        <Button
          needs="administer"
          aria-label={`Run now: ${toTitle(kind)}`}
          disabled={waiting === 0 || run.isPending}
          onClick={() => run.mutate({ kind })}
        >
          Run now
        </Button>
      ),
    },
  ];
  return (
    <>
      {run.problem !== null && <Alert live tone="bad" title={run.problem} />}
      <Card
        title="Queues"
        about="Work that Toolroom does in the background. Failed jobs are retried with growing pauses."
      >
        <DataTable label="Queues" look="panel" columns={columns} rows={queues} toKey={({ kind }) => kind} />
      </Card>
      <Card title="Failures">
        <Failures failures={failures} isPending={run.isPending} onRetry={(kind, key) => run.mutate({ kind, key })} />
      </Card>
    </>
  );
}

interface FailuresProps {
  failures: readonly FailedJob[];
  isPending: boolean;
  onRetry: (kind: string, key: string) => void;
}

function Failures({ failures, isPending, onRetry }: FailuresProps) {
  if (failures.length === 0) return <p className="px-3.5 py-3 text-mute">No failed jobs.</p>;
  return (
    <ul className="divide-y divide-line">
      {failures.map(({ kind, key, at, attempts, error, retryAt }) => (
        <li key={`${kind} ${key}`} className="flex items-center gap-3 px-3.5 py-2">
          <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
            <span className="font-medium">{toTitle(kind)}</span>{" "}
            {key !== "all" && <span className="font-mono text-mute text-xs">{key}</span>}
            <div className="text-bad">{error}</div>
            <div className="text-mute text-xs">
              Attempt {formatCount(attempts)} failed <RelativeTime at={at} />
              {retryAt !== null && (
                <>
                  , next try <DueIn at={retryAt} />
                </>
              )}
            </div>
          </div>
          <Button
            needs="administer"
            disabled={isPending || retryAt === null}
            aria-label={`Retry ${toTitle(kind)}`}
            onClick={() => onRetry(kind, key)}
          >
            Retry
          </Button>
        </li>
      ))}
    </ul>
  );
}

const toTitle = (kind: string): string => (Object.hasOwn(TITLES, kind) ? (TITLES[kind] ?? kind) : kind);
