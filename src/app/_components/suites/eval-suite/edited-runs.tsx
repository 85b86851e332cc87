import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatModel, toRunPath } from "@/app/_components/suites/summary/run-words";
import { runningPollMs } from "@/app/_components/suites/summary/running-poll";
import { describeCounts } from "@/app/_components/suites/summary/suite-badges";
import { trpc } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { onDemand } from "@/app/_ui/on-demand";
import { toAddress } from "@/lib/base-path";
import type { EvalRunSummary } from "@/lib/contract/eval";

const StartRunDialog = onDemand(() => import("./start-run-dialog"), "StartRunDialog");

const SHOWN_SUITES = 5;

interface EditedRunsProps {
  /** The definition while it is being written. */
  definitionText: string;
  /** The name of the tool that is edited; null for a new one. */
  editing: string | null;
}

/** Runs a suite with the definition as it is being written, and compares with its last run as saved. */
export function EditedRuns({ definitionText, editing }: EditedRunsProps) {
  const suites = useQuery(trpc.suites.list.queryOptions({ kind: ["evals"] })).data ?? [];
  const [opened, setOpened] = useState<{ name: string; evals: number } | null>(null);
  const [runs, setRuns] = useState<readonly EvalRunSummary[]>([]);
  if (suites.length === 0) return null;
  return (
    <section aria-label="Evals" className="flex flex-col gap-1.5">
      <h3 className="font-medium text-mute text-xs">Evals</h3>
      <div className="flex flex-wrap gap-2">
        {suites.slice(0, SHOWN_SUITES).map(({ name, evalCount: evals }) => (
          <Button key={name} needs="run" onClick={() => setOpened({ name, evals })} aria-haspopup="dialog">
            Run {name} with this edit…
          </Button>
        ))}
      </div>
      {runs.map((run) => (
        <EditedRun key={run.id} started={run} />
      ))}
      {opened !== null && (
        <StartRunDialog
          suite={opened.name}
          evals={opened.evals}
          edit={{ editing, definitionText }}
          onStarted={(started) => {
            setRuns([...started, ...runs]);
            setOpened(null);
          }}
          onClose={() => setOpened(null)}
        />
      )}
    </section>
  );
}

function EditedRun({ started }: { started: EvalRunSummary }) {
  const { id, suite, provider, model, offering } = started;
  const { data = started } = useQuery({
    ...trpc.suites.getRun.queryOptions({ id }),
    refetchInterval: ({ state }) => runningPollMs(state.data?.status === "running" || state.data === undefined),
  });
  const run = data.kind === "evals" ? data : started;
  const earlier = useQuery(trpc.suites.runs.queryOptions({ suite, kind: ["evals"] })).data?.items.find(
    (each) =>
      each.kind === "evals" &&
      each.edited === null &&
      each.status === "finished" &&
      each.provider === provider &&
      each.model === model &&
      each.offering === offering,
  );
  return (
    <p role="status" className="text-xs">
      <a href={toAddress(toRunPath(id))} target="_blank" rel="noreferrer" className="rounded-xs underline">
        {suite} with {formatModel(run)}
      </a>
      : {describeCounts(run)}
      {earlier === undefined ? ", never run as saved" : `, as saved ${describeCounts(earlier)}`}
    </p>
  );
}
