"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useState } from "react";
import { describeSchedule } from "@/app/_components/suites/summary/describe-schedule";
import { RunTable } from "@/app/_components/suites/summary/run-table";
import { formatModel, toRunPath, toSuitePath } from "@/app/_components/suites/summary/run-words";
import { describeCounts, RunBadge } from "@/app/_components/suites/summary/suite-badges";
import { SuiteTabs } from "@/app/_components/suites/summary/suite-tabs";
import { useLiveSuites } from "@/app/_components/suites/summary/use-live-suites";
import type { Column } from "@/app/_kit/data-table";
import { DueIn } from "@/app/_kit/due-in";
import { FileChoice } from "@/app/_kit/file-choice";
import { defineFilters, oneOf, type Params, searchText } from "@/app/_kit/list/filters";
import { type ListDeclaration, ResourceList } from "@/app/_kit/list/resource-list";
import { useList } from "@/app/_kit/list/use-list";
import { useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { PageHeader } from "@/app/_ui/page-header";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { SuiteInput, SuiteKind, SuiteSummary } from "@/lib/contract/suite";
import { formatCount, formatPlural } from "@/lib/format";
import { getMessage } from "@/lib/get-message";
import { createWordMatcher } from "@/lib/match-words";

const EvalDialog = onDemand(() => import("../eval-suite/eval-dialog"), "EvalDialog");
const NewSuiteDialog = onDemand(() => import("./new-suite-dialog"), "NewSuiteDialog");

const STEP = 50;
const KIND_WORDS: Record<SuiteKind, string> = { tests: "Tests", evals: "Evals" };

/** The filters of the list in the address, so that a link shows the same list. */
const SUITE_FILTERS = defineFilters({
  q: searchText({ label: "Search suites", placeholder: "Search name, description, tool", instant: true }),
  type: oneOf(["tests", "evals"], { label: "Type", words: KIND_WORDS }),
});

function filterSuites(suites: readonly SuiteSummary[], { q, type }: Params<typeof SUITE_FILTERS.filters>) {
  const matches = createWordMatcher(q);
  return suites.filter(
    ({ kind, name, description, tools }) => (type === null || kind === type) && matches(name, description, ...tools),
  );
}

const COLUMNS: readonly Column<SuiteSummary>[] = [
  {
    head: "Suite",
    className: "pl-4",
    cellClass: "max-md:w-full md:min-w-64 md:max-w-96 lg:min-w-80",
    render: ({ kind, name, description, testCount, evalCount, lastRun }) => (
      <>
        <Link
          href={toSuitePath(name)}
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
          {formatPlural(testCount + evalCount, kind === "tests" ? "test" : "eval")}
          {lastRun === null ? ", not run yet" : ` · ${describeCounts(lastRun)}`}
        </p>
      </>
    ),
  },
  {
    head: "Type",
    className: "max-md:hidden",
    cellClass: "whitespace-nowrap text-mute text-xs leading-5",
    render: ({ kind }) => KIND_WORDS[kind],
  },
  {
    head: "Last run",
    cellClass: "whitespace-nowrap text-xs leading-5",
    render: ({ lastRun }) =>
      lastRun === null ? (
        <span className="text-faint">–</span>
      ) : (
        <Link href={toRunPath(lastRun.id)} className="inline-flex items-center gap-2 hover:underline">
          <RunBadge run={lastRun} />
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
    head: "Tools or model",
    className: "max-lg:hidden",
    cellClass: "w-full max-w-0 truncate font-mono text-mute text-xs leading-5",
    render: ({ kind, tools, runWith, lastRun }) => {
      if (kind === "tests") return tools.join(", ");
      const model = runWith ?? (lastRun?.kind === "evals" ? lastRun : null);
      return model === null ? "" : formatModel(model);
    },
  },
  {
    head: "Cases",
    className: "pr-4 text-right max-md:hidden",
    cellClass: "font-mono text-xs leading-5 tabular-nums",
    render: ({ testCount, evalCount }) => formatCount(testCount + evalCount),
  },
];

const SUITE_LIST: ListDeclaration<SuiteSummary> = {
  label: "Suites",
  look: "catalog",
  toKey: ({ name }) => name,
  noMatch: { title: "No matching suites" },
  empty: (
    <EmptyState heading="h2" title="No suites yet" next={{ href: "/executions", text: "Choose an execution" }}>
      A suite has tests, which call tools and check their results, or evals, which ask a model questions and check which
      tool it picks. Save an execution as a test to begin one.
    </EmptyState>
  ),
};

/** Lists the suites with their last runs, and the newest runs of all. */
export function SuitesView() {
  const { data: suites } = useSuspenseQuery(trpc.suites.list.queryOptions({}));
  const runs = useQuery(trpc.suites.runs.queryOptions({}));
  const list = useList(SUITE_FILTERS);
  const [dialog, setDialog] = useQueryState("eval", parseAsStringLiteral(["new"]));
  useLiveSuites();
  const items = runs.data?.items ?? [];
  const shown = filterSuites(suites, list.params);
  return (
    <div className="flex min-h-full flex-col">
      <PageHeader title="Suites" actions={<SuiteActions />}>
        <SuiteTabs current="/suites" />
      </PageHeader>
      <ResourceList
        {...SUITE_LIST}
        list={list}
        columns={COLUMNS}
        rows={shown}
        total={suites.length}
        status={formatPlural(shown.length, "suite")}
        step={STEP}
      />
      {items.length > 0 && (
        <div className="p-4">
          <Card title="Recent runs">
            <RunTable runs={items} label="Recent runs" named />
          </Card>
        </div>
      )}
      {dialog === "new" && <EvalDialog start={null} onClose={() => void setDialog(null)} />}
    </div>
  );
}

function SuiteActions() {
  const [isNew, setNew] = useState(false);
  const mayEdit = useDenial("edit") === null;
  const importing = useAction(
    {
      mutationFn: async (text: string) =>
        client.suites.import.mutate({ toolroomSuites: 1, suites: readSuiteFile(text) }),
    },
    {
      stale: [trpc.suites.list],
      failed: "Couldn't import",
      report: "toast",
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
