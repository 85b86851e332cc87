"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { describeSchedule } from "@/app/_components/suites/summary/describe-schedule";
import { RunTable } from "@/app/_components/suites/summary/run-table";
import { TestsTabs } from "@/app/_components/suites/summary/suite-tabs";
import { describeCounts, TestRunBadge } from "@/app/_components/suites/summary/test-badges";
import type { Column } from "@/app/_kit/data-table";
import { DueIn } from "@/app/_kit/due-in";
import { FileChoice } from "@/app/_kit/file-choice";
import { type ListDeclaration, ResourceList } from "@/app/_kit/list/resource-list";
import { useAction } from "@/app/_kit/use-action";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { PageHeader } from "@/app/_ui/page-header";
import { RelativeTime } from "@/app/_ui/relative-time";
import { useToast } from "@/app/_ui/toast";
import type { SuiteInput, SuiteSummary } from "@/lib/contract/suite";
import { formatCount, formatPlural } from "@/lib/format";
import { getMessage } from "@/lib/get-message";

const NewSuiteDialog = onDemand(() => import("./new-suite-dialog").then((module) => module.NewSuiteDialog));

const STEP = 50;

const COLUMNS: readonly Column<SuiteSummary>[] = [
  {
    head: "Suite",
    className: "pl-4",
    cellClass: "max-md:w-full md:min-w-64 md:max-w-96 lg:min-w-80",
    render: ({ name, description, testCount, lastRun }) => (
      <>
        <Link
          href={`/tests/suites/${encodeURIComponent(name)}`}
          data-row=""
          className="rounded-xs font-medium font-mono text-xs leading-5 hover:underline [overflow-wrap:anywhere]"
        >
          {name}
        </Link>
        {description !== "" && (
          <p dir="auto" className="text-mute text-xs [overflow-wrap:anywhere]">
            {description}
          </p>
        )}
        <p className="text-mute text-xs md:hidden">
          {lastRun === null ? `${formatPlural(testCount, "test")}, not run yet` : describeCounts(lastRun)}
        </p>
      </>
    ),
  },
  {
    head: "Last run",
    cellClass: "whitespace-nowrap text-xs leading-5",
    render: ({ lastRun }) =>
      lastRun === null ? (
        <span className="text-faint">–</span>
      ) : (
        <Link href={`/tests/runs/${lastRun.id}`} className="inline-flex items-center gap-2 hover:underline">
          <TestRunBadge run={lastRun} />
          <span className="text-mute max-md:hidden">
            {describeCounts(lastRun)} · <RelativeTime at={lastRun.startedAt} />
          </span>
        </Link>
      ),
  },
  {
    head: "Schedule",
    className: "max-lg:hidden",
    cellClass: "whitespace-nowrap text-mute text-xs leading-5",
    render: ({ schedule, nextRunAt }) =>
      schedule === null ? (
        "–"
      ) : (
        <>
          {describeSchedule(schedule)}
          {nextRunAt !== null && (
            <>
              {" "}
              · next <DueIn at={nextRunAt} />
            </>
          )}
        </>
      ),
  },
  {
    head: "Tools",
    className: "max-lg:hidden",
    cellClass: "w-full max-w-0 truncate font-mono text-mute text-xs leading-5",
    render: ({ tools }) => tools.join(", "),
  },
  {
    head: "Tests",
    className: "pr-4 text-right max-md:hidden",
    cellClass: "font-mono text-xs leading-5 tabular-nums",
    render: ({ testCount }) => formatCount(testCount),
  },
];

const SUITE_LIST: Omit<ListDeclaration<SuiteSummary>, "noMatch"> = {
  label: "Suites",
  look: "catalog",
  toKey: ({ name }) => name,
  empty: (
    <EmptyState heading="h2" title="No suites yet" next={{ href: "/executions", text: "Choose an execution" }}>
      A suite is a list of tests: calls of tools with what is expected of their results. Save an execution as a test to
      begin one.
    </EmptyState>
  ),
};

/** Lists the suites with their last runs, and the newest runs of all. */
export function SuitesView() {
  const trpc = useTRPC();
  const { data: suites, refetch } = useSuspenseQuery(trpc.tests.list.queryOptions());
  const runs = useQuery(trpc.tests.runs.queryOptions({}));
  useLiveRefresh(
    () => Promise.all([refetch(), runs.refetch()]),
    (event) => event.type === "tests" || event.type === "reset",
    { intervalMs: 1_000 },
  );
  const items = runs.data?.items ?? [];
  return (
    <div className="flex min-h-full flex-col">
      <PageHeader title="Suites" actions={<SuiteActions />}>
        <TestsTabs current="/tests" />
      </PageHeader>
      <ResourceList
        {...SUITE_LIST}
        columns={COLUMNS}
        rows={suites}
        status={formatPlural(suites.length, "suite")}
        step={STEP}
      />
      {items.length > 0 && (
        <div className="p-4">
          <Card title="Recent runs">
            <RunTable runs={items} label="Recent runs" named />
          </Card>
        </div>
      )}
    </div>
  );
}

function SuiteActions() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [isNew, setNew] = useState(false);
  const toast = useToast();
  const mayEdit = useDenial("edit") === null;
  const importing = useAction(
    {
      mutationFn: async (text: string) =>
        client.tests.import.mutate({ toolroomSuites: 1, suites: readSuiteFile(text) }),
    },
    {
      stale: [trpc.tests.list.queryKey()],
      failed: () => "Couldn't import",
      report: (problem) => problem !== null && toast({ title: problem, tone: "bad" }),
      done: ({ created, replaced, same }) =>
        `${created.length} created, ${replaced.length} replaced, ${same.length} without a change`,
    },
  );
  return (
    <>
      {mayEdit && (
        <FileChoice label="Import" accept=".json,application/json" onText={(text) => importing.mutate(text)} />
      )}
      <Button icon={Plus} needs="edit" variant="primary" onClick={() => setNew(true)}>
        New suite
      </Button>
      {isNew && <NewSuiteDialog onClose={() => setNew(false)} />}
    </>
  );
}

/** The suites of a file; the server checks each of them. @throws Error for a file of another kind */
function readSuiteFile(text: string): SuiteInput[] {
  let file: { toolroomSuites?: unknown; suites?: unknown } | null;
  try {
    file = JSON.parse(text) as typeof file;
  } catch (error) {
    throw new Error(`The file is not JSON: ${getMessage(error)}`);
  }
  if (file?.toolroomSuites !== 1 || !Array.isArray(file.suites)) {
    throw new Error("The file has no suites: export one to see its format");
  }
  return file.suites as SuiteInput[];
}
