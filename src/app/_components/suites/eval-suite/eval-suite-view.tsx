import { useSuspenseQuery } from "@tanstack/react-query";
import { GitCompareArrows, Pencil, Play, Plus, Settings2, Trash2 } from "lucide-react";
import { parseAsArrayOf, parseAsString, parseAsStringLiteral, useQueryState } from "nuqs";
import { useState } from "react";
import { EvalRunTable } from "@/app/_components/suites/summary/eval-run-table";
import { RunInCi } from "@/app/_components/suites/summary/run-in-ci";
import { formatModel } from "@/app/_components/suites/summary/run-words";
import { SuiteFacts } from "@/app/_components/suites/summary/suite-facts";
import { useLiveSuites } from "@/app/_components/suites/summary/use-live-suites";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { PageActions } from "@/app/_kit/page-actions";
import { client, trpc } from "@/app/_trpc/client";
import { ButtonLink, IconButton } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { onDemand } from "@/app/_ui/on-demand";
import { PageBody } from "@/app/_ui/page-body";
import { PageHeader } from "@/app/_ui/page-header";
import { ROW_CONTROL } from "@/app/_ui/row-control";
import { TabList, TabPanel } from "@/app/_ui/tab-list";
import type { Eval } from "@/lib/contract/eval";
import type { Suite } from "@/lib/contract/suite";

const EvalDialog = onDemand(() => import("./eval-dialog"), "EvalDialog");
const StartRunDialog = onDemand(() => import("./start-run-dialog"), "StartRunDialog");

const CandidateList = onDemand(() => import("./candidate-list"), "CandidateList");
const DeleteSuite = onDemand(() => import("../summary/delete-suite"), "DeleteSuite");
const SuiteDialog = onDemand(() => import("../summary/suite-dialog"), "SuiteDialog");

type Opened =
  | { kind: "add" }
  | { kind: "settings" }
  | { kind: "delete suite" }
  | { kind: "edit" | "delete"; item: Eval };

const TABS = ["evals", "candidates"] as const;

/** The evals of a suite, the decisions that may become some, and its runs. */
export function EvalSuiteView({ suite }: { suite: Suite }) {
  const { name, runWith } = suite;
  const [dialog, setDialog] = useQueryState("run", parseAsStringLiteral(["new"]));
  const [tab, setTab] = useQueryState("tab", parseAsStringLiteral(TABS).withDefault("evals"));
  const [opened, setOpened] = useState<Opened | null>(null);
  const { data: evals } = useSuspenseQuery(trpc.suites.evals.queryOptions({ suite: name }));
  const count = evals.length;
  useLiveSuites();
  return (
    <div className="flex flex-col">
      <PageHeader
        title={name}
        mono
        actions={
          <PageActions
            actions={[
              {
                label: "Run with a model",
                icon: Play,
                primary: true,
                needs: "run",
                disabled: count === 0,
                onSelect: () => void setDialog("new"),
              },
              { label: "Add eval", icon: Plus, needs: "edit", onSelect: () => setOpened({ kind: "add" }) },
              { label: "Settings", icon: Settings2, needs: "edit", onSelect: () => setOpened({ kind: "settings" }) },
              { label: "Delete", icon: Trash2, needs: "edit", onSelect: () => setOpened({ kind: "delete suite" }) },
            ]}
          />
        }
      >
        <SuiteFacts suite={suite}>{runWith === null ? "model of the last run" : formatModel(runWith)}</SuiteFacts>
      </PageHeader>
      <TabList
        label="Evals and candidates"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: "evals", label: "Evals", count },
          { value: "candidates", label: "Candidates" },
        ]}
      >
        <TabPanel value="evals" active={tab}>
          <PageBody>
            <EvalList evals={evals} onOpen={setOpened} />
            <Runs suite={name} />
            {count > 0 && <RunInCi suite={suite} />}
          </PageBody>
        </TabPanel>
        <TabPanel value="candidates" active={tab}>
          <PageBody>
            <CandidateList suite={name} />
          </PageBody>
        </TabPanel>
      </TabList>
      {dialog === "new" && <StartRunDialog suite={name} evals={count} onClose={() => void setDialog(null)} />}
      {opened !== null && <OpenedDialog suite={suite} opened={opened} onClose={() => setOpened(null)} />}
    </div>
  );
}

