"use client";

import { ArrowLeftRight } from "lucide-react";
import { useEffect, useMemo } from "react";
import { Conversation } from "@/app/_components/runs/detail/conversation";
import { ConversationScroll } from "@/app/_components/runs/detail/conversation-scroll";
import { isLive, type RunState } from "@/app/_components/runs/detail/run-state";
import { type OlderEvents, useRun } from "@/app/_components/runs/detail/use-run";
import { useRunActions } from "@/app/_components/runs/detail/use-run-actions";
import { ACTIVE_TIME_HINT, ActiveTime } from "@/app/_components/runs/summary/active-time";
import { toCompareRunsPath } from "@/app/_components/runs/summary/compare-path";
import { RunDifferencesContext } from "@/app/_components/runs/summary/differing";
import { RunBadge } from "@/app/_components/runs/summary/run-badge";
import { formatCost, formatTokens } from "@/app/_components/runs/summary/run-figure-words";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Button, ButtonLink } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { ErrorState } from "@/app/_ui/error-state";
import { Link } from "@/app/_ui/link";
import { PageHeader } from "@/app/_ui/page-header";
import { formatPlural } from "@/lib/format";
import { buildTurns } from "@/lib/run/build-turns";
import { compareRuns, type RunDifferences } from "@/lib/run/compare-runs";
import { addLaterEvents } from "@/lib/run/run-figures";

export interface RunsSideBySideProps {
  leftId: string;
  /** Null while the second run is to be chosen. */
  rightId: string | null;
}

/** Two conversations next to each other, each live and with its own scroll position; one under the other on a phone. */
export function RunsSideBySide({ leftId, rightId }: RunsSideBySideProps) {
  const left = useRun(leftId);
  const right = useRun(rightId);
  const differences = useDifferences(left.state, right.state);
  const first = differences?.first ?? null;
  // Outside system: the scroll positions of the columns.
  useEffect(() => {
    if (first !== null) showParting();
  }, [first]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHeader
        title="Compare runs"
        badges={
          differences !== null && (
            <span role="status" className="text-mute text-xs">
              {first === null ? "No differences" : `Different from step ${Number.parseInt(first, 10)}`}
            </span>
          )
        }
        actions={
          rightId !== null && (
            <>
              {first !== null && <Button onClick={showParting}>First difference</Button>}
              <ButtonLink icon={ArrowLeftRight} href={toCompareRunsPath(rightId, leftId)} replace>
                Swap
              </ButtonLink>
            </>
          )
        }
      />
      <RunDifferencesContext value={differences}>
        <div className="grid min-h-0 flex-1 grid-rows-2 divide-line max-lg:divide-y lg:grid-cols-2 lg:grid-rows-1 lg:divide-x">
          <RunColumn run={left} label="Left run" />
          {rightId === null ? (
            <EmptyState title="Choose a run from the list to compare with" />
          ) : (
            <RunColumn run={right} label="Right run" />
          )}
        </div>
      </RunDifferencesContext>
    </div>
  );
}

/** Brings the place where the runs part to the top of both columns. */
function showParting(): void {
  for (const line of document.querySelectorAll("[data-parting]")) line.scrollIntoView?.({ block: "start" });
}

/** Null until both runs are read. */
function useDifferences(left: RunState | null, right: RunState | null): RunDifferences | null {
  return useMemo(
    () => (left === null || right === null ? null : compareRuns(buildTurns(left.events), buildTurns(right.events))),
    [left, right],
  );
}

interface RunColumnProps {
  run: ReturnType<typeof useRun>;
  label: string;
}

function RunColumn({ run: { state, error, refetch, older }, label }: RunColumnProps) {
  return (
    <section aria-label={label} className="flex min-h-0 min-w-0 flex-col">
      {state !== null && <KnownColumn state={state} older={older} label={label} />}
      {state === null && error === null && <ViewSkeleton of="runTab" />}
      {state === null && error !== null && (
        <ErrorState title="Couldn't load the run" message={error.message} onRetry={() => void refetch()} />
      )}
    </section>
  );
}

function KnownColumn({ state, older, label }: { state: RunState; older: OlderEvents; label: string }) {
  const { detail } = state;
  const going = isLive(detail.status);
  const actions = useRunActions(detail.id, going);
  return (
    <>
      <header className="flex shrink-0 flex-col gap-0.5 border-line border-b bg-panel px-4 py-2">
        <div className="flex min-w-0 items-center gap-2">
          <Link
            href={`/runs/${encodeURIComponent(detail.id)}`}
            className="min-w-0 truncate font-medium hover:underline"
          >
            <bdi>{detail.title === "" ? detail.id : detail.title}</bdi>
          </Link>
          <RunBadge run={detail} stopping={actions.stopping} />
        </div>
        <ColumnFigures state={state} />
      </header>
      <ActionProblem problem={actions.problem} onDismiss={actions.dismiss} />
      <ConversationScroll follow={going} state={state} stopping={actions.stopping}>
        <Conversation state={state} older={older} actions={actions} name={label} />
      </ConversationScroll>
    </>
  );
}

function ColumnFigures({ state: { detail, events } }: { state: RunState }) {
  const figures = useMemo(() => addLaterEvents(detail, events), [detail, events]);
  const tokens = formatTokens(detail.usage);
  return (
    <p className="flex min-w-0 flex-wrap gap-x-2 text-mute text-xs tabular-nums">
      <span className="font-mono">
        {detail.provider} / {detail.model}
      </span>
      <span title={ACTIVE_TIME_HINT}>
        <ActiveTime figures={figures} /> active
      </span>
      <span>{formatPlural(figures.modelCalls, "model call")}</span>
      <span>{formatPlural(figures.toolCalls, "tool call")}</span>
      {tokens !== null && <span>{tokens}</span>}
      {detail.cost !== null && <span>{formatCost(detail.cost)}</span>}
    </p>
  );
}
