"use client";

import { useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { formatInterval, formatModel, toEvalRunPath } from "@/app/_components/evals/summary/eval-words";
import { runningPollMs } from "@/app/_components/evals/summary/running-poll";
import { useVerdict } from "@/app/_kit/use-verdict";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { onDemand } from "@/app/_ui/on-demand";
import { toAddress } from "@/lib/base-path";
import type { EvalRunSummary } from "@/lib/contract/eval";
import { TOOL_USE_SUITE } from "@/lib/contract/eval-limits";
import type { WordComparison, WordResult } from "@/lib/contract/word-test";
import { formatPlural } from "@/lib/format";
import { ConfusionList } from "./confusion-list";

const StartRunDialog = onDemand(() => import("../suite/start-run-dialog").then((module) => module.StartRunDialog));

export interface WordCheckProps {
  /** The definition as it is being written; null while it is not valid. */
  definitionText: string | null;
  /** The name of the tool that is edited; null for a new one. */
  editing: string | null;
}

const SHOWN_CHANGES = 5;

/** The effect of an unsaved edit: the questions that lead to another tool, and on request the choices of a model. */
export function WordCheck({ definitionText, editing }: WordCheckProps) {
  const client = useTRPCClient();
  const ask = useCallback(
    (text: string, signal: AbortSignal) =>
      client.evals.compareEdit.mutate({ editing, definitionText: text }, { signal }),
    [client, editing],
  );
  const { answer, failure } = useVerdict(definitionText, ask);
  return (
    <section aria-label="Word test" className="flex flex-col gap-1.5">
      <h3 className="font-medium text-mute text-xs">Word test</h3>
      {failure !== null && <p className="text-bad text-xs">Couldn't test the words: {failure}</p>}
      {answer !== null && <Comparison comparison={answer} />}
      {definitionText !== null && <EditedRuns definitionText={definitionText} editing={editing} />}
    </section>
  );
}

function Comparison({ comparison }: { comparison: WordComparison }) {
  const { before, after, changes, confusions } = comparison;
  const gain = after.found - before.found;
  return (
    <>
      <p role="status" className="flex flex-wrap items-center gap-2 text-xs">
        {after.asked === 0
          ? "No questions yet."
          : `${before.found} of ${before.asked} questions find their tool, with this edit ${after.found} of ${after.asked}.`}
        {gain !== 0 && <Badge tone={gain > 0 ? "ok" : "bad"}>{gain > 0 ? `+${gain}` : String(gain)}</Badge>}
      </p>
      {confusions.length > 0 && (
        <div className="rounded-md border border-line">
          <p className="px-3.5 pt-2 text-xs">This edit makes tools harder to tell apart:</p>
          <ConfusionList confusions={confusions.slice(0, SHOWN_CHANGES)} />
        </div>
      )}
      {changes.length > 0 && (
        <ul aria-label="Changed questions" className="flex flex-col gap-1 text-xs [overflow-wrap:anywhere]">
          {changes.slice(0, SHOWN_CHANGES).map(({ question, before: earlier, after: later, origin, expected }) => (
            <li key={`${origin} ${expected.join()} ${question}`}>
              <span dir="auto">“{question.slice(0, 160)}”</span>{" "}
              <span className="text-mute">
                {describeFirst(earlier)} → {describeFirst(later)}
              </span>
            </li>
          ))}
          {changes.length > SHOWN_CHANGES && (
            <li className="text-mute">and {formatPlural(changes.length - SHOWN_CHANGES, "more question")}</li>
          )}
        </ul>
      )}
    </>
  );
}

const describeFirst = ({ ranked, verdict }: WordResult): string =>
  `${ranked[0]?.name ?? "nothing"}${verdict === "close" ? " (close)" : ""}`;

/** Runs a suite with the definition as it is being written, and compares with its last run as saved. */
function EditedRuns({ definitionText, editing }: { definitionText: string; editing: string | null }) {
  const trpc = useTRPC();
  const suites = useQuery(trpc.evals.suites.queryOptions()).data?.filter(({ name }) => name !== TOOL_USE_SUITE) ?? [];
  const [opened, setOpened] = useState<{ name: string; evals: number } | null>(null);
  const [runs, setRuns] = useState<readonly EvalRunSummary[]>([]);
  if (suites.length === 0) return null;
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap gap-2">
        {suites.slice(0, SHOWN_CHANGES).map(({ name, evals }) => (
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
    </div>
  );
}

function EditedRun({ started }: { started: EvalRunSummary }) {
  const trpc = useTRPC();
  const { id, suite, provider, model, offering } = started;
  const { data: run = started } = useQuery({
    ...trpc.evals.run.queryOptions({ id }),
    refetchInterval: ({ state }) => runningPollMs(state.data?.status === "running" || state.data === undefined),
  });
  const earlier = useQuery(trpc.evals.runs.queryOptions({ suite })).data?.items.find(
    (each) =>
      each.edited === null &&
      each.status === "finished" &&
      each.provider === provider &&
      each.model === model &&
      each.offering === offering,
  );
  return (
    <p role="status" className="text-xs">
      <a href={toAddress(toEvalRunPath(id))} target="_blank" rel="noreferrer" className="rounded-xs underline">
        {suite} with {formatModel(run)}
      </a>
      : {run.status === "running" ? `${run.done} of ${run.total} done` : formatInterval(run.passed, run.done)}
      {earlier === undefined ? ", never run as saved" : `, as saved ${formatInterval(earlier.passed, earlier.done)}`}
    </p>
  );
}
