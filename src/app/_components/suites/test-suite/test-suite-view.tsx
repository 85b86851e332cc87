import { useQuery } from "@tanstack/react-query";
import { Download, Pencil, Play, Plus, Settings2, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { describeAssertion } from "@/app/_components/suites/summary/describe-assertion";
import { RunInCi } from "@/app/_components/suites/summary/run-in-ci";
import { RunTable } from "@/app/_components/suites/summary/run-table";
import { RunBadge, TestResultBadge } from "@/app/_components/suites/summary/suite-badges";
import { SuiteFacts } from "@/app/_components/suites/summary/suite-facts";
import { useLiveSuites } from "@/app/_components/suites/summary/use-live-suites";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { PageActions } from "@/app/_kit/page-actions";
import { saveFile } from "@/app/_kit/save-file";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { Button, IconButton } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { PageBody } from "@/app/_ui/page-body";
import { PageHeader } from "@/app/_ui/page-header";
import { ROW_CONTROL } from "@/app/_ui/row-control";
import type { Assertion, Suite, SuiteTest, TestResult } from "@/lib/contract/suite";
import { formatPlural } from "@/lib/format";
import { toFileSuite, toSuiteInput } from "../summary/suite-input";

const DeleteSuite = onDemand(() => import("../summary/delete-suite"), "DeleteSuite");
const TestDialog = onDemand(() => import("./test-dialog"), "TestDialog");
const SuiteDialog = onDemand(() => import("../summary/suite-dialog"), "SuiteDialog");

type Opened = { kind: "settings" | "delete" } | { kind: "test"; position: number | null };

/** A suite: its tests with their last results, its settings and its runs. */
export function TestSuiteView({ suite }: { suite: Suite }) {
  const { name } = suite;
  const runs = useQuery(trpc.suites.runs.queryOptions({ suite: name }));
  const [opened, setOpened] = useState<Opened | null>(null);
  const items = runs.data?.items ?? [];
  const [newest] = items;
  const last = useQuery({
    ...trpc.suites.getRun.queryOptions({ id: newest?.id ?? "" }),
    enabled: newest !== undefined,
  });
  useLiveSuites();
  return (
    <div className="flex min-h-full flex-col">
      <SuiteHeader suite={suite} onOpen={setOpened} badge={newest && <RunBadge run={newest} />} />
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
              results={last.data?.kind === "tests" ? last.data.results : []}
              onEdit={(position) => setOpened({ kind: "test", position })}
            />
          )}
        </Card>
        {items.length > 0 && (
          <Card title="Runs">
            <RunTable runs={items} label="Runs" />
          </Card>
        )}
        {suite.tests.length > 0 && <RunInCi suite={suite} />}
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
  const { name, approvals, concurrency } = suite;
  const router = useRouter();
  const running = useAction(trpc.suites.run, {
    stale: [trpc.suites.runs],
    failed: "Couldn't run",
    report: "toast",
    onDone: ({ id }) => router.push(`/suites/runs/${id}`),
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
      <SuiteFacts suite={suite}>
        {formatPlural(concurrency, "call")} at once ·{" "}
        {approvals === "ask" ? "asks for approval" : "leaves out tools that need approval"}
      </SuiteFacts>
    </PageHeader>
  );
}

/** Downloads the text that `toolroom suites export` prints. */
function exportSuite(suite: Suite): void {
  const text = `${JSON.stringify({ toolroomSuites: 1, suites: [toFileSuite(suite)] }, null, 2)}\n`;
  saveFile(`${suite.name}.suite.json`, new Blob([text], { type: "application/json" }));
}

interface TestTableProps {
  suite: Suite;
  results: readonly TestResult[];
  onEdit: (position: number) => void;
}

function TestTable({ suite, results, onEdit }: TestTableProps) {
  const removing = useAction(trpc.suites.update, {
    stale: [trpc.suites.get.queryKey({ name: suite.name }), trpc.suites.list],
    failed: "Couldn't remove the test",
    report: "toast",
    done: "Test removed",
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
          <Assertions assertions={test.assertions} />
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

function Assertions({ assertions }: { assertions: readonly Assertion[] }) {
  const texts = assertions.length === 0 ? ["succeeds"] : assertions.map(describeAssertion);
  return (
    <ul aria-label="Assertions" className="text-mute text-xs">
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

function LastResult({ result }: { result: TestResult | undefined }) {
  if (result === undefined) return <span className="text-faint">–</span>;
  const badge = <TestResultBadge status={result.status} kind="tests" />;
  return result.executionId === null ? badge : <Link href={`/executions/${result.executionId}`}>{badge}</Link>;
}
