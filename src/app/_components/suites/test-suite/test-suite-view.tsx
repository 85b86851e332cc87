"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Download, Pencil, Play, Plus, Settings2, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { describeSchedule } from "@/app/_components/suites/summary/describe-schedule";
import { RunTable } from "@/app/_components/suites/summary/run-table";
import { TestResultBadge, TestRunBadge } from "@/app/_components/suites/summary/test-badges";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { DueIn } from "@/app/_kit/due-in";
import { PageActions } from "@/app/_kit/page-actions";
import { saveFile } from "@/app/_kit/save-file";
import { useAction } from "@/app/_kit/use-action";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import { Button, IconButton } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { PageBody } from "@/app/_ui/page-body";
import { PageHeader } from "@/app/_ui/page-header";
import { ROW_CONTROL } from "@/app/_ui/row-control";
import { useToast } from "@/app/_ui/toast";
import type { Assertion, Suite, SuiteTest, TestResult } from "@/lib/contract/suite";
import { formatBytes, formatDuration, formatPlural } from "@/lib/format";
import { toSuiteInput } from "./suite-input";

const ConfirmAction = onDemand(() => import("@/app/_kit/confirm-dialog").then((module) => module.ConfirmAction));
const TestDialog = onDemand(() => import("./test-dialog").then((module) => module.TestDialog));
const SuiteDialog = onDemand(() => import("./suite-dialog").then((module) => module.SuiteDialog));

type Opened = { kind: "settings" | "delete" } | { kind: "test"; position: number | null };

/** A suite: its tests with their last results, its settings and its runs. */
export function SuiteView({ name }: { name: string }) {
  const trpc = useTRPC();
  const { data: suite, refetch } = useSuspenseQuery(trpc.tests.get.queryOptions({ name }));
  const runs = useQuery(trpc.tests.runs.queryOptions({ suite: name }));
  const [opened, setOpened] = useState<Opened | null>(null);
  const items = runs.data?.items ?? [];
  const [newest] = items;
  const last = useQuery({ ...trpc.tests.getRun.queryOptions({ id: newest?.id ?? "" }), enabled: newest !== undefined });
  useLiveRefresh(
    () => Promise.all([refetch(), runs.refetch(), newest !== undefined && last.refetch()]),
    (event) => event.type === "tests" || event.type === "reset",
    { intervalMs: 1_000 },
  );
  return (
    <div className="flex min-h-full flex-col">
      <SuiteHeader suite={suite} onOpen={setOpened} badge={newest && <TestRunBadge run={newest} />} />
      <PageBody>
        <Card
          title={formatPlural(suite.tests.length, "test")}
          label="Tests"
          action={
            <Button icon={Plus} needs="edit" onClick={() => setOpened({ kind: "test", position: null })}>
              New test
            </Button>
          }
        >
          {suite.tests.length === 0 ? (
            <p className="px-3.5 py-3 text-mute">
              No tests yet. Open an execution and choose <strong>Save as test</strong>, or add one here.
            </p>
          ) : (
            <TestTable
              suite={suite}
              results={last.data?.results ?? []}
              onEdit={(position) => setOpened({ kind: "test", position })}
            />
          )}
        </Card>
        {items.length > 0 && (
          <Card title="Runs">
            <RunTable runs={items} label="Runs" />
          </Card>
        )}
      </PageBody>
      {opened?.kind === "test" && (
        <TestDialog suite={suite} position={opened.position} onClose={() => setOpened(null)} />
      )}
      {opened?.kind === "settings" && <SuiteDialog suite={suite} onClose={() => setOpened(null)} />}
      {opened?.kind === "delete" && <DeleteSuite suite={suite} onClose={() => setOpened(null)} />}
    </div>
  );
}

interface SuiteHeaderProps {
  suite: Suite;
  badge: React.ReactNode;
  onOpen: (opened: Opened) => void;
}

function SuiteHeader({ suite, badge, onOpen }: SuiteHeaderProps) {
  const { name, description, schedule, nextRunAt, scheduledBy, approvals, concurrency } = suite;
  const trpc = useTRPC();
  const router = useRouter();
  const toast = useToast();
  const running = useAction(trpc.tests.run.mutationOptions(), {
    stale: [trpc.tests.runs.queryKey()],
    failed: () => "Couldn't run",
    report: (problem) => problem !== null && toast({ title: problem, tone: "bad" }),
    onDone: ({ id }) => router.push(`/tests/runs/${id}`),
  });
  return (
    <PageHeader
      title={name}
      mono
      badges={badge}
      actions={
        <PageActions
          actions={[
            {
              label: running.isPending ? "Starting…" : "Run",
              icon: Play,
              primary: true,
              needs: "run",
              disabled: running.isPending || suite.tests.length === 0,
              onSelect: () => running.mutate({ name }),
            },
            { label: "Settings", icon: Settings2, needs: "edit", onSelect: () => onOpen({ kind: "settings" }) },
            { label: "Export", icon: Download, onSelect: () => exportSuite(suite) },
            { label: "Delete", icon: Trash2, needs: "edit", onSelect: () => onOpen({ kind: "delete" }) },
          ]}
        />
      }
    >
      <div className="flex flex-col gap-0.5 border-line border-b px-4 pt-1 pb-2 text-mute text-xs">
        {description !== "" && <p dir="auto">{description}</p>}
        <p>
          {schedule === null ? "No schedule" : describeSchedule(schedule)}
          {nextRunAt !== null && (
            <>
              {" "}
              · next <DueIn at={nextRunAt} /> for {scheduledBy?.name}
            </>
          )}{" "}
          · {formatPlural(concurrency, "call")} at once ·{" "}
          {approvals === "ask" ? "asks for approval" : "leaves out tools that need approval"}
        </p>
      </div>
    </PageHeader>
  );
}

