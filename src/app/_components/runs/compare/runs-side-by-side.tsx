"use client";

import { ArrowLeftRight } from "lucide-react";
import { useMemo } from "react";
import { Conversation } from "@/app/_components/runs/detail/conversation";
import { ConversationScroll } from "@/app/_components/runs/detail/conversation-scroll";
import { isLive, type RunState } from "@/app/_components/runs/detail/run-state";
import { type OlderEvents, useRun } from "@/app/_components/runs/detail/use-run";
import { useRunActions } from "@/app/_components/runs/detail/use-run-actions";
import { ACTIVE_TIME_HINT, ActiveTime } from "@/app/_components/runs/summary/active-time";
import { toCompareRunsPath } from "@/app/_components/runs/summary/compare-path";
import { RunBadge } from "@/app/_components/runs/summary/run-badge";
import { formatCost, formatTokens } from "@/app/_components/runs/summary/run-figure-words";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { ActionProblem } from "@/app/_ui/action-problem";
import { buttonClass } from "@/app/_ui/button";
import { ErrorState } from "@/app/_ui/error-state";
import { Link } from "@/app/_ui/link";
import { PageHeader } from "@/app/_ui/page-header";
import { formatPlural } from "@/lib/format";
import { addLaterEvents } from "@/lib/run/run-figures";

export interface RunsSideBySideProps {
  leftId: string;
  rightId: string;
}

/** Two conversations next to each other, each live and with its own scroll position; one under the other on a phone. */
export function RunsSideBySide({ leftId, rightId }: RunsSideBySideProps) {
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHeader
        title="Compare runs"
        actions={
          <Link href={toCompareRunsPath(rightId, leftId)} className={buttonClass()} replace>
            <ArrowLeftRight aria-hidden size={13} strokeWidth={1.6} />
            Swap
          </Link>
        }
      />
      <div className="grid min-h-0 flex-1 grid-rows-2 divide-line max-lg:divide-y lg:grid-cols-2 lg:grid-rows-1 lg:divide-x">
        <RunColumn id={leftId} label="Left run" />
        <RunColumn id={rightId} label="Right run" />
      </div>
    </div>
  );
}

function RunColumn({ id, label }: { id: string; label: string }) {
  const { state, error, refetch, older } = useRun(id);
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
      {actions.problem !== null && <ActionProblem problem={actions.problem} onDismiss={actions.dismiss} />}
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
