"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { GitCompareArrows, Pencil, Play, Plus, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { parseAsArrayOf, parseAsString, parseAsStringLiteral, useQueryState } from "nuqs";
import { useState } from "react";
import { RunTable } from "@/app/_components/suites/summary/eval-run-table";
import { useLiveEvals } from "@/app/_components/suites/summary/use-live-evals";
import { PageActions } from "@/app/_kit/page-actions";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import { ButtonLink, IconButton } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { onDemand } from "@/app/_ui/on-demand";
import { PageBody } from "@/app/_ui/page-body";
import { PageHeader } from "@/app/_ui/page-header";
import { ROW_CONTROL } from "@/app/_ui/row-control";
import type { Eval } from "@/lib/contract/eval";

const ConfirmAction = onDemand(() => import("@/app/_kit/confirm-dialog").then((module) => module.ConfirmAction));
const EvalDialog = onDemand(() => import("./eval-dialog").then((module) => module.EvalDialog));
const StartRunDialog = onDemand(() => import("./start-run-dialog").then((module) => module.StartRunDialog));

type Opened = { kind: "add" } | { kind: "edit" | "delete"; item: Eval } | { kind: "delete suite" };

/** The evals of a suite and its runs. */
export function SuiteView({ name }: { name: string }) {
  const [dialog, setDialog] = useQueryState("run", parseAsStringLiteral(["new"]));
  const [opened, setOpened] = useState<Opened | null>(null);
  const trpc = useTRPC();
  const { data: suites } = useSuspenseQuery(trpc.evals.suites.queryOptions());
  const count = suites.find((suite) => suite.name === name)?.evals ?? 0;
  useLiveEvals();
  return (
    <div className="flex flex-col">
      <PageHeader
        title={name}
        mono
        actions={
          <PageActions
            actions={[
              { label: "Delete", icon: Trash2, needs: "edit", onSelect: () => setOpened({ kind: "delete suite" }) },
              { label: "Add eval", icon: Plus, needs: "edit", onSelect: () => setOpened({ kind: "add" }) },
              {
                label: "Run with a model",
                icon: Play,
                primary: true,
                needs: "run",
                disabled: count === 0,
                onSelect: () => void setDialog("new"),
              },
            ]}
          />
        }
      />
      <PageBody>
        <EvalList suite={name} onOpen={setOpened} />
        <Runs suite={name} />
      </PageBody>
      {dialog === "new" && <StartRunDialog suite={name} evals={count} onClose={() => void setDialog(null)} />}
      {opened !== null && <OpenedDialog suite={name} opened={opened} onClose={() => setOpened(null)} />}
    </div>
  );
}

function OpenedDialog({ suite, opened, onClose }: { suite: string; opened: Opened; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const stale = [trpc.evals.pathKey()];
  const shared = { action: "Delete", running: "Deleting…", failure: "Couldn't delete", stale, onClose } as const;
  if (opened.kind === "add") return <EvalDialog start={{ suite }} onSaved={onClose} onClose={onClose} />;
  if (opened.kind === "edit") return <EvalDialog start={opened.item} onSaved={onClose} onClose={onClose} />;
  if (opened.kind === "delete") {
    const { item } = opened;
    return (
      <ConfirmAction
        {...shared}
        needs="edit"
        title="Delete this eval?"
        description={`"${item.question.slice(0, 200)}" is deleted. Results of earlier runs are kept.`}
        run={() => client.evals.delete.mutate({ id: item.id, revision: item.lastEdit.revision })}
        done={() => "Eval deleted"}
      />
    );
  }
  return (
    <ConfirmAction
      {...shared}
      needs="edit"
      title={`Delete ${suite}?`}
      description="All evals of the suite are deleted. Results of earlier runs are kept."
      run={() => client.evals.deleteSuite.mutate({ suite })}
      done={() => `${suite} deleted`}
      onDone={() => router.push("/evals")}
    />
  );
}

function EvalList({ suite, onOpen }: { suite: string; onOpen: (opened: Opened) => void }) {
  const trpc = useTRPC();
  const { data: evals } = useSuspenseQuery(trpc.evals.list.queryOptions({ suite }));
  return (
    <Card title="Evals">
      {evals.length === 0 && <p className="px-3.5 py-6 text-center text-mute">No evals in this suite.</p>}
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
            href={`/evals/compare?left=${encodeURIComponent(left)}&right=${encodeURIComponent(right)}`}
          >
            Compare
          </ButtonLink>
        ) : (
          <span className="text-mute text-xs">Choose two runs to compare them.</span>
        )
      }
    >
      <RunTable suite={suite} chosen={chosen} onChoose={(ids) => void setChosen(ids)} />
    </Card>
  );
}
