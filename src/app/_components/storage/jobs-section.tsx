import { useSuspenseQuery } from "@tanstack/react-query";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { DueIn } from "@/app/_kit/due-in";
import { actionsColumn, statusColumn, textColumn, timeColumn } from "@/app/_kit/list/columns";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { JobFailure, JobQueue } from "@/lib/contract/job";
import { formatCount } from "@/lib/format";

const READ_MS = 5_000;

/** Jobs of a later version are shown by their kind. */
const TITLES: Readonly<Record<string, string>> = {
  "accounts.sweep": "End expired sessions and links",
  "alerts.evaluate": "Check alert rules",
  "alerts.prune": "Delete alerts of 30 days ago",
  "approvals.expire": "Expire approvals",
  "approvals.recheck": "Retry decided calls",
  "clock.watch": "Check that the clock was not put back",
  "clients.sweep": "Delete what clients were given 30 days ago",
  "executions.digest": "Sign execution log",
  "retention.sweep": "Delete by retention rules",
  "runs.sweep": "Resume interrupted runs",
  "tests.schedule": "Run scheduled suites",
  "webhooks.deliver": "Deliver webhooks",
  "webhooks.prune": "Delete events that no webhook waits for",
};

/** Work in the background: what waits, what failed, and a button that runs it now. */
export function JobsSection() {
  const { data: queues } = useSuspenseQuery(trpc.jobs.list.queryOptions(undefined, { refetchInterval: READ_MS }));
  const run = useAction(trpc.jobs.runNow, {
    stale: [trpc.jobs.list],
    done: ({ started }, { kind }) =>
      started === 1 ? `${toTitle(kind)}: started` : `${formatCount(started)} jobs started`,
    failed: ({ kind }) => `Couldn't run ${toTitle(kind)}`,
  });
  const columns: readonly Column<JobQueue>[] = [
    textColumn("Job", ({ kind, failures }) => (
      <>
        <span title={kind}>{toTitle(kind)}</span>
        {failures.map((failure) => (
          <Failure key={failure.key} failure={failure} />
        ))}
      </>
    )),
    statusColumn("State", renderState, { className: "w-28" }),
    timeColumn("Last run", ({ lastRunAt }) => lastRunAt, { from: "sm" }),
    textColumn("Next run", ({ nextRunAt }) => <DueIn at={nextRunAt} />, {
      from: "sm",
      cellClass: "whitespace-nowrap text-mute text-xs",
    }),
    actionsColumn(
      ({ kind, waiting }) => (
        <Button
          needs="administer"
          aria-label={`Run now: ${toTitle(kind)}`}
          disabled={waiting === 0 || run.isPending}
          onClick={() => run.mutate({ kind })}
        >
          Run now
        </Button>
      ),
      { head: "Run", className: "pr-3.5 pl-3" },
    ),
  ];
  return (
    <div id="background-jobs" className="scroll-mt-4">
      <Card title="Background jobs" about="Failed jobs are retried with growing pauses.">
        {run.problem !== null && <Alert live tone="bad" title={run.problem} className="m-3" />}
        <DataTable label="Background jobs" look="panel" columns={columns} rows={queues} toKey={({ kind }) => kind} />
      </Card>
    </div>
  );
}

function renderState({ running, waiting, failures }: JobQueue) {
  if (running > 0) return <Badge tone="accent">running</Badge>;
  if (failures.length > 0) return <Badge tone="bad">failed</Badge>;
  if (waiting === 1) return <Badge>scheduled</Badge>;
  return <Badge>{waiting > 0 ? `${formatCount(waiting)} waiting` : "idle"}</Badge>;
}

function Failure({ failure: { key, at, attempts, error, retryAt } }: { failure: JobFailure }) {
  return (
    <div className="text-xs [overflow-wrap:anywhere]">
      <span className="text-bad">{error}</span>
      <span className="text-mute">
        {key === "all" ? ". " : `, ${key}. `}Attempt {formatCount(attempts)} failed <RelativeTime at={at} />
        {retryAt !== null && (
          <>
            , next try <DueIn at={retryAt} />
          </>
        )}
      </span>
    </div>
  );
}

const toTitle = (kind: string): string => (Object.hasOwn(TITLES, kind) ? (TITLES[kind] ?? kind) : kind);