/** The same text as `toolroom suites export` prints. */
function exportSuite(suite: Suite): void {
  const text = `${JSON.stringify({ toolroomSuites: 1, suites: [toSuiteInput(suite)] }, null, 2)}\n`;
  saveFile(`${suite.name}.suite.json`, new Blob([text], { type: "application/json" }));
}

interface TestTableProps {
  suite: Suite;
  results: readonly TestResult[];
  onEdit: (position: number) => void;
}

function TestTable({ suite, results, onEdit }: TestTableProps) {
  const trpc = useTRPC();
  const toast = useToast();
  const removing = useAction(trpc.tests.update.mutationOptions(), {
    stale: [trpc.tests.get.queryKey({ name: suite.name }), trpc.tests.list.queryKey()],
    failed: () => "Couldn't remove the test",
    report: (problem) => problem !== null && toast({ title: problem, tone: "bad" }),
    done: () => "Test removed",
  });
  const remove = (test: SuiteTest): void => {
    const tests = suite.tests.filter((each) => each !== test);
    removing.mutate({ name: suite.name, suite: { ...toSuiteInput(suite), tests }, revision: suite.lastEdit?.revision });
  };
  const columns: readonly Column<SuiteTest>[] = [
    {
      head: "Last result",
      className: "pl-3.5",
      render: ({ name }) => <LastResult result={results.find((each) => each.name === name)} />,
    },
    {
      head: "Test",
      cellClass: "w-full max-w-0 [overflow-wrap:anywhere]",
      render: (test) => (
        <>
          <p className="font-medium">{test.name}</p>
          <p className="truncate font-mono text-mute text-xs">
            <Link href={`/tools/${encodeURIComponent(test.tool)}`} className="hover:underline">
              {test.tool}
            </Link>{" "}
            {JSON.stringify(test.arguments)}
          </p>
          <p className="text-mute text-xs">{test.assertions.map(describeAssertion).join(" · ") || "succeeds"}</p>
        </>
      ),
    },
    {
      head: "Actions",
      headHidden: true,
      className: "pr-3.5 text-right",
      cellClass: "whitespace-nowrap",
      render: (test) => (
        <>
          <IconButton
            icon={Pencil}
            needs="edit"
            label={`Edit ${test.name}`}
            className={ROW_CONTROL}
            onClick={() => onEdit(suite.tests.indexOf(test))}
          />
          <IconButton
            icon={Trash2}
            needs="edit"
            label={`Remove ${test.name}`}
            className={ROW_CONTROL}
            onClick={() => remove(test)}
          />
        </>
      ),
    },
  ];
  return (
    <DataTable look="panel" label="Tests" columns={columns} rows={suite.tests} toKey={({ name }) => name} step={100} />
  );
}

function LastResult({ result }: { result: TestResult | undefined }) {
  if (result === undefined) return <span className="text-faint">–</span>;
  const badge = <TestResultBadge status={result.status} kind="suite" />;
  return result.executionId === null ? badge : <Link href={`/executions/${result.executionId}`}>{badge}</Link>;
}

function describeAssertion(assertion: Assertion): string {
  switch (assertion.kind) {
    case "equals":
      return assertion.ignore === undefined ? "equals" : `equals but ${formatPlural(assertion.ignore.length, "path")}`;
    case "subset":
      return "contains";
    case "path":
      return `${assertion.path} ${assertion.is === "absent" ? "is absent" : assertion.is}`;
    case "schema":
      return "schema";
    case "error":
      return `fails: ${assertion.error}`;
    case "time":
      return `≤ ${formatDuration(assertion.maxMs)}`;
    case "size":
      return `≤ ${formatBytes(assertion.maxBytes)}`;
  }
}

function DeleteSuite({ suite: { name, lastEdit }, onClose }: { suite: Suite; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  return (
    <ConfirmAction
      title={`Delete ${name}?`}
      description="Its tests and the results of its runs are deleted. Recorded executions are kept."
      needs="edit"
      run={() => client.tests.delete.mutate({ name, revision: lastEdit?.revision })}
      stale={[trpc.tests.list.queryKey()]}
      done={() => `${name} deleted`}
      onDone={() => router.push("/tests")}
      onClose={onClose}
    />
  );
}