function OpenedDialog({ suite, opened, onClose }: { suite: Suite; opened: Opened; onClose: () => void }) {
  if (opened.kind === "add") return <EvalDialog start={{ suite: suite.name }} onSaved={onClose} onClose={onClose} />;
  if (opened.kind === "edit") return <EvalDialog start={opened.item} onSaved={onClose} onClose={onClose} />;
  if (opened.kind === "settings") return <SuiteDialog suite={suite} onClose={onClose} />;
  if (opened.kind === "delete suite") return <DeleteSuite suite={suite} onClose={onClose} />;
  const { item } = opened;
  return (
    <ConfirmAction
      action="Delete"
      running="Deleting…"
      failure="Couldn't delete"
      stale={[trpc.suites]}
      needs="edit"
      title="Delete this eval?"
      description={`"${item.question.slice(0, 200)}" is not asked any more. Results of earlier runs are kept.`}
      run={() => client.suites.deleteEval.mutate({ id: item.id, revision: item.lastEdit.revision })}
      done="Eval deleted"
      onClose={onClose}
    />
  );
}

function EvalList({ evals, onOpen }: { evals: readonly Eval[]; onOpen: (opened: Opened) => void }) {
  return (
    <Card title="Evals">
      {evals.length === 0 && (
        <p className="px-3.5 py-6 text-center text-mute">
          No evals yet. Add one, or confirm what models decided under Candidates.
        </p>
      )}
      <ul className="divide-y divide-line">
        {evals.map((item) => (
          <li key={item.id} data-row="" className="flex items-start gap-3 px-3.5 py-2">
            <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              <p dir="auto" className="line-clamp-3">
                {item.question}
              </p>
              <p className="flex flex-wrap gap-x-2 gap-y-0.5 text-mute text-xs">
                <span>
                  expects{" "}
                  <span className="font-mono text-text">
                    {item.expected.length === 0 ? "no call" : item.expected.join(", ")}
                  </span>
                </span>
                {item.forbidden.length > 0 && (
                  <span>
                    forbids <span className="font-mono text-text">{item.forbidden.join(", ")}</span>
                  </span>
                )}
                {item.toolset !== null && <span>of the toolset {item.toolset}</span>}
                {item.context.length > 0 && <span>after a conversation</span>}
              </p>
            </div>
            <IconButton
              icon={Pencil}
              needs="edit"
              label={`Edit: ${item.question.slice(0, 80)}`}
              className={ROW_CONTROL}
              onClick={() => onOpen({ kind: "edit", item })}
            />
            <IconButton
              icon={Trash2}
              needs="edit"
              label={`Delete: ${item.question.slice(0, 80)}`}
              className={ROW_CONTROL}
              onClick={() => onOpen({ kind: "delete", item })}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Runs({ suite }: { suite: string }) {
  const [chosen, setChosen] = useQueryState("chosen", parseAsArrayOf(parseAsString).withDefault([]));
  const [left, right] = chosen;
  const isComplete = left !== undefined && right !== undefined;
  return (
    <Card
      title="Runs"
      action={
        isComplete ? (
          <ButtonLink
            icon={GitCompareArrows}
            href={`/suites/runs/compare?left=${encodeURIComponent(left)}&right=${encodeURIComponent(right)}`}
          >
            Compare
          </ButtonLink>
        ) : (
          <span className="text-mute text-xs">Choose two runs to compare them.</span>
        )
      }
    >
      <EvalRunTable suite={suite} chosen={chosen} onChoose={(ids) => void setChosen(ids)} />
    </Card>
  );
}
